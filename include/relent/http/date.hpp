// SPDX-License-Identifier: Apache-2.0
// HTTP dates (RFC 9110 section 5.6.7) as instants, and back. No clock is read here. Target relent::http.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relent::http {

/// Which ways of writing a date are understood.
enum class date_forms : std::uint8_t {
  /// The three of RFC 9110: IMF-fixdate, rfc850-date, asctime-date, to the letter.
  strict,
  /// And what servers write besides: UTC or an offset for GMT, a day of one digit, letters in any case, and
  /// ISO 8601 ("2026-12-01T08:00:00Z").
  lenient,
};

/// The instant that a text without outer blanks names; nothing if it names none. `now` decides about two-digit years:
/// one that would lie more than 50 years ahead is of the past century. A second of 60 is the one after 59; the
/// weekday's name must be one, but not that of the date. Thread-safe.
std::optional<std::chrono::sys_seconds> parse_date(std::string_view text,
                                                   std::chrono::system_clock::time_point now,
                                                   date_forms forms = date_forms::strict) noexcept;

/// "Sun, 06 Nov 1994 08:49:37 GMT". Of the years 0 to 9999; instants beyond are brought to the nearest of them.
/// Thread-safe.
std::string format_date(std::chrono::sys_seconds instant);

}  // namespace relent::http
