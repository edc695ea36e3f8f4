// SPDX-License-Identifier: Apache-2.0
// Runs commands, one after the other and never two at a time: passes signals on, cuts an attempt at its
// time limit, and lets nothing that it started outlive it. What an end means is said in verdict.hpp,
// whether there is a further attempt by the engine. Layer 5.
#pragma once

#include "attempt_streams.hpp"
#include "leftovers.hpp"
#include "process.hpp"
#include "signals.hpp"
#include "terminal.hpp"

#include <relent/time.hpp>

#include <cstdint>
#include <functional>
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

/// A command line and what it runs with. All of it must outlive the run.
struct command {
  char* const* argv;                   ///< ends with a null pointer
  char* const* environment = nullptr;  ///< ends with a null pointer; null: ours
  attempt_streams* streams = nullptr;  ///< null: its files are ours
  bool in_foreground = true;           ///< of the terminal, if we stand there
};

/// Whether what an attempt left behind in sessions of its own is ended with it.
enum class daemons : std::uint8_t {
  end,
  leave,  ///< until end_leftovers() is called
};

/// At most one per process, one thread.
class supervisor {
 public:
  /// `grace` is what lies between SIGTERM and SIGKILL.
  supervisor(duration grace, daemons what_to_do);

  /// Runs the command once; cut at `limit`.
  attempt_result run(const command& what, time_point limit);

  /// Ends what attempts left behind.
  void end_leftovers();

  /// Waits until the streams have written what they hold for our own files; after a terminating signal no
  /// longer than the grace.
  void flush(attempt_streams& streams);

  /// Whether something was left behind that cannot be found, so that it lives on.
  bool left_unseen() const noexcept { return left_unseen_; }

  /// Waits between attempts; returns early after a terminating signal. `tick` is called every second at least.
  void rest_until(time_point until, const std::function<void()>& tick = {});

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
  bool is_left(const running_attempt& current) const;
  void tell_what_is_left(const running_attempt& current, int signal) const;
  void escalate(running_attempt& current) const;
  static bool is_starved(const running_attempt& current);
  signal_set wait(running_attempt& current, time_point until);
  void pass_on(signal_set signals, pid_t group);
  void heed(signal_set signals);
  void relay(signal_set keys);
  void suspend_with(pid_t group) noexcept;
  void resume(pid_t group) noexcept;
  void note(int& which, int signal);

  duration grace_;
  daemons daemons_;
  leftover_finder leftovers_;
  bool left_unseen_ = false;
  time_point flush_until_ = end_of_time;
  signal_inbox inbox_;
  terminal terminal_;
  std::stop_source stop_;
  int sent_ = 0;
  int typed_ = 0;
  int died_of_typed_ = 0;
};

}  // namespace relent::cli
