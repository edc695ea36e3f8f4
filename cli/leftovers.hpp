// SPDX-License-Identifier: Apache-2.0
// What an attempt leaves behind: members of its process group, and descendants that went into a group or
// session of their own and became our children when their parents ended. Finds and signals them; when is
// decided in supervisor.hpp. Layer 5.
#pragma once

#include <sys/types.h>
#include <vector>

namespace relent::cli {

/// The children that this process had before it started a command: those of a shell that became this
/// process by exec. They are nobody's leftovers. One thread.
class leftover_finder {
 public:
  leftover_finder();

  /// Whether anything of the group is left, or any stray: a child outside of it that the command started.
  bool any(pid_t group) const;

  /// Whether there are strays that cannot be found, because the system does not list our children.
  bool has_unseen() const;

  /// Whether what is left of the group has ended, but waits for a parent that lives on, a daemon, to take note
  /// of it. False where the system does not tell.
  bool only_unreaped(pid_t group) const;

  /// Sends the signal to the group, to every stray, and to the group or session that a stray leads.
  void signal(pid_t group, int number) const;

 private:
  std::vector<pid_t> strays(pid_t group) const;

  std::vector<pid_t> not_ours_;
};

}  // namespace relent::cli
