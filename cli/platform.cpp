// SPDX-License-Identifier: Apache-2.0
// Linux has all of it.
#include "platform.hpp"

#include <cerrno>

#if defined(__linux__)

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace relent::cli {

void die_with_parent(pid_t parent) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
}

#if defined(__SANITIZE_THREAD__)
pid_t run_in_our_memory(int (*)(void*), void*, std::size_t) noexcept {
  errno = ENOSYS;  // the thread sanitizer takes two processes in one memory for threads that it missed
  return -1;
}
#else
pid_t run_in_our_memory(int (*start)(void*), void* context, std::size_t stack_size) noexcept {
  void* const stack =
      ::mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  // Stacks grow down on every Linux that this runs on.
  const pid_t pid =
      ::clone(start, static_cast<char*>(stack) + stack_size, CLONE_VM | CLONE_VFORK | SIGCHLD, context);
  const int error = errno;
  ::munmap(stack, stack_size);
  errno = error;
  return pid;
}

#endif

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

namespace {

/// The state and the group in /proc/<number>/stat, behind a name in brackets that may hold anything.
bool runs_in(pid_t group, const char* number) {
  char text[1024];
  const std::string path = std::string("/proc/") + number + "/stat";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;  // it has gone
  const ssize_t got = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (got <= 0) return false;
  text[got] = '\0';
  const char* behind_name = std::strrchr(text, ')');
  char state = 0;
  int parent = 0;
  int its_group = 0;
  if (behind_name == nullptr || std::sscanf(behind_name + 1, " %c %d %d", &state, &parent, &its_group) != 3)
    return false;
  return its_group == group && state != 'Z' && state != 'X';
}

}  // namespace

bool group_has_ended(pid_t group) {
  DIR* all = ::opendir("/proc");
  if (all == nullptr) return false;
  bool any_process = false;
  bool runs = false;
  while (const dirent* entry = ::readdir(all)) {  // NOLINT(concurrency-mt-unsafe): there is one thread
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    any_process = true;
    runs = runs || runs_in(group, entry->d_name);
  }
  ::closedir(all);
  return any_process && !runs;
}

}  // namespace relent::cli

#else

namespace relent::cli {

void die_with_parent(pid_t) noexcept {}
void adopt_orphans() noexcept {}
std::optional<std::vector<pid_t>> children() { return std::nullopt; }
bool group_has_ended(pid_t) { return false; }
pid_t run_in_our_memory(int (*)(void*), void*, std::size_t) noexcept {
  errno = ENOSYS;
  return -1;
}

}  // namespace relent::cli

#endif
