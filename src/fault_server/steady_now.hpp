// SPDX-License-Identifier: Apache-2.0
// The one place where the server reads the steady clock for the book.
#pragma once

#include <relent/time.hpp>

#include <chrono>

namespace relent::testing::faults {

inline time_point steady_now() noexcept {
  return time_point{
      std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

}  // namespace relent::testing::faults
