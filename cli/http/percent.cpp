// SPDX-License-Identifier: Apache-2.0
// Two encodings.
#include "percent.hpp"

#include <cstddef>
#include <cstdint>

namespace relent::cli {
namespace {

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

constexpr std::string_view digits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c))
      encoded += c;
    else
      encoded.append(1, '%').append(1, hex[byte >> 4U]).append(1, hex[byte & 15U]);
  }
  return encoded;
}

std::string base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j < bytes.size() + 1 ? digits64[three >> (18U - 6U * j) & 63U] : '=';
  }
  return text;
}

}  // namespace relent::cli
