// SPDX-License-Identifier: Apache-2.0
// How long a server asks to wait: Retry-After in every form, its relatives, and which goes before which.
#include <relent/http/date.hpp>
#include <relent/http/rate_limit.hpp>
#include <relent/http/server_delay.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

namespace {

using namespace relent::http;
using namespace std::chrono_literals;
using relent::duration;
using relent::max_duration;
using std::chrono::system_clock;

system_clock::time_point at(const char* date) { return parse_date(date, {}).value(); }

const system_clock::time_point clock_a = at("Fri, 31 Dec 1999 23:59:57 GMT");
const system_clock::time_point clock_b = at("Mon, 03 Jun 2019 11:00:00 GMT");
constexpr std::nullopt_t none = std::nullopt;

struct value_row {
  const char* name;
  std::string value;
  system_clock::time_point now;
  std::optional<duration> wait;
  friend void PrintTo(const value_row& one, std::ostream* to) { *to << one.value; }
};

const value_row values[] = {
    {"zero", "0", clock_b, 0s},
    {"two", "2", clock_b, 2s},
    {"a_thousand", "1000", clock_b, 1000s},
    {"two_minutes", "120", clock_b, 120s},
    {"leading_zeros", "00120", clock_b, 120s},
    {"blanks_around", "\t42 ", clock_b, 42s},
    {"minus_one", "-1", clock_b, none},
    {"minus_two", "-2", clock_b, none},
    {"minus_five_is_no_year", "-5", clock_b, none},
    {"minus_ten", "-10", clock_b, none},
    {"plus_five", "+5", clock_b, none},
    {"one_point_nought", "1.0", clock_b, none},
    {"one_point_five", "1.5", clock_b, none},
    {"exponent", "1e3", clock_b, none},
    {"hexadecimal", "0x10", clock_b, none},
    {"empty", "", clock_b, none},
    {"words", "a couple minutes", clock_b, none},
    {"junk", "badbadbad", clock_b, none},
    {"soon", "soon", clock_b, none},
    {"parameter", "120;x", clock_b, none},
    {"two_values", "120, 120", clock_b, none},
    {"another_junk", "not-a-valid-value", clock_b, none},
    {"nul_octet", std::string("12\0", 3), clock_b, none},
    {"blank_within", "1 2", clock_b, none},
    {"digits_of_another_script", "\xd9\xa1\xd9\xa2", clock_b, none},
    {"six_hours", "21600", clock_b, 21600s},
    {"six_hours_and_a_second", "21601", clock_b, 21601s},
    {"twenty_digits", "99999999999999999999", clock_b, max_duration},
    {"beyond_nanoseconds", "9223372037", clock_b, max_duration},
    {"the_largest_in_nanoseconds", "9223372036", clock_b, 9223372036s},
    {"an_instant_is_taken_for_seconds", "1743411600", clock_b, 1743411600s},
    {"date_two_seconds_ahead", "Fri, 31 Dec 1999 23:59:59 GMT", clock_a, 2s},
    {"a_day_ahead", "Tue, 04 Jun 2019 11:00:00 GMT", clock_b, 86400s},
    {"this_very_second", "Mon, 03 Jun 2019 11:00:00 GMT", clock_b, 0s},
    {"date_in_the_past", "Fri, 31 Dec 1999 23:59:00 GMT", clock_a, 0s},
    {"imf_date", "Mon, 03 Jun 2019 11:30:12 GMT", clock_b, 1812s},
    {"rfc850_date", "Monday, 03-Jun-19 11:30:12 GMT", clock_b, 1812s},
    {"asctime_date", "Mon Jun  3 11:30:12 2019", clock_b, 1812s},
    {"lenient_date", "Mon, 3 Jun 2019 11:00:00 UTC", clock_b, 0s},
    {"neither_form", "Sun Nov 06 1994 08:49:37 GMT", clock_b, none},
    {"leap_second", "Mon, 03 Jun 2019 11:59:60 GMT", clock_b, 3600s},
    {"two_digits_49_years_ahead", "Saturday, 03-Jun-68 11:00:00 GMT", clock_b,
     at("Sun, 03 Jun 2068 11:00:00 GMT") - clock_b},
    {"two_digits_51_years_ahead", "Wednesday, 03-Jun-70 11:00:00 GMT", clock_b, 0s},
    {"iso_8601", "2019-06-03T11:00:30Z", clock_b, 30s},
    {"the_end_of_the_calendar", "Fri, 31 Dec 9999 23:59:59 GMT", clock_b, max_duration},
};

class retry_after : public testing::TestWithParam<value_row> {};

TEST_P(retry_after, says) {
  EXPECT_EQ(parse_retry_after(GetParam().value, {}, GetParam().now), GetParam().wait);
}

INSTANTIATE_TEST_SUITE_P(value, retry_after, testing::ValuesIn(values),
                         [](const auto& with) { return std::string(with.param.name); });

TEST(server_delay, of_a_date_is_counted_by_the_servers_own_clock) {
  const header_list response{{"Date", "Mon, 03 Jun 2019 11:00:00 GMT"}};
  const auto wrong = clock_b + std::chrono::hours(3);
  EXPECT_EQ(parse_retry_after("Mon, 03 Jun 2019 11:00:10 GMT", response, wrong), duration(10s));
  EXPECT_EQ(parse_retry_after("Mon, 03 Jun 2019 11:00:10 GMT", {{"Date", "yesterday"}}, clock_b),
            duration(10s));
  EXPECT_EQ(parse_retry_after("Mon, 03 Jun 2019 11:00:10 GMT", {{"Date", "Thu, 01 Jan 1970 00:00:00 GMT"}},
                              clock_b),
            duration(10s))
      << "a clock that was never set";
}

TEST(server_delay, of_a_date_keeps_the_fraction_of_our_own_clock) {
  EXPECT_EQ(parse_retry_after("Mon, 03 Jun 2019 11:00:10 GMT", {}, clock_b + 250ms), duration(9750ms));
  EXPECT_EQ(parse_retry_after("Mon, 03 Jun 2019 11:00:00 GMT", {}, clock_b + 250ms), duration(0s));
  EXPECT_EQ(parse_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", {}, clock_b + 250ms), max_duration);
}

// A cache adds Age and leaves Date as it was.
TEST(server_delay, of_a_date_counts_how_long_a_cache_has_had_the_response) {
  const std::string_view date = "Mon, 03 Jun 2019 11:10:10 GMT";
  const auto wait_at_age = [date](const char* age) {
    return parse_retry_after(date, {{"Date", "Mon, 03 Jun 2019 11:00:00 GMT"}, {"Age", age}}, clock_b + 1h);
  };
  EXPECT_EQ(wait_at_age("0"), duration(610s));
  EXPECT_EQ(wait_at_age("600"), duration(10s));
  EXPECT_EQ(wait_at_age("3600"), duration(0s));
  EXPECT_EQ(wait_at_age("-1"), duration(610s)) << "no age";
  EXPECT_EQ(wait_at_age("99999999999999999999"), duration(0s)) << "absurd: by our own clock";
}

TEST(server_delay, takes_only_the_forms_of_the_rfc_if_told_so) {
  EXPECT_FALSE(parse_retry_after("Mon, 3 Jun 2019 11:00:00 UTC", {}, clock_b, false).has_value());
}

struct precedence_row {
  const char* name;
  header_list headers;
  std::optional<duration> wait;
  std::string_view header;
  friend void PrintTo(const precedence_row& one, std::ostream* to) { *to << one.name; }
};

const precedence_row precedences[] = {
    {"nothing", {}, none, ""},
    {"retry_after", {{"Retry-After", "3"}}, 3s, "retry-after"},
    {"the_first_of_two_lines", {{"Retry-After", "2"}, {"Retry-After", "3"}}, 2s, "retry-after"},
    {"milliseconds_first", {{"Retry-After", "3"}, {"retry-after-ms", "250"}}, 250ms, "retry-after-ms"},
    {"azure", {{"x-ms-retry-after-ms", "1500"}, {"Retry-After", "9"}}, 1500ms, "x-ms-retry-after-ms"},
    {"aws_in_milliseconds", {{"x-amz-retry-after", "5000"}}, 5s, "x-amz-retry-after"},
    {"milliseconds_that_say_nothing", {{"retry-after-ms", "-1"}, {"Retry-After", "4"}}, 4s, "retry-after"},
    {"milliseconds_that_overflow",
     {{"retry-after-ms", "99999999999999999999"}},
     max_duration,
     "retry-after-ms"},
    {"milliseconds_in_their_order",
     {{"x-amz-retry-after", "3"}, {"x-ms-retry-after-ms", "2"}, {"retry-after-ms", "1"}},
     1ms,
     "retry-after-ms"},
    {"azure_before_aws",
     {{"x-amz-retry-after", "3"}, {"x-ms-retry-after-ms", "2"}},
     2ms,
     "x-ms-retry-after-ms"},
    {"milliseconds_with_a_fraction", {{"retry-after-ms", "250.5"}}, 250500us, "retry-after-ms"},
    {"milliseconds_that_are_none", {{"retry-after-ms", "0"}, {"Retry-After", "3"}}, 0ms, "retry-after-ms"},
    {"over_rate_limit_though_a_word", {{"Retry-After", "soon"}, {"RateLimit", "\"d\";r=0;t=30"}}, none, ""},
    {"over_rate_limit_though_longer",
     {{"Retry-After", "90"}, {"RateLimit", "\"d\";r=0;t=30"}},
     90s,
     "retry-after"},
    {"rate_limit_of_a_cached_response", {{"Age", "5"}, {"RateLimit", "\"d\";r=0;t=30"}}, none, ""},
    {"x_rate_limit_of_a_cached_response",
     {{"Age", "5"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "7"}},
     none,
     ""},
    {"retry_after_of_a_cached_response", {{"Age", "5"}, {"Retry-After", "7"}}, 7s, "retry-after"},
    {"rate_limit_of_a_response_that_no_cache_had",
     {{"Age", "0"}, {"RateLimit", "\"d\";r=0;t=30"}},
     30s,
     "ratelimit"},
    {"rate_limit_over_x_rate_limit",
     {{"RateLimit", "\"d\";r=5;t=30"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "7"}},
     none,
     ""},
    {"three_fields_reset_of_one",
     {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "1"}},
     1s,
     "ratelimit-reset"},
    {"three_fields_reset_that_is_an_instant",
     {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "1559559603"}},
     3s,
     "ratelimit-reset"},
    {"x_retry_after_in_seconds", {{"X-RateLimit-Retry-After", "5"}}, 5s, "x-ratelimit-retry-after"},
    {"x_retry_after_is_never_an_instant",
     {{"X-RateLimit-Retry-After", "1559559603"}},
     1559559603s,
     "x-ratelimit-retry-after"},
    {"x_retry_after_over_reset",
     {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "7"}, {"X-RateLimit-Retry-After", "5"}},
     5s,
     "x-ratelimit-retry-after"},
    {"x_retry_after_that_says_nothing",
     {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "7"}, {"X-RateLimit-Retry-After", "-1"}},
     7s,
     "x-ratelimit-reset"},
    {"over_rate_limit", {{"Retry-After", "4"}, {"RateLimit", "\"d\";r=0;t=30"}}, 4s, "retry-after"},
    {"over_rate_limit_though_empty", {{"Retry-After", ""}, {"RateLimit", "\"d\";r=0;t=30"}}, none, ""},
    {"rate_limit_list", {{"RateLimit", "\"default\";r=0;t=30"}}, 30s, "ratelimit"},
    {"rate_limit_of_which_some_is_left", {{"RateLimit", "\"default\";r=50;t=30"}}, none, ""},
    {"rate_limit_with_a_token", {{"RateLimit", "quota;r=0;t=1"}}, 1s, "ratelimit"},
    {"the_longest_of_several",
     {{"RateLimit", "\"a\";r=0;t=5, \"b\";r=0;t=60"}, {"RateLimit", "\"c\";r=9;t=900"}},
     60s,
     "ratelimit"},
    {"rate_limit_dictionary", {{"RateLimit", "limit=100, remaining=0, reset=5"}}, 5s, "ratelimit"},
    {"three_fields",
     {{"RateLimit-Limit", "100"}, {"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "50"}},
     50s,
     "ratelimit-reset"},
    {"three_fields_some_left", {{"RateLimit-Remaining", "1"}, {"RateLimit-Reset", "50"}}, none, ""},
    {"no_falling_through",
     {{"RateLimit-Remaining", "0"},
      {"RateLimit-Reset", ""},
      {"X-RateLimit-Remaining", "0"},
      {"X-RateLimit-Reset", "7"}},
     none,
     ""},
    {"malformed_is_ignored", {{"RateLimit", "\"default\";r=0;t=30,"}}, none, ""},
    {"negative_reset_is_ignored", {{"RateLimit", "\"default\";r=0;t=-30"}}, none, ""},
    {"x_seconds_from_now",
     {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "7"}},
     7s,
     "x-ratelimit-reset"},
    {"x_seconds_since_1970",
     {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1559559602"}},
     2s,
     "x-ratelimit-reset"},
    {"x_milliseconds_since_1970",
     {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1559559602500"}},
     2500ms,
     "x-ratelimit-reset"},
    {"x_in_the_past",
     {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1559559000"}},
     0s,
     "x-ratelimit-reset"},
    {"x_some_left", {{"X-RateLimit-Remaining", "5"}, {"X-RateLimit-Reset", "7"}}, none, ""},
    {"x_without_remaining", {{"X-RateLimit-Reset", "7"}}, none, ""},
    {"x_reset_after",
     {{"X-RateLimit-Remaining", "0"},
      {"X-RateLimit-Reset", "1559559602"},
      {"X-RateLimit-Reset-After", "1.5"}},
     1500ms,
     "x-ratelimit-reset-after"},
    {"x_rate_limit",
     {{"X-Rate-Limit-Remaining", "0"}, {"X-Rate-Limit-Reset", "1559559602"}},
     2s,
     "x-rate-limit-reset"},
    {"x_text", {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "6m0s"}}, none, ""},
};

class delay_precedence : public testing::TestWithParam<precedence_row> {};

TEST_P(delay_precedence, is) {
  const auto found = server_delay_in(GetParam().headers, clock_b);
  ASSERT_EQ(found.has_value(), GetParam().wait.has_value());
  if (!found) return;
  EXPECT_LT(found->wait - *GetParam().wait < duration::zero() ? *GetParam().wait - found->wait
                                                              : found->wait - *GetParam().wait,
            1us);
  EXPECT_EQ(found->header, GetParam().header);
}

INSTANTIATE_TEST_SUITE_P(of, delay_precedence, testing::ValuesIn(precedences),
                         [](const auto& with) { return std::string(with.param.name); });

TEST(server_delay, leaves_out_what_the_rules_switch_off) {
  const header_list all{{"retry-after-ms", "1"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "7"}};
  EXPECT_EQ(server_delay_in(all, clock_b, {.vendor_headers = false})->wait, duration(7s));
  EXPECT_FALSE(server_delay_in(all, clock_b, {.vendor_headers = false, .x_rate_limit = false}).has_value());
  EXPECT_FALSE(
      server_delay_in({{"X-RateLimit-Retry-After", "3"}}, clock_b, {.x_rate_limit = false}).has_value());
  EXPECT_FALSE(server_delay_in({{"RateLimit", "\"d\";r=0;t=3"}}, clock_b, {.rate_limit = false}).has_value());
}

RC_GTEST_PROP(server_delays, are_never_negative_whatever_the_text, (const std::string& text)) {
  for (const char* name : {"Retry-After", "retry-after-ms", "RateLimit", "X-RateLimit-Reset"}) {
    const header_list response{{name, text}, {"X-RateLimit-Remaining", "0"}, {"Date", text}};
    const auto found = server_delay_in(response, clock_b);
    if (found) RC_ASSERT(found->wait >= duration::zero());
  }
}

RC_GTEST_PROP(server_delays, of_digits_are_seconds_or_the_longest, (std::uint64_t count)) {
  const auto found = parse_retry_after(std::to_string(count), {}, clock_b);
  RC_ASSERT(found.has_value());
  const bool fits = count <= 9223372036;
  RC_ASSERT(*found ==
            (fits ? duration(std::chrono::seconds(static_cast<std::int64_t>(count))) : max_duration));
}

RC_GTEST_PROP(server_delays, of_a_date_that_far_ahead_are_that_long, ()) {
  const auto ahead = *rc::gen::inRange<std::int64_t>(0, 4'000'000'000);
  const auto date =
      format_date(std::chrono::floor<std::chrono::seconds>(clock_b) + std::chrono::seconds(ahead));
  RC_ASSERT(parse_retry_after(date, {}, clock_b) == std::optional<duration>(std::chrono::seconds(ahead)));
}

}  // namespace
