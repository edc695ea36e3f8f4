// SPDX-License-Identifier: Apache-2.0
// The small parts of `relent fetch` that need no server: addresses, encodings, ranges, validators, progress.
#include <cli/http/content_range.hpp>
#include <cli/http/part_file.hpp>
#include <cli/http/percent.hpp>
#include <cli/http/transfer_progress.hpp>
#include <cli/http/web_address.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>

namespace {

using namespace relent::cli;
using namespace std::chrono_literals;

struct address_row {
  const char* id;
  const char* text;
  const char* asked;  ///< null: refused
  const char* shown;
  friend void PrintTo(const address_row& row, std::ostream* out) { *out << row.id; }
};

class address : public testing::TestWithParam<address_row> {};

TEST_P(address, is_read) {
  std::string problem;
  const auto read = web_address::read(GetParam().text, problem);
  EXPECT_EQ(read.has_value(), GetParam().asked != nullptr) << problem;
  EXPECT_EQ(problem.empty(), read.has_value());
  if (!read || GetParam().asked == nullptr) return;
  EXPECT_EQ(read->text(), GetParam().asked);
  EXPECT_EQ(read->shown(), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    table, address,
    testing::Values(address_row{"plain", "https://a.example/x", "https://a.example/x", "https://a.example/x"},
                    address_row{"without_scheme", "a.example/x", "http://a.example/x", "http://a.example/x"},
                    address_row{"without_path", "HTTP://a:81", "http://a:81/", "http://a:81/"},
                    address_row{"query", "http://a?k=v#f", "http://a/?k=v", "http://a/?..."},
                    address_row{"password", "http://me:secret@a/", "http://me:secret@a/", "http://me@a/"},
                    address_row{"at_in_password", "http://me:p@ss@a/", "http://me:p@ss@a/", "http://me@a/"},
                    address_row{"at_in_path", "http://a/x@y", "http://a/x@y", "http://a/x@y"},
                    address_row{"ipv6", "http://[::1]:80/", "http://[::1]:80/", "http://[::1]:80/"},
                    address_row{"ftp", "ftp://a/", nullptr, nullptr},
                    address_row{"file", "file:///etc", nullptr, nullptr},
                    address_row{"no_host", "http:///x", nullptr, nullptr},
                    address_row{"no_host_but_port", "http://:80/", nullptr, nullptr},
                    address_row{"bad_port", "http://a:x/", nullptr, nullptr},
                    address_row{"large_port", "http://a:65536/", nullptr, nullptr},
                    address_row{"blank", "http://a/b c", nullptr, nullptr},
                    address_row{"line_break", "http://a/\r\nX: y", nullptr, nullptr},
                    address_row{"open_bracket", "http://[::1/", nullptr, nullptr}),
    [](const auto& info) { return std::string(info.param.id); });

TEST(an_address, takes_more_of_a_query_and_a_name) {
  std::string problem;
  auto read = *web_address::read("http://a/up/?x=1", problem);
  read.add_query("y=2");
  read.add_name("a b.txt");
  EXPECT_EQ(read.text(), "http://a/up/a%20b.txt?x=1&y=2");
  EXPECT_EQ(read.last_name(), "a%20b.txt");
}

TEST(an_address, is_a_pattern_to_curl_for_its_braces_and_brackets) {
  std::string problem;
  EXPECT_TRUE(web_address::read("http://a/{b,c}", problem)->is_pattern());
  EXPECT_TRUE(web_address::read("http://[::1]/[1-3]", problem)->is_pattern());
  EXPECT_FALSE(web_address::read("http://[::1]:80/x", problem)->is_pattern());
}

TEST(encodings, are_those_of_the_standards) {
  EXPECT_EQ(percent_encoded("a-Z_0.9~ /+\xc3\xa4"), "a-Z_0.9~%20%2F%2B%C3%A4");
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xff\xfe\xfd\xfc"), "//79/A==");
}

struct range_row {
  const char* id;
  const char* text;
  const char* read;  ///< null: nothing
  friend void PrintTo(const range_row& row, std::ostream* out) { *out << row.id; }
};

class range : public testing::TestWithParam<range_row> {};

TEST_P(range, is_read) {
  const auto read = parse_content_range(GetParam().text);
  std::string text = "none";
  if (read)
    text = (read->first ? std::to_string(*read->first) + "-" + std::to_string(read->last) : "*") + "/" +
           (read->total ? std::to_string(*read->total) : "*");
  EXPECT_EQ(text, GetParam().read == nullptr ? "none" : GetParam().read);
}

INSTANTIATE_TEST_SUITE_P(
    table, range,
    testing::Values(
        range_row{"plain", "bytes 5-9/10", "5-9/10"}, range_row{"one_byte", "bytes 0-0/1", "0-0/1"},
        range_row{"unknown_total", "bytes 5-9/*", "5-9/*"}, range_row{"unsatisfied", "bytes */10", "*/10"},
        range_row{"capitals", "Bytes 5-9/10", "5-9/10"}, range_row{"nothing_known", "bytes */*", nullptr},
        range_row{"other_unit", "lines 5-9/10", nullptr}, range_row{"backwards", "bytes 9-5/10", nullptr},
        range_row{"beyond", "bytes 5-10/10", nullptr}, range_row{"no_slash", "bytes 5-9", nullptr},
        range_row{"no_dash", "bytes 5/10", nullptr}, range_row{"negative", "bytes -5-9/10", nullptr},
        range_row{"huge", "bytes 0-99999999999999999999/*", nullptr},
        range_row{"list", "bytes 0-1,3-4/10", nullptr}, range_row{"empty", "", nullptr},
        range_row{"word", "bytes", nullptr}),
    [](const auto& info) { return std::string(info.param.id); });

std::string validator(const relent::http::header_list& headers) {
  return validator_in(headers, std::chrono::system_clock::now());
}

TEST(a_validator, is_a_strong_etag_before_a_date) {
  EXPECT_EQ(validator({{"ETag", "\"v1\""}, {"Last-Modified", "Tue, 01 Dec 2026 08:00:00 GMT"}}), "\"v1\"");
  EXPECT_EQ(validator({{"ETag", "W/\"v1\""}}), "");
  EXPECT_EQ(validator({{"ETag", "v1"}}), "");
  EXPECT_EQ(validator({{"ETag", "\"a\"b\""}}), "");
  EXPECT_EQ(validator({}), "");
}

TEST(a_validator, is_a_date_only_if_nothing_can_have_changed_within_its_second) {
  const relent::http::header modified{"Last-Modified", "Tue, 01 Dec 2026 08:00:00 GMT"};
  EXPECT_EQ(validator({modified, {"Date", "Tue, 01 Dec 2026 08:01:00 GMT"}}), modified.value);
  EXPECT_EQ(validator({modified, {"Date", "Tue, 01 Dec 2026 08:00:59 GMT"}}), "");
  EXPECT_EQ(validator({modified}), "");
  EXPECT_EQ(validator({{"Last-Modified", "yesterday"}, {"Date", "Tue, 01 Dec 2026 08:01:00 GMT"}}), "");
  EXPECT_EQ(validator({{"ETag", "W/\"v1\""}, modified, {"Date", "Tue, 01 Dec 2026 08:01:00 GMT"}}), "");
}

TEST(a_part, is_told_by_its_state_and_only_for_its_address) {
  const part_state state{.validator = "\"v 1\"", .total = 12};
  const std::string text = to_text(state, "http://a/secret");
  EXPECT_EQ(text.find("secret"), std::string::npos);
  EXPECT_EQ(parse_part_state(text, "http://a/secret"), state);
  EXPECT_EQ(parse_part_state(text, "http://a/other"), std::nullopt);
  const part_state open{.validator = "\"v\"", .total = {}};
  EXPECT_EQ(parse_part_state(to_text(open, "x"), "x"), open);
}

TEST(a_part, with_a_state_that_was_cut_is_none) {
  const std::string text = to_text({.validator = "\"v1\"", .total = 12}, "x");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_EQ(parse_part_state(text.substr(0, size), "x"), std::nullopt) << size;
}

TEST(progress, is_shown_in_numbers_of_three_digits) {
  EXPECT_EQ(short_size(0), "0B");
  EXPECT_EQ(short_size(999), "999B");
  EXPECT_EQ(short_size(1000), "1.00kB");
  EXPECT_EQ(short_size(27'240'000), "27.2MB");
  EXPECT_EQ(short_size(999'900), "1.00MB");
  EXPECT_EQ(short_size(UINT64_MAX), "18447PB");
}

TEST(progress, has_a_bar_where_the_total_is_known) {
  EXPECT_EQ(progress_text({.done = 50'000'000, .total = 200'000'000, .took = 5s, .began_at = 0}),
            "[#####---------------] 25% of 200MB, 10.0MB/s, 15s left");
  EXPECT_EQ(progress_text({.done = 60'000'000, .total = 200'000'000, .took = 5s, .began_at = 50'000'000}),
            "[######--------------] 30% of 200MB, 2.00MB/s, 1m10s left");
  EXPECT_EQ(progress_text({.done = 50'000'000, .total = {}, .took = 5s, .began_at = 0}), "50.0MB, 10.0MB/s");
  EXPECT_EQ(progress_text({.done = 0, .total = 100, .took = 5s, .began_at = 0}),
            "[--------------------] 0% of 100B, 0B/s");
  EXPECT_EQ(progress_text({.done = 100, .total = 100, .took = 0s, .began_at = 0}),
            "[####################] 100% of 100B, 100kB/s");
}

}  // namespace
