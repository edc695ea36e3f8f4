// SPDX-License-Identifier: Apache-2.0
// Linux has both; elsewhere they do nothing.
#include "platform.hpp"

#if defined(__linux__)

#include <sys/prctl.h>
#include <unistd.h>
#include <csignal>

namespace relent::cli {

void die_with_parent(pid_t parent) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
}

void adopt_orphans() noexcept { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace relent::cli

#else

namespace relent::cli {

void die_with_parent(pid_t) noexcept {}
void adopt_orphans() noexcept {}

}  // namespace relent::cli

#endif
