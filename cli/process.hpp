// SPDX-License-Identifier: Apache-2.0
// One command as a process that leads a group of its own: starting it, seeing how it ended, signalling
// and reaping the group. When to do which is decided in supervisor.hpp. Layer 5.
#pragma once

#include "signals.hpp"
#include "terminal.hpp"

#include <sys/types.h>
#include <array>
#include <cstdint>
#include <optional>

namespace relent::cli {

/// A group that nobody is in.
inline constexpr pid_t no_group = 0;

/// How a process ended.
struct process_end {
  bool by_signal = false;
  int number = 0;  ///< the exit code, or the signal
};

/// What became of an order to start a command.
struct start_result {
  enum class failure : std::uint8_t {
    none,
    no_process,  ///< our own side: no process or descriptor to spare
    not_executed,
  };
  failure failed = failure::none;
  int error = 0;     ///< errno, when it failed
  pid_t group = -1;  ///< the process and its group, when it runs
};

/// The terminal in whose foreground a command is to stand, and who watches its keys from there.
struct foreground_place {
  const terminal& screen;
  key_witness& witness;
};

/// What a command finds when it begins.
struct command_surroundings {
  /// Its stdin, stdout and stderr; -1: ours.
  std::array<int, 3> files{-1, -1, -1};
  /// Its environment, ending with a null pointer; null: ours.
  char* const* environment = nullptr;
};

/// Starts argv[0], looked up in PATH, with argv as it is and no shell. The process leads a group of its
/// own, in the foreground if so asked, with default signal actions, and dies with this one.
/// Returns once the command runs or cannot.
start_result start_command(char* const* argv, const command_surroundings& around, const signal_inbox& inbox,
                           const foreground_place* foreground) noexcept;

/// Reaps children that ended, calling reaped(pid) for each, up to the leader of a group. That one is
/// left as it is, so that its number stays taken; returns how it ended.
template <class Reaped>
std::optional<process_end> look_for_end(pid_t leader, Reaped reaped);

/// Reaps all children that ended.
void reap_ended_children() noexcept;

/// Whether the process was stopped since the last call.
bool was_stopped(pid_t pid) noexcept;

/// Reaps the leader, which has ended.
void reap(pid_t pid) noexcept;

/// Whether any process is in the group, ended but unreaped ones included.
bool group_lives(pid_t group) noexcept;

/// Sends a signal to the whole group; a stopped one is continued so that it can act on it. False if none of it
/// may be signalled by us: it runs as another user.
bool end_group_by(pid_t group, int signal) noexcept;

/// Sends a signal to the whole group, and nothing else.
void signal_group(pid_t group, int signal) noexcept;

namespace detail {
/// The next child that ended, unreaped, or 0.
pid_t next_ended_child(process_end& end) noexcept;
}  // namespace detail

template <class Reaped>
std::optional<process_end> look_for_end(pid_t leader, Reaped reaped) {
  process_end end;
  while (const pid_t pid = detail::next_ended_child(end)) {
    if (pid == leader) return end;
    reap(pid);
    reaped(pid);
  }
  return std::nullopt;
}

}  // namespace relent::cli
