// SPDX-License-Identifier: Apache-2.0
// The field Idempotency-Key, written and read.
#include <relent/http/idempotency_key_field.hpp>

#include <relent/idempotency_key.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using namespace relent::http;
using std::string_literals::operator""s;

const std::string uuid = "8e03978e-40d5-43e8-bc93-6894a57f9324";
const std::string longest(255, 'k');
const std::string too_long(256, 'k');

std::string quoted(const std::string& text) { return '"' + text + '"'; }

struct reading_row {
  const char* id;
  std::string value;
  std::optional<std::string> strict;
  std::optional<std::string> lenient;
  friend void PrintTo(const reading_row& row, std::ostream* out) { *out << row.id; }
};

void expect_key(const read_key& read, const std::optional<std::string>& key) {
  EXPECT_EQ(read.key, key) << read.problem;
  EXPECT_EQ(read.problem.empty(), key.has_value());
}

class idempotency_key_line : public testing::TestWithParam<reading_row> {};

TEST_P(idempotency_key_line, is_read_strictly) {
  const header_list request{{"idempotency-key", GetParam().value}};
  expect_key(read_idempotency_key(request, key_reading::strict), GetParam().strict);
}

TEST_P(idempotency_key_line, is_read_leniently) {
  const header_list request{{"Idempotency-Key", GetParam().value}};
  expect_key(read_idempotency_key(request, key_reading::lenient), GetParam().lenient);
}

constexpr auto none = std::nullopt;

INSTANTIATE_TEST_SUITE_P(
    lines, idempotency_key_line,
    testing::Values(
        reading_row{"uuid_in_quotes", quoted(uuid), uuid, uuid},
        reading_row{"uuid_that_begins_like_a_number", uuid, none, uuid},
        reading_row{"uuid_that_begins_like_a_token", "abc3978e-40d5-43e8-bc93-6894a57f9324", none,
                    "abc3978e-40d5-43e8-bc93-6894a57f9324"},
        reading_row{"token", "abc-123", none, "abc-123"}, reading_row{"number", "42", none, "42"},
        reading_row{"boolean", "?1", none, "?1"}, reading_row{"bytes", ":YWJj:", none, ":YWJj:"},
        reading_row{"any_visible_text", "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", none,
                    "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"},
        reading_row{"parameter", "\"a\";x=1", "a", "a"},
        reading_row{"parameters_of_all_types", R"("a";x;y=1.5 ; z="q;";t=tok/en;b=:YQ==:;f=?0)", none, none},
        reading_row{"parameters_with_blanks_after_the_semicolon",
                    R"("a"; x;  y=1.5;z="q;";t=tok/en;b=:YQ==:;f=?0)", "a", "a"},
        reading_row{"parameter_of_too_many_digits", "\"a\";x=1234567890123456", none, none},
        reading_row{"parameter_of_15_digits", "\"a\";x=-123456789012345", "a", "a"},
        reading_row{"parameter_of_too_many_places", "\"a\";x=1.2345", none, none},
        reading_row{"parameter_that_ends_in_a_point", "\"a\";x=1.", none, none},
        reading_row{"parameter_with_unclosed_bytes", "\"a\";x=:YQ==", none, none},
        reading_row{"parameter_with_an_unclosed_string", "\"a\";x=\"b", none, none},
        reading_row{"parameter_of_half_a_boolean", "\"a\";x=?2", none, none},
        reading_row{"parameter_and_more", "\"a\";x=1,", none, none},
        reading_row{"parameter_without_a_name", "\"a\";", none, none},
        reading_row{"parameter_in_capital_letters", "\"a\";X=1", none, none},
        reading_row{"parameter_without_a_value_after_all", "\"a\";x=", none, none},
        reading_row{"escaped_quote", R"("a\"b")", "a\"b", "a\"b"},
        reading_row{"escaped_backslash", R"("a\\b")", "a\\b", "a\\b"},
        reading_row{"escaped_letter", R"("a\nb")", none, none},
        reading_row{"ends_in_a_backslash", R"("a\)", none, none},
        reading_row{"blank_in_quotes", "\"a b\"", "a b", "a b"}, reading_row{"blank", "a b", none, none},
        reading_row{"blanks_around", " \t\"a\"\t ", "a", "a"}, reading_row{"empty", "", none, none},
        reading_row{"empty_string", "\"\"", none, none}, reading_row{"lonely_quote", "\"", none, none},
        reading_row{"unclosed", "\"abc", none, none},
        reading_row{"quote_in_the_middle", "ab\"c", none, "ab\"c"},
        reading_row{"more_after_the_string", "\"a\"b", none, none},
        reading_row{"two_strings", "\"a\", \"b\"", none, none},
        reading_row{"two_strings_without_a_blank", "\"a\",\"b\"", none, none},
        reading_row{"longest", quoted(longest), longest, longest},
        reading_row{"longest_raw", longest, none, longest},
        reading_row{"too_long", quoted(too_long), none, none},
        reading_row{"too_long_raw", too_long, none, none},
        reading_row{"tab_in_quotes", "\"a\tb\"", none, none}, reading_row{"nul", "\"a\0b\""s, none, none},
        reading_row{"nul_raw", "a\0b"s, none, none}, reading_row{"delete_character", "\"a\x7f\"", none, none},
        reading_row{"delete_character_raw", "a\x7f", none, none},
        reading_row{"umlaut", "\"\xc3\xa4\"", none, none}, reading_row{"umlaut_raw", "\xc3\xa4", none, none}),
    [](const auto& info) { return std::string(info.param.id); });

TEST(idempotency_key_reader, finds_neither_key_nor_problem_without_the_field) {
  for (const auto reading : {key_reading::strict, key_reading::lenient}) {
    const read_key read = read_idempotency_key({{"X-Idempotency-Key", "a"}}, reading);
    EXPECT_FALSE(read.key);
    EXPECT_EQ(read.problem, "");
  }
}

TEST(idempotency_key_reader, takes_one_line_only_even_if_two_agree) {
  for (const char* value : {"\"a\"", "a", ""}) {
    const header_list request{{"Idempotency-Key", value}, {"idempotency-key", value}};
    for (const auto reading : {key_reading::strict, key_reading::lenient}) {
      EXPECT_FALSE(read_idempotency_key(request, reading).key);
      EXPECT_EQ(read_idempotency_key(request, reading).problem, "is there more than once");
    }
  }
}

TEST(idempotency_key_reader, says_what_is_wrong) {
  const auto problem = [](std::string value) {
    return read_idempotency_key({{"Idempotency-Key", std::move(value)}}, key_reading::strict).problem;
  };
  EXPECT_EQ(problem(uuid), "is not in double quotes");
  EXPECT_EQ(problem("\"a"), "is no string in double quotes");
  EXPECT_EQ(problem("\"\""), "is empty");
  EXPECT_EQ(problem(quoted(too_long)), "is longer than 255 characters");
  EXPECT_EQ(read_idempotency_key({{"Idempotency-Key", "a b"}}, key_reading::lenient).problem,
            "has characters that are not visible ASCII");
}

TEST(idempotency_key_writer, writes_both_styles) {
  EXPECT_EQ(write_idempotency_key(uuid, key_style::quoted), quoted(uuid));
  EXPECT_EQ(write_idempotency_key(uuid, key_style::raw), uuid);
  EXPECT_EQ(write_idempotency_key(R"(a"b\c)", key_style::quoted), R"("a\"b\\c")");
  EXPECT_EQ(write_idempotency_key(R"(a"b\c)", key_style::raw), R"(a"b\c)");
}

TEST(idempotency_key_writer, refuses_what_is_no_key) {
  for (const std::string& text : {""s, "a b"s, "a\tb"s, "a\nb"s, "a\0b"s, "\x7f"s, "\xc3\xa4"s, too_long})
    for (const auto style : {key_style::quoted, key_style::raw})
      EXPECT_THROW(write_idempotency_key(text, style), std::invalid_argument) << text;
}

// Whatever a key of the library holds, a strict server reads the quoted form, and a lenient one both.
TEST(idempotency_key_writer, is_understood_by_the_reader) {
  std::string all;
  for (char c = '!'; c <= '~'; ++c) all.push_back(c);
  for (const std::string& key : {uuid, longest, all, "a"s, "\\\""s}) {
    EXPECT_NO_THROW(relent::idempotency_key{key});
    const header_list line{{"Idempotency-Key", write_idempotency_key(key, key_style::quoted)}};
    EXPECT_EQ(read_idempotency_key(line, key_reading::strict).key, key);
    EXPECT_EQ(read_idempotency_key(line, key_reading::lenient).key, key);
  }
  const header_list raw{{"Idempotency-Key", write_idempotency_key(uuid, key_style::raw)}};
  EXPECT_EQ(read_idempotency_key(raw, key_reading::lenient).key, uuid);
}

}  // namespace
