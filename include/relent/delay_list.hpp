// SPDX-License-Identifier: Apache-2.0
// A short list of delays as a plain value: what a policy waits when it spells its waits out. How it is
// read from text is in duration_text.hpp, how a backoff walks along it in backoff.hpp. Layer 0.
#pragma once

#include <relent/time.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace relent {

/// Up to 16 delays, kept inline. A plain value. A longer list keeps the first 16 and says so (too_long).
class delay_list {
 public:
  static constexpr std::size_t capacity = 16;

  constexpr delay_list() noexcept = default;
  constexpr delay_list(std::initializer_list<duration> delays) noexcept {
    for (const duration delay : delays) add(delay);
  }

  /// Appends a delay; false, and too_long() from then on, if there is no room.
  constexpr bool add(duration delay) noexcept {
    if (size_ == capacity) {
      too_long_ = true;
      return false;
    }
    items_[size_++] = delay;
    return true;
  }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr bool too_long() const noexcept { return too_long_; }
  /// The i-th delay; i must be below size().
  constexpr const duration& operator[](std::size_t i) const noexcept { return items_[i]; }
  constexpr const duration* begin() const noexcept { return items_; }
  constexpr const duration* end() const noexcept { return items_ + size_; }

  friend constexpr bool operator==(const delay_list&, const delay_list&) noexcept = default;

 private:
  duration items_[capacity]{};
  std::uint8_t size_ = 0;
  bool too_long_ = false;
};

}  // namespace relent
