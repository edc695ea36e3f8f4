// SPDX-License-Identifier: Apache-2.0
// The operating system's steady clock, and waits that a stop token ends at once.
#pragma once

#include <relent/clock.hpp>
#include <relent/retry.hpp>

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace relent {
namespace detail {

class real_clock final : public relent::clock {
 public:
  time_point now() noexcept override {
    return time_point{
        std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch())};
  }

  void wait_until(time_point until, const stop_handle& stop) noexcept override {
    const std::chrono::steady_clock::time_point end{
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(until.time_since_epoch())};
    std::mutex mutex;
    std::unique_lock lock(mutex);
    if (const auto* token = stop.as<std::stop_token>()) {
      std::condition_variable_any triggered;
      triggered.wait_until(lock, *token, end, [] { return false; });
    } else {
      std::condition_variable nothing;
      nothing.wait_until(lock, end, [] { return false; });
    }
  }
};

}  // namespace detail

RELENT_INLINE relent::clock& steady_clock() noexcept {
  static constinit detail::real_clock clock;
  return clock;
}

}  // namespace relent
