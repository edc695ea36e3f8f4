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

/// Fields of whole milliseconds, whatever their name says.
constexpr std::array<std::string_view, 3> in_milliseconds{"retry-after-ms", "x-ms-retry-after-ms",
                                                          "x-amz-retry-after"};

std::optional<server_delay> vendor_delay(const header_list& response) noexcept {
  for (const std::string_view name : in_milliseconds) {
    const std::optional<std::string_view> text = response.first(name);
    const auto count = text ? detail::natural_number(*text) : std::nullopt;
    if (count) return server_delay{detail::milliseconds_of(*count), name};
  }
  return std::nullopt;
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
  return detail::seconds_of(count) - std::chrono::duration_cast<duration>(now - whole);
}

}  // namespace

system_clock::time_point server_now(const header_list& response, system_clock::time_point wall_now) noexcept {
  constexpr std::chrono::sys_seconds least = std::chrono::sys_days(std::chrono::year(1990) / 1 / 1);
  constexpr std::chrono::sys_seconds most = std::chrono::sys_days(std::chrono::year(2200) / 1 / 1);
  const std::optional<std::string_view> text = response.first("date");
  const auto date = text ? parse_date(*text, wall_now, date_forms::lenient) : std::nullopt;
  return date && *date >= least && *date < most ? system_clock::time_point(*date) : wall_now;
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
  if (rules.rate_limit)
    if (const auto limit = rate_limit_in(response)) return delay_of(limit);
  if (rules.x_rate_limit) return delay_of(x_rate_limit_in(response, server_now(response, wall_now)));
  return std::nullopt;
}

}  // namespace relent::http
