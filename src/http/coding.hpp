// SPDX-License-Identifier: Apache-2.0
// Base64 (RFC 4648) and UTF-8 (RFC 3629), as far as header fields need them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relent::http::detail {

constexpr int base64_digit(char c) noexcept {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t place = digits.find(c);
  return place == std::string_view::npos ? -1 : static_cast<int>(place);
}

/// Padding may be absent, and bits that say nothing may be anything (RFC 9651 section 4.2.7).
inline std::optional<std::string> decode_base64(std::string_view text) {
  if (text.ends_with('=') && text.size() % 4 != 0) return std::nullopt;
  if (text.ends_with('=')) text.remove_suffix(text.ends_with("==") ? 2 : 1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) return std::nullopt;
    held = (held << 6U | static_cast<unsigned>(digit)) & 0xffffU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> static_cast<unsigned>(bits) & 0xffU);
  }
  return bytes;
}

/// Whether it is UTF-8 (RFC 3629): no overlong form, no surrogate, nothing beyond U+10FFFF.
constexpr bool is_utf8(std::string_view text) noexcept {
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t size = first < 0x80        ? 1
                             : first >> 5U == 6  ? 2
                             : first >> 4U == 14 ? 3
                             : first >> 3U == 30 ? 4
                                                 : 0;
    if (size == 0 || i + size > text.size()) return false;
    std::uint32_t point = size == 1 ? first : first & (0x7fU >> size);
    for (std::size_t k = 1; k < size; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if (next >> 6U != 2) return false;
      point = point << 6U | (next & 0x3fU);
    }
    if (point < least.at(size) || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return false;
    i += size;
  }
  return true;
}

}  // namespace relent::http::detail
