// SPDX-License-Identifier: Apache-2.0
// HTTP dates, form by form.
#include <relent/http/date.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

namespace {

using namespace relent::http;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::system_clock;
using std::chrono::year;

constexpr system_clock::time_point on(int y, unsigned m, unsigned d) {
  return sys_days(year(y) / static_cast<int>(m) / static_cast<int>(d));
}
constexpr system_clock::time_point december = on(2026, 12, 1);
constexpr system_clock::time_point october = on(2026, 10, 1);

constexpr std::nullopt_t no = std::nullopt;

struct row {
  const char* name;
  const char* text;
  system_clock::time_point now;
  std::optional<long long> strict;  ///< seconds since 1970
  std::optional<long long> lenient;
  friend void PrintTo(const row& one, std::ostream* to) { *to << one.text; }
};

const row rows[] = {
    {"imf_fixdate", "Sun, 06 Nov 1994 08:49:37 GMT", december, 784111777, 784111777},
    {"rfc850", "Sunday, 06-Nov-94 08:49:37 GMT", december, 784111777, 784111777},
    {"asctime", "Sun Nov  6 08:49:37 1994", december, 784111777, 784111777},
    {"asctime_two_digits", "Sun Nov 16 08:49:37 1994", december, 784975777, 784975777},
    {"rfc850_49_years_ahead", "Friday, 06-Nov-76 08:49:37 GMT", december, 3371878177, 3371878177},
    {"rfc850_50_years_and_a_month_ahead", "Friday, 06-Nov-76 08:49:37 GMT", october, 216118177, 216118177},
    {"rfc850_50_years_ahead_to_the_second", "Tuesday, 01-Dec-76 00:00:00 GMT", december, 3374006400,
     3374006400},
    {"rfc850_a_second_more", "Tuesday, 01-Dec-76 00:00:01 GMT", december, 218246401, 218246401},
    {"rfc850_of_the_next_century", "Friday, 01-Jan-27 00:00:00 GMT", on(2099, 12, 1), 4954435200, 4954435200},
    {"rfc850_small_letters", "sunday, 06-nov-94 08:49:37 gmt", december, no, 784111777},
    {"leap_second", "Sat, 31 Dec 2016 23:59:60 GMT", december, 1483228800, 1483228800},
    {"second_61", "Sat, 31 Dec 2016 23:59:61 GMT", december, no, no},
    {"hour_24", "Sat, 31 Dec 2016 24:00:00 GMT", december, no, no},
    {"leap_day", "Thu, 29 Feb 2024 12:00:00 GMT", december, 1709208000, 1709208000},
    {"no_leap_day", "Thu, 29 Feb 2023 12:00:00 GMT", december, no, no},
    {"no_leap_day_in_1900", "Thu, 29 Feb 1900 12:00:00 GMT", december, no, no},
    {"leap_day_in_2000", "Tue, 29 Feb 2000 00:00:00 GMT", december, 951782400, 951782400},
    {"year_0", "Sat, 01 Jan 0000 00:00:00 GMT", december, -62167219200, -62167219200},
    {"year_9999", "Fri, 31 Dec 9999 23:59:59 GMT", december, 253402300799, 253402300799},
    {"another_weekday", "Mon, 06 Nov 1994 08:49:37 GMT", december, 784111777, 784111777},
    {"no_weekday", "Xyz, 06 Nov 1994 08:49:37 GMT", december, no, no},
    {"utc", "Sun, 06 Nov 1994 08:49:37 UTC", december, no, 784111777},
    {"offset", "Sun, 06 Nov 1994 08:49:37 +0000", december, no, 784111777},
    {"offset_west", "Sun, 06 Nov 1994 03:49:37 -0500", december, no, 784111777},
    {"small_letters", "sun, 06 nov 1994 08:49:37 gmt", december, no, 784111777},
    {"one_digit_day", "Sun, 6 Nov 1994 08:49:37 GMT", december, no, 784111777},
    {"without_weekday", "06 Nov 1994 08:49:37 GMT", december, no, 784111777},
    {"iso_8601", "1994-11-06T08:49:37Z", december, no, 784111777},
    {"iso_8601_fraction_and_offset", "1994-11-06T09:49:37.250+01:00", december, no, 784111777},
    {"iso_8601_without_zone", "1994-11-06T08:49:37", december, no, no},
    {"asctime_with_a_zone", "Sun Nov 06 1994 08:49:37 GMT", december, no, no},
    {"blank_before", " Sun, 06 Nov 1994 08:49:37 GMT", december, no, no},
    {"something_behind", "Sun, 06 Nov 1994 08:49:37 GMT;", december, no, no},
    {"two_blanks", "Sun,  06 Nov 1994 08:49:37 GMT", december, no, no},
    {"short", "Sun, 06 Nov 1994", december, no, no},
    {"digits", "120", december, no, no},
    {"negative", "-5", december, no, no},
    {"empty", "", december, no, no},
};

class http_date : public testing::TestWithParam<row> {};

std::optional<long long> seconds(std::optional<sys_seconds> instant) {
  return instant ? std::optional<long long>(instant->time_since_epoch().count()) : std::nullopt;
}

TEST_P(http_date, is_read_to_the_letter) {
  EXPECT_EQ(seconds(parse_date(GetParam().text, GetParam().now)), GetParam().strict);
}

TEST_P(http_date, is_read_leniently) {
  EXPECT_EQ(seconds(parse_date(GetParam().text, GetParam().now, date_forms::lenient)), GetParam().lenient);
}

INSTANTIATE_TEST_SUITE_P(form, http_date, testing::ValuesIn(rows),
                         [](const auto& with) { return std::string(with.param.name); });

TEST(http_dates, are_written_as_imf_fixdate) {
  EXPECT_EQ(format_date(sys_seconds(std::chrono::seconds(784111777))), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_date(sys_seconds::max()), "Fri, 31 Dec 9999 23:59:59 GMT");
  EXPECT_EQ(format_date(sys_seconds::min()), "Sat, 01 Jan 0000 00:00:00 GMT");
}

RC_GTEST_PROP(http_dates, read_back_as_they_were_written, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(-62167219200, 253402300800);
  const sys_seconds instant{std::chrono::seconds(count)};
  RC_ASSERT(parse_date(format_date(instant), december) == std::optional(instant));
}

RC_GTEST_PROP(http_dates, of_two_digits_lie_between_50_years_back_and_ahead, (std::uint8_t drawn)) {
  const std::string two = std::to_string(100 + drawn % 100).substr(1);
  const auto found = parse_date("Monday, 28-Feb-" + two + " 00:00:00 GMT", october);
  RC_ASSERT(found.has_value());
  RC_ASSERT(*found <= on(2076, 10, 1));
  RC_ASSERT(*found > on(1976, 2, 27));
}

RC_GTEST_PROP(http_dates, are_not_found_in_what_is_cut_short, ()) {
  const std::string whole = "Sun, 06 Nov 1994 08:49:37 GMT";
  const auto size = *rc::gen::inRange<std::size_t>(0, whole.size());
  RC_ASSERT(!parse_date(whole.substr(0, size), december));
}

}  // namespace
