// SPDX-License-Identifier: Apache-2.0
// A level and its capacity in one atomic word: the arithmetic under the token and the throttle budget,
// and the wait between two attempts at a contended word. What is taken when is budget.ipp's business.
#pragma once

#include <atomic>
#include <cstdint>

namespace relent::detail {

/// Spaces out the attempts of one thread to change a word that other threads change too. Nobody waits for
/// another thread here: losing a race costs a moment, in which the winner goes on with the word in its cache.
class contention {
 public:
  void wait() noexcept {
    for (unsigned i = 0; i < pauses_; ++i) pause();
    if (pauses_ < most) pauses_ *= 2;
  }

 private:
  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
  }
  // About half a microsecond at first. Shorter waits make the threads collide again: measured on two cores,
  // a pair of changes then costs three times as much.
  static constexpr unsigned most = 64;
  unsigned pauses_ = 16;
};

/// A level between zero and a capacity, both in thousandths. Every change is one compare-and-swap of both,
/// so none is ever made on the ground of a level or a capacity that is out of date. Nothing else is
/// ordered by it: relaxed everywhere.
class reservoir {
 public:
  reservoir() noexcept = default;
  explicit reservoir(std::uint32_t capacity) noexcept : word_(pack(capacity, capacity)) {}

  std::uint32_t level() const noexcept { return level_of(word_.load(std::memory_order_relaxed)); }

  bool full() const noexcept {
    const std::uint64_t seen = word_.load(std::memory_order_relaxed);
    return level_of(seen) >= capacity_of(seen);
  }

  bool more_than_half_full() const noexcept {
    const std::uint64_t seen = word_.load(std::memory_order_relaxed);
    return std::uint64_t{level_of(seen)} * 2 > capacity_of(seen);
  }

  /// Takes `amount` in full, or takes nothing and returns false.
  bool take(std::uint32_t amount) noexcept {
    for (contention others;; others.wait()) {
      const std::uint64_t seen = word_.load(std::memory_order_relaxed);
      if (level_of(seen) < amount) return false;
      if (replace(seen, seen - amount)) return true;
    }
  }

  /// Takes `amount`, or what is left.
  void drain(std::uint32_t amount) noexcept {
    for (contention others;; others.wait()) {
      const std::uint64_t seen = word_.load(std::memory_order_relaxed);
      const std::uint32_t level = level_of(seen);
      if (level == 0 || replace(seen, seen - (amount < level ? amount : level))) return;
    }
  }

  /// Adds `amount`, or what there is room for.
  void add(std::uint32_t amount) noexcept {
    for (contention others;; others.wait()) {
      const std::uint64_t seen = word_.load(std::memory_order_relaxed);
      const std::uint32_t room = capacity_of(seen) - level_of(seen);
      if (room == 0 || replace(seen, seen + (amount < room ? amount : room))) return;
    }
  }

  /// Changes the capacity and keeps the filled fraction, rounded down to a thousandth.
  void resize(std::uint32_t capacity) noexcept {
    for (contention others;; others.wait()) {
      const std::uint64_t seen = word_.load(std::memory_order_relaxed);
      const std::uint64_t level = std::uint64_t{level_of(seen)} * capacity / capacity_of(seen);
      if (replace(seen, pack(static_cast<std::uint32_t>(level), capacity))) return;
    }
  }

 private:
  static std::uint64_t pack(std::uint32_t level, std::uint32_t capacity) noexcept {
    return std::uint64_t{capacity} << 32U | level;
  }
  static std::uint32_t level_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
  static std::uint32_t capacity_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 32U);
  }

  bool replace(std::uint64_t seen, std::uint64_t next) noexcept {
    return word_.compare_exchange_weak(seen, next, std::memory_order_relaxed, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> word_{0};
};

}  // namespace relent::detail
