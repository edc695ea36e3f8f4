// SPDX-License-Identifier: Apache-2.0
// The identity of one call, the same for all its attempts, by which a server can tell a repetition.
// How it travels as a header is in http/. Layer 0.
#pragma once

#include <relent/random.hpp>
#include <relent/version.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace relent {

/// Up to 255 visible ASCII characters, the longest that the known APIs take. A plain value.
class idempotency_key {
 public:
  static constexpr std::size_t max_size = 255;

  /// Your own text. Throws std::invalid_argument if it is empty, too long, or not visible ASCII.
  explicit idempotency_key(std::string_view text);

  /// A new UUID version 7 (RFC 9562 section 5.7): 48 bits of calendar time, 74 random bits.
  static idempotency_key make(std::chrono::system_clock::time_point wall_now, random_ref random);

  std::string_view text() const noexcept { return {text_, size_}; }

  friend bool operator==(const idempotency_key& a, const idempotency_key& b) noexcept;

 private:
  idempotency_key() noexcept = default;
  char text_[max_size];
  std::uint8_t size_ = 0;
};

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/idempotency_key.ipp>  // IWYU pragma: export
#endif
