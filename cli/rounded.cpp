// SPDX-License-Identifier: Apache-2.0
// Rounding to the digits that matter.
#include "rounded.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace relent::cli {
namespace {

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t second = 1'000 * millisecond;

/// value / unit with at most `decimals` decimals, without trailing zeros.
std::string trimmed(std::int64_t value, std::int64_t unit, int decimals) {
  std::string text = fmt::format("{:.{}f}", static_cast<double>(value) / static_cast<double>(unit), decimals);
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

/// "2m05s"; the smaller part is left out when it is zero.
std::string pair_of(std::int64_t larger, char larger_unit, std::int64_t smaller, char smaller_unit) {
  if (smaller == 0) return fmt::format("{}{}", larger, larger_unit);
  return fmt::format("{}{}{:02}{}", larger, larger_unit, smaller, smaller_unit);
}

}  // namespace

std::string rounded(duration length) {
  const std::int64_t n = length.count() > 0 ? length.count() : 0;
  // Each limit is where rounding would reach the next form: 999.5 ms is "1s", not "1000ms".
  if (n < 10 * millisecond - millisecond / 20) return trimmed(n, millisecond, 1) + "ms";
  if (n < second - millisecond / 2) return trimmed(n, millisecond, 0) + "ms";
  if (n < 10 * second - second / 200) return trimmed(n, second, 2) + "s";
  if (n < 60 * second - second / 20) return trimmed(n, second, 1) + "s";
  const std::int64_t seconds = n / second + (n % second >= second / 2 ? 1 : 0);
  if (seconds < 3600) return pair_of(seconds / 60, 'm', seconds % 60, 's');
  const std::int64_t minutes = seconds / 60 + (seconds % 60 >= 30 ? 1 : 0);
  return pair_of(minutes / 60, 'h', minutes % 60, 'm');
}

}  // namespace relent::cli
