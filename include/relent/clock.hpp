// SPDX-License-Identifier: Apache-2.0
// What a driver needs of time: to read it and to wait. The engine never includes this file.
// Stand-in for tests: testing/manual_clock.hpp. The real one: steady_clock() in retry.hpp. Layer 0.
#pragma once

#include <relent/stop.hpp>
#include <relent/time.hpp>

namespace relent {

/// A source of time. Implementations must be thread-safe and must not throw.
class clock {
 public:
  /// The present instant. Should not run backwards; where it does, the engine treats it as standing still.
  virtual time_point now() noexcept = 0;

  /// Returns once now() >= until, or soon after `stop` is triggered, whichever comes first.
  /// Waking early is harmless: the caller looks at the clock again.
  virtual void wait_until(time_point until, const stop_handle& stop) noexcept = 0;

  /// Calendar time, for identifiers and HTTP dates only; never used for waits or deadlines.
  virtual std::chrono::system_clock::time_point wall_now() noexcept {
    return std::chrono::system_clock::now();
  }

 protected:
  clock() = default;
  clock(const clock&) = default;
  clock& operator=(const clock&) = default;
  ~clock() = default;
};

}  // namespace relent
