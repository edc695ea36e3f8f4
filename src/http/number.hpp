// SPDX-License-Identifier: Apache-2.0
// Numbers in header fields, and the durations that they mean. Nothing overflows: what is too large is the largest.
#pragma once

#include "scan.hpp"

#include <relent/time.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace relent::http::detail {

/// One or more digits and nothing else; saturates.
constexpr std::optional<std::uint64_t> natural_number(std::string_view text) noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value > (most - digit) / 10 ? most : value * 10 + digit;
  }
  return value;
}

/// The same with a fraction, if there is one: "1743411600.25".
constexpr std::optional<double> decimal_number(std::string_view text) noexcept {
  const std::size_t point = text.find('.');
  const auto whole = natural_number(text.substr(0, point));
  if (!whole) return std::nullopt;
  if (point == std::string_view::npos) return static_cast<double>(*whole);
  const std::string_view fraction = text.substr(point + 1);
  if (fraction.empty()) return std::nullopt;
  double part = 0;
  for (std::size_t i = fraction.size(); i-- > 0;) {
    if (!is_digit(fraction[i])) return std::nullopt;
    part = (part + (fraction[i] - '0')) / 10;
  }
  return static_cast<double>(*whole) + part;
}

constexpr duration times(std::uint64_t count, duration unit) noexcept {
  const auto most = static_cast<std::uint64_t>(max_duration / unit);
  return count > most ? max_duration : static_cast<std::int64_t>(count) * unit;
}

constexpr duration seconds_of(std::uint64_t count) noexcept { return times(count, std::chrono::seconds(1)); }
constexpr duration milliseconds_of(std::uint64_t count) noexcept {
  return times(count, std::chrono::milliseconds(1));
}

/// Never negative.
constexpr duration seconds_of(double count) noexcept { return saturate(count * 1e9); }
constexpr duration milliseconds_of(double count) noexcept { return saturate(count * 1e6); }

/// From `now` to an instant so long after the second in which `now` lies. The longest stays the longest.
constexpr duration from(std::chrono::system_clock::time_point now, duration after_its_second) noexcept {
  const duration passed = now - std::chrono::floor<std::chrono::seconds>(now);
  if (after_its_second == max_duration) return max_duration;
  return after_its_second > passed ? after_its_second - passed : duration::zero();
}

}  // namespace relent::http::detail
