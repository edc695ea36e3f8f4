// SPDX-License-Identifier: Apache-2.0
// Requests and retries in a window of ten slots: the state under the ratio budget. How many retries are
// allowed is a limit that the caller passes in (budget.ipp).
#pragma once

#include <relent/impl/budget_level.ipp>
#include <relent/time.hpp>

#include <atomic>
#include <cstdint>

namespace relent::detail {

// Every word holds the number of a slot in its upper 38 bits and a count for that slot in its lower 26. Slots
// are numbered from the clock's origin; 2^38 of them, the shortest being a tenth of a second, outlast what a
// time_point can hold, so a number never comes back: a word whose slot has left the window is recognised
// however long ago that was, and nobody need clear it. For one cell, words only grow.
//
// Grants are serialised by `newest_`: the latest slot anybody has seen, with the retries granted in it. A
// grant is a compare-and-swap of that word against the value on which the decision rests. If it succeeds,
// - the slot was still the newest, so the window was the one that was summed up;
// - no other grant came in between, as it would have changed the word, and the word never returns to an
//   earlier value;
// - the older slots' grants were final: whoever moves `newest_` on writes the count it replaces into
//   `granted_` first, and the swap that moves it fails unless that count was the last one. A thread that was
//   held up may write an outdated count later; cells keep the greater word, so this has no effect;
// - requests read may be out of date only in being too few. A thread held up in requested() either still
//   finds its own slot in the cell, or, a window later, a newer one, and then has nothing to count.
// A refusal rests on a sum as well. It stands only if `newest_` has not moved meanwhile.
//
// A retry that is given back counts in `returned_`, on the oldest slot that has one to give. It may have been
// granted in a later slot; then the window holds a retry too many for a while, never one too few.
class sliding_window {
 public:
  sliding_window() noexcept = default;
  explicit sliding_window(duration window) noexcept : slot_length_(slot_length_of(window)) {}

  bool spans(duration window) const noexcept { return slot_length_of(window) == slot_length_; }

  /// Counts one request.
  void add_request(time_point now) noexcept {
    const std::uint64_t slot = slot_of(reach(slot_at(now)));
    for (contention others;; others.wait()) {
      auto& cell = requests_[slot % slots];
      const std::uint64_t seen = cell.load(std::memory_order_relaxed);
      if (slot_of(seen) > slot || count_of(seen) == most) return;
      if (replace(cell, seen, slot_of(seen) == slot ? seen + 1 : word(slot, 1))) return;
    }
  }

  /// Counts one retry if there are fewer than limit(requests) of them in the window, else returns false.
  template <class Limit>
  bool grant(time_point now, const Limit& limit) noexcept {
    std::uint64_t newest = reach(slot_at(now));
    for (contention others;; others.wait(), newest = load(newest_)) {
      const std::uint64_t slot = slot_of(newest);
      if (retries(newest, slot) < limit(requests(slot)) && count_of(newest) < most) {
        if (replace(newest_, newest, newest + 1)) return true;
      } else if (load(newest_) == newest) {
        return false;
      }
    }
  }

  /// Counts one retry less, if there is one in the window.
  void give_back(time_point now) noexcept {
    std::uint64_t newest = reach(slot_at(now));
    while (!return_oldest(newest)) {
      const std::uint64_t seen = newest;
      newest = load(newest_);
      if (newest == seen) return;
    }
  }

  /// How many retries grant() would still count, one after the other.
  template <class Limit>
  std::uint64_t grantable(time_point now, const Limit& limit) const noexcept {
    const std::uint64_t newest = load(newest_);
    const std::uint64_t slot = slot_at(now) > slot_of(newest) ? slot_at(now) : slot_of(newest);
    const std::uint64_t allowed = limit(requests(slot));
    const std::uint64_t used = retries(newest, slot);
    return used < allowed ? allowed - used : 0;
  }

 private:
  static constexpr std::uint64_t slots = 10;
  static constexpr unsigned count_bits = 26;
  static constexpr std::uint64_t most = (std::uint64_t{1} << count_bits) - 1;
  using cell = std::atomic<std::uint64_t>;

  static std::uint64_t word(std::uint64_t slot, std::uint64_t count) noexcept {
    return slot << count_bits | count;
  }
  static std::uint64_t slot_of(std::uint64_t word) noexcept { return word >> count_bits; }
  static std::uint64_t count_of(std::uint64_t word) noexcept { return word & most; }
  static std::uint64_t load(const cell& from) noexcept { return from.load(std::memory_order_acquire); }
  static bool replace(cell& in, std::uint64_t seen, std::uint64_t next) noexcept {
    return in.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed);
  }

  static duration slot_length_of(duration window) noexcept {
    return window / static_cast<duration::rep>(slots);
  }

  /// What a word counts in the window that ends with slot `last`.
  static std::uint64_t count_within(std::uint64_t word, std::uint64_t last) noexcept {
    return slot_of(word) <= last && slot_of(word) + slots > last ? count_of(word) : 0;
  }

  std::uint64_t slot_at(time_point now) const noexcept {
    const duration since = now.time_since_epoch();
    return since > duration::zero() ? static_cast<std::uint64_t>(since / slot_length_) : 0;
  }

  /// Makes `slot` the newest unless a later one is, and returns newest_. So time never runs backwards.
  std::uint64_t reach(std::uint64_t slot) noexcept {
    for (contention others;; others.wait()) {
      const std::uint64_t newest = load(newest_);
      if (slot_of(newest) >= slot) return newest;
      raise(granted_[slot_of(newest) % slots], newest);
      if (replace(newest_, newest, word(slot, 0))) return word(slot, 0);
    }
  }

  static void raise(cell& kept, std::uint64_t to) noexcept {
    for (contention others;; others.wait()) {
      const std::uint64_t seen = load(kept);
      if (seen >= to || replace(kept, seen, to)) return;
    }
  }

  std::uint64_t requests(std::uint64_t last) const noexcept {
    std::uint64_t sum = 0;
    for (const cell& slot : requests_) sum += count_within(load(slot), last);
    return sum;
  }

  /// Retries in the window that ends with slot `last`, those given back left out.
  std::uint64_t retries(std::uint64_t newest, std::uint64_t last) const noexcept {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < slots; ++i) {
      const std::uint64_t given = i == slot_of(newest) % slots ? newest : load(granted_[i]);
      const std::uint64_t granted = count_within(given, last);
      const std::uint64_t returned = count_within(load(returned_[i]), last);
      if (granted > returned) sum += granted - returned;
    }
    return sum;
  }

  /// Gives one retry back to the oldest slot that has one; false if none has.
  bool return_oldest(std::uint64_t newest) noexcept {
    const std::uint64_t last = slot_of(newest);
    for (std::uint64_t slot = last < slots ? 0 : last - slots + 1; slot <= last; ++slot) {
      const std::uint64_t granted = slot == last ? newest : load(granted_[slot % slots]);
      if (slot_of(granted) == slot && return_one(returned_[slot % slots], granted)) return true;
    }
    return false;
  }

  static bool return_one(cell& returned, std::uint64_t granted) noexcept {
    for (contention others;; others.wait()) {
      const std::uint64_t seen = load(returned);
      const std::uint64_t before = slot_of(seen) < slot_of(granted) ? word(slot_of(granted), 0) : seen;
      if (before >= granted) return false;
      if (replace(returned, seen, before + 1)) return true;
    }
  }

  cell newest_{0};
  duration slot_length_ = std::chrono::seconds{1};
  alignas(64) cell requests_[slots]{};
  cell granted_[slots]{};
  cell returned_[slots]{};
};

}  // namespace relent::detail
