// SPDX-License-Identifier: Apache-2.0
// A clock for tests: time moves only when told to, or when somebody waits.
#pragma once

#include <relent/clock.hpp>
#include <relent/stop.hpp>
#include <relent/time.hpp>

#include <chrono>
#include <mutex>
#include <vector>

namespace relent::testing {

/// Waiting takes no time: it moves the clock to the end of the wait. Thread-safe.
class manual_clock final : public relent::clock {
 public:
  /// Begins a long way from zero, so that code that confuses instants and lengths is found out.
  explicit manual_clock(time_point start = time_point{std::chrono::hours{1000}}) : now_(start) {}

  time_point now() noexcept override {
    const std::lock_guard lock(mutex_);
    ++reads_;
    return now_;
  }

  /// Notes the wait, then moves to its end; not if `stop` has been triggered.
  void wait_until(time_point until, const stop_handle& stop) noexcept override {
    if (stop.requested()) return;
    const std::lock_guard lock(mutex_);
    if (until <= now_) return;
    waits_.push_back(until - now_);
    now_ = until;
  }

  std::chrono::system_clock::time_point wall_now() noexcept override {
    const std::lock_guard lock(mutex_);
    return wall_start_ +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(now_.time_since_epoch());
  }

  /// Moves time; what an operation calls to say how long it takes. Negative steps go backwards.
  void advance(duration by) {
    const std::lock_guard lock(mutex_);
    now_ += by;
  }

  /// Every wait so far, in order.
  std::vector<duration> waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

  /// How often now() was called.
  std::uint64_t reads() const {
    const std::lock_guard lock(mutex_);
    return reads_;
  }

 private:
  mutable std::mutex mutex_;
  time_point now_;
  std::vector<duration> waits_;
  std::uint64_t reads_ = 0;
  std::chrono::system_clock::time_point wall_start_{std::chrono::hours{24} * 365 * 50};
};

}  // namespace relent::testing
