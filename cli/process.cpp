// SPDX-License-Identifier: Apache-2.0
// fork, exec, wait.
#include "process.hpp"

#include "platform.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace relent::cli {
namespace {

/// Two ends of a pipe that a command does not inherit.
struct pipe_ends {
  int read = -1;
  int write = -1;

  bool open() noexcept {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  ~pipe_ends() {
    close(read);
    close(write);
  }
  static void close(int& end) noexcept {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

/// What the two processes tell each other until the new one is the command.
struct start_up {
  pipe_ends error;    ///< the errno of exec; its end says that the command runs
  pipe_ends witness;  ///< its end says that the witness is there
};

bool await_end_of(int descriptor) noexcept {
  char ignored = 0;
  while (::read(descriptor, &ignored, 1) < 0)
    if (errno != EINTR) return false;
  return true;
}

/// What the new process does until it is the command. Only async-signal-safe calls.
[[noreturn]] void become_command(char* const* argv, const command_surroundings& around, const signal_inbox& inbox,
                                 const foreground_place* foreground, pid_t parent,
                                 start_up& channels) noexcept {
  ::setpgid(0, 0);
  die_with_parent(parent);
  if (foreground) {
    pipe_ends::close(channels.witness.write);
    await_end_of(channels.witness.read);
    foreground->screen.give_to(::getpid());
  }
  for (std::size_t i = 0; i < around.files.size(); ++i)
    if (around.files[i] >= 0) ::dup2(around.files[i], static_cast<int>(i));
  if (around.environment != nullptr) environ = const_cast<char**>(around.environment);
  inbox.restore_for_command();
  ::execvp(argv[0], argv);
  const int error = errno;
  ::_exit(::write(channels.error.write, &error, sizeof error) < 0 ? 1 : 0);
}

/// Zero once the command runs, or the error that exec met.
int await_exec(int report) noexcept {
  int error = 0;
  ssize_t got = 0;
  do got = ::read(report, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

}  // namespace

start_result start_command(char* const* argv, const command_surroundings& around, const signal_inbox& inbox,
                           const foreground_place* foreground) noexcept {
  using failure = start_result::failure;
  start_up channels;
  if (!channels.error.open() || (foreground && !channels.witness.open()))
    return {failure::no_process, errno, -1};
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become_command(argv, around, inbox, foreground, parent, channels);
  if (pid < 0) return {failure::no_process, errno, -1};
  ::setpgid(pid, pid);                     // the child does it as well: whoever comes first
  pipe_ends::close(channels.error.write);  // before the witness could inherit it
  if (foreground) foreground->witness.join(pid, channels.witness.write);
  pipe_ends::close(channels.witness.write);
  const int exec_error = await_exec(channels.error.read);
  if (exec_error == 0) return {failure::none, 0, pid};
  if (foreground) foreground->screen.take_back_from(pid);
  reap(pid);
  return {failure::not_executed, exec_error, -1};
}

namespace detail {

pid_t next_ended_child(process_end& end) noexcept {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return 0;
  end = {info.si_code != CLD_EXITED, info.si_status};
  return info.si_pid;
}

}  // namespace detail

void reap_ended_children() noexcept {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

bool was_stopped(pid_t pid) noexcept {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == pid;
}

void reap(pid_t pid) noexcept {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool group_lives(pid_t group) noexcept {
  return group != no_group && (::kill(-group, 0) == 0 || errno == EPERM);
}

void end_group_by(pid_t group, int signal) noexcept {
  signal_group(group, signal);
  signal_group(group, SIGCONT);
}

void signal_group(pid_t group, int signal) noexcept {
  if (group != no_group) ::kill(-group, signal);
}

}  // namespace relent::cli
