// SPDX-License-Identifier: Apache-2.0
// What is left of a limit and when there is more, in each shape that servers use. Which counts for a wait is tested in
// http_server_delay_test.cpp.
#include <relent/http/date.hpp>
#include <relent/http/rate_limit.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace {

using namespace relent::http;
using namespace std::chrono_literals;
using relent::duration;
using relent::max_duration;
using std::chrono::system_clock;

const system_clock::time_point now = parse_date("Mon, 03 Jun 2019 11:00:00 GMT", {}).value();  // 1559559600
constexpr std::nullopt_t none = std::nullopt;
constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

struct row {
  const char* name;
  header_list headers;
  std::optional<std::uint64_t> remaining;
  std::optional<duration> reset = none;
  std::string_view header = {};
  friend void PrintTo(const row& one, std::ostream* to) { *to << one.name; }
};

void expect(const std::optional<rate_limit>& found, const row& due) {
  ASSERT_EQ(found.has_value(), due.remaining.has_value());
  if (!found) return;
  EXPECT_EQ(found->remaining, *due.remaining);
  EXPECT_EQ(found->reset, due.reset);
  EXPECT_EQ(found->header, due.header);
}

// --- RateLimit

header_list one_line(const char* text) { return {{"RateLimit", text}}; }

const row limits[] = {
    // A list of named items, since revision 08.
    {"list", one_line(R"("default";r=50;t=30)"), 50, 30s, "ratelimit"},
    {"list_without_reset", one_line(R"("default";r=50)"), 50, none, "ratelimit"},
    {"list_in_another_order", one_line(R"("default";t=30;r=50)"), 50, 30s, "ratelimit"},
    {"list_with_a_partition_key", one_line(R"("default";r=0;t=30;pk=:cHsdsRa894==:)"), 0, 30s, "ratelimit"},
    {"list_with_an_unknown_parameter", one_line(R"("default";r=0;t=30;acme-x=(1))"), none},
    {"list_with_a_vendors_parameter", one_line(R"("default";r=0;t=30;acme-x=1)"), 0, 30s, "ratelimit"},
    {"list_named_by_a_token", one_line("quota;r=0;t=1"), 0, 1s, "ratelimit"},
    {"list_named_by_a_number", one_line("1;r=0;t=1"), none},
    {"list_without_remaining", one_line("quota;t=1"), none},
    {"list_negative_remaining", one_line(R"("default";r=-1;t=30)"), none},
    {"list_remaining_with_a_fraction", one_line(R"("default";r=0.0;t=30)"), none},
    {"list_reset_with_a_fraction", one_line(R"("default";r=0;t=30.5)"), 0, none, "ratelimit"},
    {"list_reset_of_fifteen_digits", one_line(R"("default";r=0;t=999999999999999)"), 0, max_duration,
     "ratelimit"},
    {"list_reset_of_sixteen_digits", one_line(R"("default";r=0;t=9999999999999999)"), none},
    {"list_reset_is_never_an_instant", one_line(R"("default";r=0;t=1559559603)"), 0, 1559559603s,
     "ratelimit"},
    {"list_empty", one_line(""), none},
    {"list_with_a_comma_too_many", one_line(R"("default";r=0;t=30,)"), none},
    {"list_in_an_open_string", one_line(R"("default;r=0;t=30)"), none},
    {"list_skips_what_names_no_policy", one_line(R"(("a" "b");r=0;t=9, "c";r=0;t=7)"), 0, 7s, "ratelimit"},
    {"list_first_if_all_have_some_left", one_line(R"("a";r=9;t=5, "b";r=1;t=60)"), 9, 5s, "ratelimit"},
    {"list_the_one_of_which_nothing_is_left", one_line(R"("a";r=9;t=500, "b";r=0;t=60)"), 0, 60s,
     "ratelimit"},
    {"list_the_longest_of_those", one_line(R"("a";r=0;t=5, "b";r=0;t=60, "c";r=0)"), 0, 60s, "ratelimit"},
    {"list_over_two_lines",
     {{"RateLimit", R"("a";r=0;t=5)"}, {"ratelimit", R"("b";r=0;t=60)"}},
     0,
     60s,
     "ratelimit"},
    // A dictionary, in revision 07.
    {"dictionary", one_line("limit=100, remaining=50, reset=5"), 50, 5s, "ratelimit"},
    {"dictionary_without_reset", one_line("limit=100, remaining=0"), 0, none, "ratelimit"},
    {"dictionary_without_remaining", one_line("limit=100, reset=5"), none},
    {"dictionary_over_two_lines",
     {{"RateLimit", "limit=100"}, {"RateLimit", "remaining=0, reset=5"}},
     0,
     5s,
     "ratelimit"},
    {"dictionary_of_a_list", one_line("remaining=(0), reset=5"), none},
    // Fields of their own, up to revision 06.
    {"fields",
     {{"RateLimit-Limit", "100"}, {"RateLimit-Remaining", "50"}, {"RateLimit-Reset", "50"}},
     50,
     50s,
     "ratelimit-reset"},
    {"fields_without_reset", {{"RateLimit-Remaining", "0"}}, 0, none, "ratelimit-reset"},
    {"fields_without_remaining", {{"RateLimit-Reset", "50"}}, none},
    {"fields_reset_of_one",
     {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "1"}},
     0,
     1s,
     "ratelimit-reset"},
    {"fields_reset_that_is_an_instant",
     {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "1559559603"}},
     0,
     3s,
     "ratelimit-reset"},
    {"fields_reset_that_is_past",
     {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "1559559000"}},
     0,
     0s,
     "ratelimit-reset"},
    {"fields_with_parameters",
     {{"RateLimit-Remaining", "0;x"}, {"RateLimit-Reset", "50, 60"}},
     0,
     50s,
     "ratelimit-reset"},
    {"fields_negative", {{"RateLimit-Remaining", "-1"}, {"RateLimit-Reset", "50"}}, none},
    {"fields_reset_empty",
     {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", ""}},
     0,
     none,
     "ratelimit-reset"},
    {"fields_beside_what_is_malformed",
     {{"RateLimit", "soon"}, {"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "50"}},
     0,
     50s,
     "ratelimit-reset"},
    {"fields_of_the_policy_only", {{"RateLimit-Policy", "\"default\";q=100;w=60"}}, none},
};

class rate_limit_shape : public testing::TestWithParam<row> {};

TEST_P(rate_limit_shape, is_read) { expect(rate_limit_in(GetParam().headers, now), GetParam()); }

INSTANTIATE_TEST_SUITE_P(of, rate_limit_shape, testing::ValuesIn(limits),
                         [](const auto& with) { return std::string(with.param.name); });

// --- X-RateLimit

header_list github(const char* reset) {
  return {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", reset}};
}

const row families[] = {
    {"nothing", {}, none},
    {"without_remaining", {{"X-RateLimit-Reset", "7"}}, none},
    {"without_reset", {{"X-RateLimit-Remaining", "4999"}}, 4999, none, "x-ratelimit-reset"},
    {"seconds_from_now", github("7"), 0, 7s, "x-ratelimit-reset"},
    {"a_fraction_from_now", github("0.25"), 0, 250ms, "x-ratelimit-reset"},
    {"none_from_now", github("0"), 0, 0s, "x-ratelimit-reset"},
    {"the_longest_from_now", github("999999999"), 0, 999999999s, "x-ratelimit-reset"},
    {"the_first_instant_in_seconds", github("1000000000"), 0, 0s, "x-ratelimit-reset"},
    {"an_instant", github("1559559602"), 0, 2s, "x-ratelimit-reset"},
    {"an_instant_and_a_fraction", github("1559559602.5"), 0, 2500ms, "x-ratelimit-reset"},
    {"this_very_instant", github("1559559600"), 0, 0s, "x-ratelimit-reset"},
    {"an_instant_that_is_past", github("1559559599"), 0, 0s, "x-ratelimit-reset"},
    {"the_last_instant_in_seconds", github("999999999999"), 0, max_duration, "x-ratelimit-reset"},
    {"the_first_instant_in_milliseconds", github("1000000000000"), 0, 0s, "x-ratelimit-reset"},
    {"an_instant_in_milliseconds", github("1559559602500"), 0, 2500ms, "x-ratelimit-reset"},
    {"twenty_digits", github("99999999999999999999"), 0, max_duration, "x-ratelimit-reset"},
    {"minus_one", github("-1"), 0, none, "x-ratelimit-reset"},
    {"a_length_as_text", github("6m0s"), 0, none, "x-ratelimit-reset"},
    {"an_exponent", github("1e3"), 0, none, "x-ratelimit-reset"},
    {"a_date_as_text", github("Mon Jun 03 2019 11:00:02 GMT+0200"), 0, none, "x-ratelimit-reset"},
    {"reset_after_goes_first",
     {{"X-RateLimit-Remaining", "0"},
      {"X-RateLimit-Reset", "1559559600.1"},
      {"X-RateLimit-Reset-After", "1.5"}},
     0,
     1500ms,
     "x-ratelimit-reset-after"},
    {"reset_after_that_says_nothing",
     {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "7"}, {"X-RateLimit-Reset-After", "-1"}},
     0,
     7s,
     "x-ratelimit-reset"},
    {"reset_after_is_never_an_instant",
     {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset-After", "1559559602"}},
     0,
     1559559602s,
     "x-ratelimit-reset-after"},
    {"the_other_spelling",
     {{"X-Rate-Limit-Remaining", "0"}, {"X-Rate-Limit-Reset", "1559559602"}},
     0,
     2s,
     "x-rate-limit-reset"},
    {"of_two_spellings_the_first",
     {{"X-Rate-Limit-Remaining", "0"},
      {"X-Rate-Limit-Reset", "9"},
      {"X-RateLimit-Remaining", "5"},
      {"X-RateLimit-Reset", "7"}},
     5,
     7s,
     "x-ratelimit-reset"},
    {"more_left_than_fits",
     {{"X-RateLimit-Remaining", "99999999999999999999"}},
     most,
     none,
     "x-ratelimit-reset"},
    {"a_word_is_left", {{"X-RateLimit-Remaining", "none"}, {"X-RateLimit-Reset", "7"}}, none},
};

class x_rate_limit_family : public testing::TestWithParam<row> {};

TEST_P(x_rate_limit_family, is_read) { expect(x_rate_limit_in(GetParam().headers, now), GetParam()); }

INSTANTIATE_TEST_SUITE_P(of, x_rate_limit_family, testing::ValuesIn(families),
                         [](const auto& with) { return std::string(with.param.name); });

TEST(x_rate_limit, counts_an_instant_from_within_a_second) {
  const auto found = x_rate_limit_in(github("1559559602"), now + 123'456'789ns);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->reset, std::optional<duration>(1'876'543'211ns));
}

// A client took an instant for a wait, and would have come back after 56 years.
TEST(x_rate_limit, does_not_take_an_instant_for_a_wait) {
  for (const char* reset : {"1790000000", "1790000000000"}) {
    const auto then = system_clock::time_point(std::chrono::seconds(1789999970));
    EXPECT_EQ(x_rate_limit_in(github(reset), then)->reset, std::optional<duration>(30s)) << reset;
  }
}

}  // namespace
