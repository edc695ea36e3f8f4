// SPDX-License-Identifier: Apache-2.0
// Runs attempts of one command, one after the other and never two at a time: passes signals on, cuts an
// attempt at its time limit, and lets nothing of its process group outlive it. Whether there is a
// further attempt is not decided here: the engine does. Layer 5.
#pragma once

#include "process.hpp"
#include "signals.hpp"
#include "terminal.hpp"

#include <relent/clock.hpp>
#include <relent/fault.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>

namespace relent::cli {

/// How an attempt of a command ended.
struct attempt_result {
  enum class how : std::uint8_t {
    exited,          ///< number: the exit code
    killed,          ///< number: the signal
    not_found,       ///< number: errno
    not_executable,  ///< number: errno
    not_started,     ///< for want of processes or descriptors; number: errno
  };
  how ended = how::not_started;
  int number = 0;
  /// The time limit was reached and the process group was told to end.
  bool timed_out = false;
  /// It was told twice, the second time by SIGKILL.
  bool forced = false;
  /// A terminating signal came while it ran.
  bool interrupted = false;
};

/// What the attempt means to the engine: nothing for a success.
std::optional<fault> relent_fault(const attempt_result& result) noexcept;

/// The exit code of the tool if this was the last attempt.
int exit_code_of(const attempt_result& result) noexcept;

/// At most one per process, one thread. The command line must outlive it.
class supervisor {
 public:
  /// `argv` ends with a null pointer. `grace` is what lies between SIGTERM and SIGKILL.
  supervisor(char* const* argv, duration grace);

  /// Runs the command once; cut at `limit`.
  attempt_result run_attempt(time_point limit);

  /// Waits between attempts; returns early after a terminating signal.
  void rest_until(time_point until);

  /// Triggered by the first terminating signal.
  std::stop_token stop() const { return stop_.get_token(); }

  /// The terminating signal that came, whether sent to us or typed while the command had the terminal; 0 if none did.
  int signal_received() const noexcept { return sent_ != 0 ? sent_ : typed_; }

  /// The signal by which this process should end now, 0 if it should exit. One that was sent to us
  /// always; one that was typed only if the command too died by it, for a command may well handle it.
  int signal_to_die_by() const noexcept { return sent_ != 0 ? sent_ : died_of_typed_; }

 private:
  enum class stage : std::uint8_t { running, asked, forced };
  struct running_attempt;

  process_end await_end(running_attempt& current);
  void end_what_is_left(running_attempt& current);
  void escalate(running_attempt& current) const noexcept;
  void pass_on(signal_set signals, pid_t group);
  void relay(signal_set keys);
  void suspend_with(pid_t group) noexcept;
  void resume(pid_t group) noexcept;
  void note(int& which, int signal);

  char* const* argv_;
  duration grace_;
  signal_inbox inbox_;
  terminal terminal_;
  std::stop_source stop_;
  int sent_ = 0;
  int typed_ = 0;
  int died_of_typed_ = 0;
};

/// The real clock, whose waits end when a terminating signal arrives. One thread.
class supervisor_clock final : public clock {
 public:
  explicit supervisor_clock(supervisor& owner) noexcept : owner_(owner) {}
  time_point now() noexcept override { return cli::now(); }
  void wait_until(time_point until, const stop_handle& /*stop*/) noexcept override {
    owner_.rest_until(until);
  }

 private:
  supervisor& owner_;
};

}  // namespace relent::cli
