// SPDX-License-Identifier: Apache-2.0
// The controlling terminal and who stands in its foreground. An interactive command needs to stand
// there, alone with its process group; then Ctrl-C reaches that group only, so a witness inside it
// reports what was typed. Starting and ending commands is in process.hpp. Layer 5.
#pragma once

#include "signals.hpp"

#include <sys/types.h>

namespace relent::cli {

/// The controlling terminal of this process, if it has one. One thread.
class terminal {
 public:
  terminal() noexcept;
  ~terminal();
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  bool exists() const noexcept { return descriptor_ >= 0; }

  /// Whether this process's group stands in the foreground.
  bool is_ours() const noexcept;

  /// Puts a group there. SIGTTOU must be blocked. Async-signal-safe.
  void give_to(pid_t group) const noexcept;

  /// Puts this process's group back, unless somebody else than `group` stands there by now.
  void take_back_from(pid_t group) const noexcept;

 private:
  int descriptor_ = -1;
};

/// A process inside a command's group that reports the signals typed at the terminal: Ctrl-C, Ctrl-\ and Ctrl-Z.
class key_witness {
 public:
  key_witness() = default;
  ~key_witness() { dismiss(); }
  key_witness(const key_witness&) = delete;
  key_witness& operator=(const key_witness&) = delete;

  /// Starts it. `ready` is a descriptor that the witness closes once it would miss nothing. Without
  /// descriptors or processes to spare there is no witness: the command matters more.
  void join(pid_t group, int ready) noexcept;
  /// Ends it; returns what was typed and not returned before.
  signal_set dismiss() noexcept;
  /// To be told when that child was reaped elsewhere, since then its number may be another's.
  void was_reaped(pid_t pid) noexcept;

  /// Readable when something was typed; -1 without a witness.
  int descriptor() const noexcept { return reports_; }
  /// What was typed and not returned before. Does not wait.
  signal_set typed() noexcept;

 private:
  bool read_into(signal_set& keys) noexcept;

  pid_t pid_ = -1;
  int reports_ = -1;
};

}  // namespace relent::cli
