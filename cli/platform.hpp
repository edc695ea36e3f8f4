// SPDX-License-Identifier: Apache-2.0
// What not every POSIX system has, each with what happens without it. Layer 5.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <optional>
#include <vector>

namespace relent::cli {

/// In a forked child: dies by SIGKILL as soon as `parent` does, also when the parent was killed by force.
/// Without the facility the child outlives such a parent. Async-signal-safe.
void die_with_parent(pid_t parent) noexcept;

/// A child that runs `start(context)` in our memory, on a stack of its own, while this process stands still until the
/// child has become another program or has ended; that saves copying the tables of our memory. -1 with errno,
/// which without the facility is ENOSYS.
pid_t run_in_our_memory(int (*start)(void*), void* context, std::size_t stack_size) noexcept;

/// From now on orphaned descendants become children of this process, which can then reap them.
/// Without the facility they become children of process 1.
void adopt_orphans() noexcept;

/// The children of this process, ended but unreaped ones included; nothing where the system does not tell
/// (without /proc, say).
std::optional<std::vector<pid_t>> children();

/// Whether every process of the group has ended, though a parent may not have taken note of it. Looks at all
/// processes; false where the system does not tell.
bool group_has_ended(pid_t group);

}  // namespace relent::cli
