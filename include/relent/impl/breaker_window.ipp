// SPDX-License-Identifier: Apache-2.0
// What a breaker counts: the last calls, the calls of a sliding window, the probes in flight. And its
// notion of time. When a count is enough is decided in breaker.ipp.
#pragma once

#include <relent/time.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace relent::detail {

/// Time that stands still where the caller's runs backwards. Thread-safe, lock-free.
class forward_time {
 public:
  /// `now`, or the latest instant remembered if that is later.
  time_point seen(time_point now) const noexcept { return std::max(now, latest()); }

  /// The same, and remembers `now` if it is at least `step` later than what is remembered.
  time_point advance(time_point now, duration step = duration::zero()) noexcept {
    duration::rep known = latest_.load(std::memory_order_relaxed);
    while (now > instant(known) && time_between(instant(known), now) >= step)
      if (latest_.compare_exchange_weak(known, now.time_since_epoch().count(), std::memory_order_relaxed))
        return now;
    return std::max(now, instant(known));
  }

 private:
  static time_point instant(duration::rep count) noexcept { return time_point{duration{count}}; }
  time_point latest() const noexcept { return instant(latest_.load(std::memory_order_relaxed)); }
  std::atomic<duration::rep> latest_{time_point::min().time_since_epoch().count()};
};

/// How the last calls ended, at most 64 of them. Changed under the breaker's lock; clean() needs none.
class last_calls {
 public:
  /// Whether no failure is remembered: then a success changes nothing.
  bool clean() const noexcept { return bits_.load(std::memory_order_relaxed) == 0; }
  int failures() const noexcept { return std::popcount(bits_.load(std::memory_order_relaxed)); }
  void clear() noexcept { bits_.store(0, std::memory_order_relaxed); }

  /// One call more; remembers `size` calls, 0 to 64.
  void add(bool failed, std::uint32_t size) noexcept {
    const std::uint64_t bits = bits_.load(std::memory_order_relaxed) << 1U | (failed ? 1U : 0U);
    const std::uint64_t kept = size == 0 ? 0 : ~std::uint64_t{0} >> (64U - size);
    bits_.store(bits & kept, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> bits_{0};  // 1 is a failure; the latest call is the lowest bit
};

/// Calls and failures within a window that slides in `Buckets` steps. add() and sum() are thread-safe and
/// lock-free. A bucket is one word, so that it starts anew in the same step as it counts:
/// 24 bits for the number of its step, 20 for failures, 20 for successes; full, it halves both counts.
template <std::uint32_t Buckets>
class rate_window {
 public:
  struct tally {
    std::uint64_t calls = 0;
    std::uint64_t failures = 0;
  };

  explicit rate_window(duration length) noexcept { restart(length); }

  /// The length of one step.
  duration step() const noexcept { return duration{step_.load(std::memory_order_relaxed)}; }

  /// Empties the window and gives it a length of at least `Buckets` nanoseconds.
  void restart(duration length) noexcept {
    step_.store((length / Buckets).count(), std::memory_order_relaxed);
    clear();
  }

  void clear() noexcept {
    for (auto& bucket : buckets_) bucket.store(0, std::memory_order_relaxed);
  }

  void add(bool failed, time_point now) noexcept {
    const std::int64_t number = step_number(now);
    auto& bucket = buckets_[index(number)];
    std::uint64_t found = bucket.load(std::memory_order_relaxed);
    std::uint64_t counted = 0;
    do counted = one_more(belongs(found, number) ? found : label(number), failed);
    while (!bucket.compare_exchange_weak(found, counted, std::memory_order_relaxed));
  }

  tally sum(time_point now) const noexcept {
    tally total;
    const std::int64_t last = step_number(now);
    for (std::int64_t back = 0; back < std::int64_t{Buckets}; ++back) {
      const std::uint64_t found = buckets_[index(last - back)].load(std::memory_order_relaxed);
      if (!belongs(found, last - back)) continue;
      const std::uint64_t failures = found >> count_bits & most;
      total.failures += failures;
      total.calls += failures + (found & most);
    }
    return total;
  }

 private:
  static constexpr std::uint32_t count_bits = 20;
  static constexpr std::uint64_t most = (std::uint64_t{1} << count_bits) - 1;

  /// Steps since the epoch, rounded down also before it.
  std::int64_t step_number(time_point now) const noexcept {
    const std::int64_t length = step_.load(std::memory_order_relaxed);
    const std::int64_t count = now.time_since_epoch().count();
    return count / length - (count % length < 0 ? 1 : 0);
  }
  static std::size_t index(std::int64_t number) noexcept {
    const std::int64_t rest = number % std::int64_t{Buckets};
    return static_cast<std::size_t>(rest < 0 ? rest + std::int64_t{Buckets} : rest);
  }
  /// An empty bucket of this step.
  static std::uint64_t label(std::int64_t number) noexcept {
    return static_cast<std::uint64_t>(number) << 2 * count_bits;
  }
  static bool belongs(std::uint64_t bucket, std::int64_t number) noexcept {
    return bucket >> 2 * count_bits == label(number) >> 2 * count_bits;
  }
  static std::uint64_t one_more(std::uint64_t bucket, bool failed) noexcept {
    std::uint64_t successes = bucket & most;
    std::uint64_t failures = bucket >> count_bits & most;
    if (successes == most || failures == most) {
      successes /= 2;
      failures /= 2;
    }
    const std::uint64_t counts = (failures << count_bits | successes) + (failed ? most + 1 : 1);
    return (bucket & ~(most << count_bits | most)) | counts;
  }

  std::atomic<std::int64_t> step_{1};
  std::array<std::atomic<std::uint64_t>, Buckets> buckets_{};
};

/// Who is in flight while half-open, and until when a silent probe keeps its place.
class probe_places {
 public:
  static constexpr std::uint32_t capacity = 32;

  /// How many places are taken at `now`.
  std::uint32_t taken(time_point now) const noexcept {
    return static_cast<std::uint32_t>(std::count_if(places_.begin(), places_.begin() + size_,
                                                    [&](const place& p) { return now < p.until; }));
  }

  /// Fewer than `capacity` must be taken at `now`.
  void take(std::uint16_t probe, time_point now, time_point until) noexcept {
    keep([&](const place& p) { return now < p.until; });
    places_[static_cast<std::size_t>(size_++)] = {until, probe};
  }

  /// Does nothing if the place was given away since.
  void give_back(std::uint16_t probe) noexcept {
    keep([&](const place& p) { return p.probe != probe; });
  }

 private:
  struct place {
    time_point until;
    std::uint16_t probe = 0;
  };
  template <class Rule>
  void keep(Rule stays) noexcept {
    size_ = std::partition(places_.begin(), places_.begin() + size_, stays) - places_.begin();
  }
  std::array<place, capacity> places_{};
  std::ptrdiff_t size_ = 0;
};

}  // namespace relent::detail
