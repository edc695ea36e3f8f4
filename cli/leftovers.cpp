// SPDX-License-Identifier: Apache-2.0
// A number is signalled only while it is a child of ours, so that it cannot be another's by now.
#include "leftovers.hpp"

#include "platform.hpp"
#include "process.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>

namespace relent::cli {
namespace {

bool has_children() noexcept {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool is_child(pid_t pid) noexcept {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

leftover_finder::leftover_finder() {
  if (has_children()) not_ours_ = children().value_or(std::vector<pid_t>{});
}

std::vector<pid_t> leftover_finder::strays(pid_t group) const {
  if (!has_children()) return {};
  std::vector<pid_t> found = children().value_or(std::vector<pid_t>{});
  std::erase_if(found, [&](pid_t pid) {
    return std::ranges::find(not_ours_, pid) != not_ours_.end() || ::getpgid(pid) == group || !is_child(pid);
  });
  return found;
}

bool leftover_finder::any(pid_t group) const { return group_lives(group) || !strays(group).empty(); }

bool leftover_finder::has_unseen() const { return not_ours_.empty() && has_children() && !children(); }

bool leftover_finder::only_unreaped(pid_t group) const { return group_has_ended(group); }

void leftover_finder::signal(pid_t group, int number) const {
  end_group_by(group, number);
  for (const pid_t stray : strays(group)) {
    if (::getpgid(stray) == stray)
      end_group_by(stray, number);
    else
      ::kill(stray, number);
  }
}

}  // namespace relent::cli
