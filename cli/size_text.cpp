// SPDX-License-Identifier: Apache-2.0
// One table of units, read both ways.
#include "size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace relent::cli {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::uint64_t k = 1000;
constexpr std::uint64_t ki = 1024;
constexpr unit units[] = {
    {"TiB", ki* ki* ki* ki},
    {"TB", k* k* k* k},
    {"GiB", ki* ki* ki},
    {"GB", k* k* k},
    {"MiB", ki* ki},
    {"MB", k* k},
    {"KiB", ki},
    {"kB", k},
    {"B", 1},
};

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

size_parse parse_size(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, digits);
  const std::string_view word = text.substr(digits);
  double amount = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), amount, std::chars_format::fixed);
  if (number.empty() || error != std::errc{} || end != number.data() + number.size())
    return {std::nullopt, "is not an amount of bytes: write 64KiB, 10MB or 1GB"};
  if (word.empty()) return {std::nullopt, "has no unit: write 64KiB, 10MB or 1GB"};
  for (const unit& each : units) {
    if (!same_word(each.name, word)) continue;
    const double bytes = amount * static_cast<double>(each.bytes);
    if (bytes >= 0x1p62) return {std::nullopt, "is more than can be counted"};
    return {static_cast<std::uint64_t>(std::llround(bytes)), {}};
  }
  return {std::nullopt, "has an unknown unit: write B, kB, MB, GB, KiB, MiB or GiB"};
}

std::string size_to_text(std::uint64_t bytes) {
  for (const unit& each : units)
    if (bytes >= each.bytes && bytes % each.bytes == 0)
      return fmt::format("{}{}", bytes / each.bytes, each.name);
  return "0B";
}

}  // namespace relent::cli
