// SPDX-License-Identifier: Apache-2.0
// Retry-After, and what goes before and behind it.
#include <relent/http/server_delay.hpp>

#include <relent/http/date.hpp>
#include <relent/http/rate_limit.hpp>

#include "number.hpp"

#include <array>

namespace relent::http {
namespace {

using std::chrono::system_clock;

/// Fields of milliseconds, whatever their name says.
constexpr std::array<std::string_view, 3> in_milliseconds{"retry-after-ms", "x-ms-retry-after-ms",
                                                          "x-amz-retry-after"};

std::optional<server_delay> vendor_delay(const header_list& response) noexcept {
  for (const std::string_view name : in_milliseconds) {
    const std::optional<std::string_view> text = response.first(name);
    if (!text) continue;
    if (const auto whole = detail::natural_number(*text))
      return server_delay{detail::milliseconds_of(*whole), name};
    if (const auto count = detail::decimal_number(*text))
      return server_delay{detail::milliseconds_of(*count), name};
  }
  return std::nullopt;
}

/// A field beside the X-RateLimit family that needs no "nothing remains": it says when to retry.
std::optional<server_delay> x_retry_after(const header_list& response) noexcept {
  constexpr std::string_view name = "x-ratelimit-retry-after";
  const std::optional<std::string_view> text = response.first(name);
  const auto count = text ? detail::decimal_number(*text) : std::nullopt;
  if (!count) return std::nullopt;
  return server_delay{detail::seconds_of(*count), name};
}

/// For how long a cache has had the response, in seconds (RFC 9111 section 5.1).
std::uint64_t age_of(const header_list& response) noexcept {
  const std::optional<std::string_view> text = response.first("age");
  return text ? detail::natural_number(*text).value_or(0) : 0;
}

std::optional<server_delay> delay_of(const std::optional<rate_limit>& limit) noexcept {
  if (!limit || limit->remaining > 0 || !limit->reset) return std::nullopt;
  return server_delay{*limit->reset, limit->header};
}

duration until(std::chrono::sys_seconds instant, system_clock::time_point now) noexcept {
  // By seconds first: the far ends of the calendar do not fit in nanoseconds.
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  if (instant <= whole) return duration::zero();
  const auto count = static_cast<std::uint64_t>((instant - whole).count());
  return detail::from(now, detail::seconds_of(count));
}

}  // namespace

system_clock::time_point server_now(const header_list& response, system_clock::time_point wall_now) noexcept {
  constexpr std::chrono::sys_seconds least = std::chrono::sys_days(std::chrono::year(1990) / 1 / 1);
  constexpr std::chrono::sys_seconds most = std::chrono::sys_days(std::chrono::year(2200) / 1 / 1);
  const std::optional<std::string_view> text = response.first("date");
  const auto date = text ? parse_date(*text, wall_now, date_forms::lenient) : std::nullopt;
  if (!date || *date < least || *date >= most) return wall_now;
  const std::uint64_t age = age_of(response);
  if (age >= static_cast<std::uint64_t>((most - *date).count())) return wall_now;
  return *date + std::chrono::seconds(age);
}

std::optional<duration> parse_retry_after(std::string_view value, const header_list& response,
                                          system_clock::time_point wall_now, bool lenient_dates) noexcept {
  value = trimmed(value);
  if (const auto seconds = detail::natural_number(value)) return detail::seconds_of(*seconds);
  const system_clock::time_point now = server_now(response, wall_now);
  const auto date = parse_date(value, now, lenient_dates ? date_forms::lenient : date_forms::strict);
  if (!date) return std::nullopt;
  return until(*date, now);
}

std::optional<server_delay> server_delay_in(const header_list& response, system_clock::time_point wall_now,
                                            const delay_rules& rules) {
  if (rules.vendor_headers)
    if (const auto delay = vendor_delay(response)) return delay;
  if (const std::optional<std::string_view> text = response.first("retry-after")) {
    const auto wait = parse_retry_after(*text, response, wall_now, rules.lenient_dates);
    return wait ? std::optional(server_delay{*wait, "retry-after"}) : std::nullopt;
  }
  if (age_of(response) > 0) return std::nullopt;
  const system_clock::time_point now = server_now(response, wall_now);
  if (rules.rate_limit)
    if (const auto limit = rate_limit_in(response, now)) return delay_of(limit);
  if (!rules.x_rate_limit) return std::nullopt;
  if (const auto delay = x_retry_after(response)) return delay;
  return delay_of(x_rate_limit_in(response, now));
}

}  // namespace relent::http
