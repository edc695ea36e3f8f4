// SPDX-License-Identifier: Apache-2.0
// Turns the signals that ask a program to end into a stop token, so that a transfer or a wait is broken off and
// cleaned up after. Layer 5.
#pragma once

#include <stop_token>
#include <thread>

namespace relent::cli {

/// From its construction to its end HUP, INT, QUIT and TERM trigger the token; those that were ignored stay so.
/// SIGPIPE and SIGXFSZ are ignored from then on. At most one at a time.
class stop_signals {
 public:
  stop_signals();
  ~stop_signals();
  stop_signals(const stop_signals&) = delete;
  stop_signals& operator=(const stop_signals&) = delete;

  std::stop_token token() const noexcept { return source_.get_token(); }
  /// The signal that came; 0: none.
  int received() const noexcept;

 private:
  std::stop_source source_;
  int wake_[2] = {-1, -1};
  std::thread waiter_;
};

}  // namespace relent::cli
