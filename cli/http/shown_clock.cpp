// SPDX-License-Identifier: Apache-2.0
// A wait second by second.
#include "shown_clock.hpp"

#include "cli/countdown.hpp"

#include <relent/retry.hpp>

#include <algorithm>

namespace relent::cli {

time_point shown_clock::now() noexcept { return steady_clock().now(); }

void shown_clock::wait_until(time_point until, const stop_handle& stop) noexcept {
  if (!what_) return steady_clock().wait_until(until, stop);
  countdown line(what_(), until);
  while (now() < until && !stop.requested()) {
    line.show(now());
    steady_clock().wait_until(std::min(until, saturating_add(now(), std::chrono::seconds{1})), stop);
  }
}

}  // namespace relent::cli
