// SPDX-License-Identifier: Apache-2.0
// Checking and making idempotency keys.
#pragma once

#include <relent/idempotency_key.hpp>

#include <stdexcept>
#include <string>

namespace relent {

RELENT_INLINE idempotency_key::idempotency_key(std::string_view text) {
  if (text.empty() || text.size() > max_size)
    throw std::invalid_argument("idempotency key: must have 1 to 255 characters, has " +
                                std::to_string(text.size()));
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] < '!' || text[i] > '~')
      throw std::invalid_argument("idempotency key: character " + std::to_string(i + 1) +
                                  " is not visible ASCII");
    text_[i] = text[i];
  }
  size_ = static_cast<std::uint8_t>(text.size());
}

RELENT_INLINE idempotency_key idempotency_key::make(std::chrono::system_clock::time_point wall_now,
                                                    random_ref random) {
  const auto since_1970 = std::chrono::duration_cast<std::chrono::milliseconds>(wall_now.time_since_epoch());
  const auto milliseconds = static_cast<std::uint64_t>(since_1970.count()) & 0xffff'ffff'ffffU;
  constexpr std::uint64_t version = 7;
  constexpr std::uint64_t variant = 2;
  const std::uint64_t high = milliseconds << 16U | version << 12U | (random.next() >> 52U);
  const std::uint64_t low = variant << 62U | (random.next() >> 2U);

  constexpr char digits[] = "0123456789abcdef";
  idempotency_key key;
  for (unsigned nibble = 0; nibble < 32; ++nibble) {
    if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) key.text_[key.size_++] = '-';
    const std::uint64_t half = nibble < 16 ? high : low;
    key.text_[key.size_++] = digits[(half >> (60U - 4U * (nibble % 16U))) & 15U];
  }
  return key;
}

RELENT_INLINE bool operator==(const idempotency_key& a, const idempotency_key& b) noexcept {
  return a.text() == b.text();
}

}  // namespace relent
