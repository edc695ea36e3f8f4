// SPDX-License-Identifier: Apache-2.0
// The signals sent to this process: collected, and handed out at one place, where the tool waits.
// What follows from a signal is the business of process.hpp. Layer 5.
#pragma once

#include <relent/time.hpp>

#include <poll.h>
#include <cstdint>
#include <span>

namespace relent::cli {

/// The present instant on the monotonic clock.
time_point now() noexcept;

/// A set of signal numbers from 1 to 64.
class signal_set {
 public:
  constexpr signal_set() noexcept = default;
  constexpr explicit signal_set(std::uint64_t bits) noexcept : bits_(bits) {}
  constexpr bool contains(int signal) const noexcept { return (bits_ & bit(signal)) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  constexpr void add(int signal) noexcept { bits_ |= bit(signal); }
  static constexpr std::uint64_t bit(int signal) noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(signal - 1);
  }

 private:
  std::uint64_t bits_ = 0;
};

/// Collects signals from its construction to the end of the process: at most one per process, one thread.
/// Signals that the process was started with ignored (nohup) stay ignored.
class signal_inbox {
 public:
  signal_inbox();
  signal_inbox(const signal_inbox&) = delete;
  signal_inbox& operator=(const signal_inbox&) = delete;

  /// Waits until a signal arrived, `until` is reached, or one of the descriptors is ready, which their
  /// revents tell. Returns the signals that arrived since the last call. Those this process sent itself are
  /// left out.
  signal_set wait(time_point until, std::span<pollfd> watched = {}) noexcept;

  /// In a forked child, before exec: default actions and nothing blocked, as far as a signal was not
  /// ignored for hang-ups, interrupts and terminal stops from the start. Async-signal-safe.
  void restore_for_command() const noexcept;

  /// Stops this process as Ctrl-Z would. Returns true when it was continued, false at once where nobody
  /// could continue it (an orphaned process group).
  bool suspend_self() noexcept;

 private:
  signal_set left_ignored_;
};

/// Whether HUP, INT, QUIT or TERM has ever come, handed out or not. Async-signal-safe.
bool terminating_signal_came() noexcept;

/// The signals that are passed on to the command.
bool is_passed_on(int signal) noexcept;

/// Whether no further attempt is made after this signal: HUP INT QUIT TERM.
bool is_terminating(int signal) noexcept;

/// Ends this process by the signal, without a core file; as exit code where the signal cannot end it.
[[noreturn]] void die_by(int signal) noexcept;

}  // namespace relent::cli
