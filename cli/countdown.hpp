// SPDX-License-Identifier: Apache-2.0
// On a terminal, a line that says how long until the next attempt, and is gone when it begins. Layer 5.
#pragma once

#include <relent/time.hpp>

#include <string>
#include <utility>

namespace relent::cli {

/// One wait. To be used only on a terminal (stderr_is_terminal in message.hpp). One thread.
class countdown {
 public:
  /// `what` is what is waited for: "attempt 2 of 3".
  countdown(std::string what, time_point until) : what_(std::move(what)), until_(until) {}
  ~countdown();
  countdown(const countdown&) = delete;
  countdown& operator=(const countdown&) = delete;

  void show(time_point now);

 private:
  std::string what_;
  time_point until_;
  bool shown_ = false;
};

}  // namespace relent::cli
