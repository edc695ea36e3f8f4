// SPDX-License-Identifier: Apache-2.0
// The steady clock, which on a terminal counts the seconds down while it waits. Layer 5.
#pragma once

#include <relent/clock.hpp>

#include <functional>
#include <string>

namespace relent::cli {

/// One thread.
class shown_clock final : public relent::clock {
 public:
  /// `what` names what is waited for, and is asked once a wait; null: nothing is shown.
  explicit shown_clock(std::function<std::string()> what) : what_(std::move(what)) {}

  time_point now() noexcept override;
  void wait_until(time_point until, const stop_handle& stop) noexcept override;

 private:
  std::function<std::string()> what_;
};

}  // namespace relent::cli
