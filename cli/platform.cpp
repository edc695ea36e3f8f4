// SPDX-License-Identifier: Apache-2.0
// Linux has both; elsewhere they do nothing.
#include "platform.hpp"

#if defined(__linux__)

#include <sys/prctl.h>
#include <fcntl.h>
#include <unistd.h>
#include <csignal>
#include <cstddef>
#include <string_view>

namespace relent::cli {

void die_with_parent(pid_t parent) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
}

void adopt_orphans() noexcept { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::optional<std::vector<pid_t>> children() {
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);  // there is one thread
  if (file < 0) return std::nullopt;
  std::vector<pid_t> found;
  pid_t number = 0;
  char text[4096];
  ssize_t got = 0;
  while ((got = ::read(file, text, sizeof text)) > 0)
    for (const char c : std::string_view(text, static_cast<std::size_t>(got))) {
      if (c >= '0' && c <= '9') {
        number = number * 10 + (c - '0');
      } else if (number != 0) {
        found.push_back(number);
        number = 0;
      }
    }
  ::close(file);
  if (got < 0) return std::nullopt;
  return found;
}

}  // namespace relent::cli

#else

namespace relent::cli {

void die_with_parent(pid_t) noexcept {}
void adopt_orphans() noexcept {}
std::optional<std::vector<pid_t>> children() { return std::nullopt; }

}  // namespace relent::cli

#endif
