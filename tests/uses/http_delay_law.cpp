// SPDX-License-Identifier: Apache-2.0
// What holds of every date and of every wait that a server asks for.
#include <relent/http/date.hpp>
#include <relent/http/server_delay.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace relent::http;
using relent::duration;
using relent::max_duration;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::system_clock;
using std::chrono::year;

constexpr sys_seconds today = sys_days(year(2026) / 12 / 1);

/// A second of the years 0 to 9999, more often than not close to a change of day, year or century.
sys_seconds any_second() {
  const auto near = *rc::gen::inRange<std::int64_t>(-90'000, 90'000);
  const auto around = static_cast<int>(*rc::gen::inRange(1, 9999));
  const auto plain = *rc::gen::inRange<std::int64_t>(-62167219200, 253402300800);
  return *rc::gen::elementOf(std::vector<sys_seconds>{sys_seconds(seconds(plain)),
                                                      sys_days(year(around) / 1 / 1) + seconds(near),
                                                      sys_days(year(around) / 3 / 1) + seconds(near)});
}

/// The other two forms of RFC 9110, put together from the first.
std::string asctime_of(const std::string& imf) {
  const std::string day = imf[5] == '0' ? " " + imf.substr(6, 1) : imf.substr(5, 2);
  return imf.substr(0, 3) + " " + imf.substr(8, 3) + " " + day + " " + imf.substr(17, 8) + " " +
         imf.substr(12, 4);
}

std::string rfc850_of(const std::string& imf) {
  constexpr std::array<std::string_view, 7> days{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                 "Friday", "Saturday", "Sunday"};
  std::string text;
  for (const std::string_view day : days)
    if (imf.starts_with(day.substr(0, 3))) text = day;
  return text + ", " + imf.substr(5, 2) + "-" + imf.substr(8, 3) + "-" + imf.substr(14, 2) + imf.substr(16);
}

RC_GTEST_PROP(http_date_law, what_is_written_reads_back, ()) {
  const sys_seconds instant = any_second();
  const std::string text = format_date(instant);
  RC_ASSERT(text.size() == 29U);
  for (const date_forms forms : {date_forms::strict, date_forms::lenient})
    RC_ASSERT(parse_date(text, today, forms) == std::optional(instant));
}

RC_GTEST_PROP(http_date_law, asctime_says_the_same, ()) {
  const sys_seconds instant = any_second();
  RC_ASSERT(parse_date(asctime_of(format_date(instant)), today) == std::optional(instant));
}

RC_GTEST_PROP(http_date_law, rfc850_says_the_same_from_50_years_back_to_50_ahead, ()) {
  const auto off = *rc::gen::inRange<std::int64_t>(-49LL * 366 * 86400, 49LL * 365 * 86400);
  const sys_seconds instant = today + seconds(off);
  RC_ASSERT(parse_date(rfc850_of(format_date(instant)), today) == std::optional(instant));
}

// RFC 9110 section 5.6.7: more than 50 years ahead is taken for the most recent year in the past with those digits.
RC_GTEST_PROP(http_date_law, two_digits_of_a_year_are_never_more_than_50_years_ahead, ()) {
  const sys_seconds now = any_second();
  const auto clock = system_clock::time_point(seconds(*rc::gen::inRange<std::int64_t>(0, 7'000'000'000)));
  const auto found = parse_date(rfc850_of(format_date(now)), clock);
  if (!found) return;  // the 29th of February in a year that has none
  const std::chrono::year_month_day here(std::chrono::floor<std::chrono::days>(clock));
  const auto since_midnight = clock - std::chrono::floor<std::chrono::days>(clock);
  const auto latest =
      std::chrono::year_month_day(here.year() + std::chrono::years(50), here.month(), here.day());
  // The 29th of February of a year that has none overflows into March, as the calendar's arithmetic has it.
  RC_ASSERT(*found <= sys_days(latest) + since_midnight);
  RC_ASSERT(*found > sys_days(latest) + since_midnight - std::chrono::days(36526));
}

RC_GTEST_PROP(http_date_law, the_29th_of_february_is_in_leap_years_only, ()) {
  const int y = *rc::gen::inRange(0, 10000);
  const std::string four = std::to_string(10000 + y).substr(1);
  RC_ASSERT(parse_date("Thu, 29 Feb " + four + " 12:00:00 GMT", today).has_value() == year(y).is_leap());
  RC_ASSERT(parse_date("Thu, 28 Feb " + four + " 12:00:00 GMT", today).has_value());
  RC_ASSERT(!parse_date("Thu, 30 Feb " + four + " 12:00:00 GMT", today).has_value());
}

RC_GTEST_PROP(http_date_law, second_60_is_the_one_after_59, ()) {
  const std::string text = format_date(any_second());
  const std::string minute = text.substr(0, 23);
  const auto at_59 = parse_date(minute + "59 GMT", today);
  RC_ASSERT(at_59.has_value());
  RC_ASSERT(parse_date(minute + "60 GMT", today) == std::optional(*at_59 + seconds(1)));
  RC_ASSERT(!parse_date(minute + "61 GMT", today).has_value());
}

RC_GTEST_PROP(http_date_law, one_octet_changed_is_another_date_or_none, (char octet)) {
  const sys_seconds instant = any_second();
  const std::string whole = format_date(instant);
  const auto place = *rc::gen::inRange<std::size_t>(3, whole.size());  // the weekday is not compared
  std::string changed = whole;
  changed[place] = octet;
  if (changed == whole) return;
  RC_ASSERT(parse_date(changed, today) != std::optional(instant));
}

RC_GTEST_PROP(http_date_law, octets_give_no_date_that_is_not_lenient_too, (const std::string& text)) {
  const auto strict = parse_date(text, today);
  if (strict) RC_ASSERT(parse_date(text, today, date_forms::lenient) == strict);
}

// --- waits

/// Texts that are close to what is understood, and some that are not.
std::string any_value() {
  const std::string digits = std::to_string(*rc::gen::arbitrary<std::uint64_t>());
  const std::string date = format_date(any_second());
  return *rc::gen::elementOf(std::vector<std::string>{
      digits, digits + digits, "-" + digits, "+" + digits, digits + ".5", "." + digits, date,
      asctime_of(date), rfc850_of(date), date.substr(0, digits.size()), "", " ", "\"d\";r=0;t=" + digits,
      "remaining=0, reset=" + digits, *rc::gen::arbitrary<std::string>()});
}

header_list any_response() {
  constexpr std::array<std::string_view, 16> names{"Retry-After",
                                                   "retry-after-ms",
                                                   "x-ms-retry-after-ms",
                                                   "x-amz-retry-after",
                                                   "RateLimit",
                                                   "RateLimit-Remaining",
                                                   "RateLimit-Reset",
                                                   "X-RateLimit-Remaining",
                                                   "X-RateLimit-Reset",
                                                   "X-RateLimit-Reset-After",
                                                   "X-RateLimit-Retry-After",
                                                   "X-Rate-Limit-Remaining",
                                                   "X-Rate-Limit-Reset",
                                                   "Date",
                                                   "Age",
                                                   "Content-Type"};
  header_list response;
  const auto lines = *rc::gen::inRange(0, 8);
  for (int i = 0; i < lines; ++i) {
    const std::string_view name = *rc::gen::elementOf(std::vector(names.begin(), names.end()));
    const bool counts = name.find("Remaining") != std::string_view::npos;
    response.add(name, counts ? *rc::gen::elementOf(std::vector<std::string>{"0", "1", "x"}) : any_value());
  }
  return response;
}

system_clock::time_point any_clock() {
  return system_clock::time_point(duration(*rc::gen::inRange<std::int64_t>(0, 9'000'000'000'000'000'000)));
}

RC_GTEST_PROP(server_delay_law, is_never_negative_and_names_a_field_that_is_there, ()) {
  const header_list response = any_response();
  const auto delay = server_delay_in(response, any_clock());
  if (!delay) return;
  RC_ASSERT(delay->wait >= duration::zero());
  RC_ASSERT(response.contains(delay->header));
}

RC_GTEST_PROP(server_delay_law, retry_after_shuts_out_every_limit, ()) {
  header_list response = any_response();
  response.set("Retry-After", any_value());
  const auto delay = server_delay_in(response, any_clock());
  if (delay) RC_ASSERT(delay->header.find("limit") == std::string_view::npos);
}

RC_GTEST_PROP(server_delay_law, what_is_switched_off_is_as_good_as_absent, ()) {
  const header_list response = any_response();
  const system_clock::time_point clock = any_clock();
  header_list plain = response;
  for (const char* name :
       {"retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after", "RateLimit", "RateLimit-Remaining",
        "X-RateLimit-Remaining", "X-Rate-Limit-Remaining", "X-RateLimit-Retry-After"})
    plain.remove(name);
  const auto off =
      server_delay_in(response, clock, {.vendor_headers = false, .rate_limit = false, .x_rate_limit = false});
  const auto absent = server_delay_in(plain, clock);
  RC_ASSERT(off.has_value() == absent.has_value());
  if (off) RC_ASSERT(off->wait == absent->wait && off->header == absent->header);
}

RC_GTEST_PROP(server_delay_law, of_digits_depends_on_no_clock, ()) {
  const std::string digits = std::to_string(*rc::gen::arbitrary<std::uint64_t>());
  const header_list dated{{"Date", format_date(any_second())}};
  RC_ASSERT(parse_retry_after(digits, dated, any_clock()) == parse_retry_after(digits, {}, today));
}

RC_GTEST_PROP(server_delay_law, of_a_date_depends_on_the_servers_clock_alone, ()) {
  const auto server = today + seconds(*rc::gen::inRange<std::int64_t>(-1'000'000'000, 5'000'000'000));
  const auto ahead = *rc::gen::inRange<std::int64_t>(-1000, 4'000'000'000);
  const auto age = *rc::gen::inRange<std::int64_t>(0, 10'000);
  const header_list response{{"Date", format_date(server)}, {"Age", std::to_string(age)}};
  const auto due = seconds(ahead > age ? ahead - age : 0);
  RC_ASSERT(parse_retry_after(format_date(server + seconds(ahead)), response, any_clock()) ==
            std::optional<duration>(due));
}

RC_GTEST_PROP(server_delay_law, a_later_date_is_never_a_shorter_wait, ()) {
  const system_clock::time_point clock = any_clock();
  const sys_seconds a = any_second();
  const sys_seconds b = any_second();
  const auto wait_a = parse_retry_after(format_date(a), {}, clock);
  const auto wait_b = parse_retry_after(format_date(b), {}, clock);
  RC_ASSERT(wait_a.has_value());
  RC_ASSERT(wait_b.has_value());
  RC_ASSERT((a <= b ? *wait_a <= *wait_b : *wait_a >= *wait_b));
}

RC_GTEST_PROP(server_delay_law, too_many_digits_are_the_longest_wait, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(11, 200);
  const std::string digits(size, '9');
  for (const char* name : {"Retry-After", "X-RateLimit-Retry-After", "retry-after-ms"}) {
    const auto delay = server_delay_in({{name, "999" + digits}}, today);
    RC_ASSERT(delay.has_value());
    RC_ASSERT(delay->wait == max_duration);
  }
}

}  // namespace
