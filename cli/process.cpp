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

/// All that the new process needs until it is the command, and what it leaves for us if it cannot be.
struct launch {
  char* const* argv;
  const command_surroundings& around;
  const signal_inbox& inbox;
  pid_t parent;
  int error = 0;
};

/// In the new process, whose memory may be ours: only async-signal-safe calls, and nothing of ours is changed
/// but `error`. Returns if the command cannot be executed.
void become_command(launch& order) noexcept {
  for (std::size_t i = 0; i < order.around.files.size(); ++i)
    if (order.around.files[i] >= 0) ::dup2(order.around.files[i], static_cast<int>(i));
  order.inbox.restore_for_command();
  char* const* const environment = order.around.environment != nullptr ? order.around.environment : environ;
  ::execvpe(order.argv[0], order.argv, environment);
  order.error = errno;
}

int launch_in_our_memory(void* context) {
  auto& order = *static_cast<launch*>(context);
  ::setpgid(0, 0);
  die_with_parent(order.parent);
  become_command(order);
  return 1;
}

[[noreturn]] void launch_in_a_copy(launch& order, const foreground_place* place,
                                   start_up& channels) noexcept {
  ::setpgid(0, 0);
  die_with_parent(order.parent);
  if (place != nullptr) {
    pipe_ends::close(channels.witness.write);
    await_end_of(channels.witness.read);
    place->screen.give_to(::getpid());
  }
  become_command(order);
  ::_exit(::write(channels.error.write, &order.error, sizeof order.error) < 0 ? 1 : 0);
}

/// Zero once the command runs, or the error that exec met.
int await_exec(int report) noexcept {
  int error = 0;
  ssize_t got = 0;
  do got = ::read(report, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

start_result result_of(pid_t pid, int exec_error) noexcept {
  using failure = start_result::failure;
  if (exec_error == 0) return {failure::none, 0, pid};
  reap(pid);
  return {failure::not_executed, exec_error, -1};
}

/// While the new process becomes the command we stand still.
start_result start_in_our_memory(launch& order) noexcept {
  std::size_t words = 0;
  while (order.argv[words] != nullptr) ++words;
  // For a script without #! exec makes a copy of the words for sh.
  const std::size_t stack_size = (std::size_t{64} << 10U) + words * 2 * sizeof(char*);
  const pid_t pid = run_in_our_memory(launch_in_our_memory, &order, stack_size);
  if (pid < 0) return {start_result::failure::no_process, errno, -1};
  return result_of(pid, order.error);
}

/// A command that is to stand in the foreground waits for its witness, which we start meanwhile.
start_result start_in_a_copy(launch& order, const foreground_place* place) noexcept {
  using failure = start_result::failure;
  start_up channels;
  if (!channels.error.open() || (place != nullptr && !channels.witness.open()))
    return {failure::no_process, errno, -1};
  const pid_t pid = ::fork();
  if (pid == 0) launch_in_a_copy(order, place, channels);
  if (pid < 0) return {failure::no_process, errno, -1};
  ::setpgid(pid, pid);                     // the child does it as well: whoever comes first
  pipe_ends::close(channels.error.write);  // before the witness could inherit it
  if (place != nullptr) place->witness.join(pid, channels.witness.write);
  pipe_ends::close(channels.witness.write);
  const int exec_error = await_exec(channels.error.read);
  if (exec_error != 0 && place != nullptr) place->screen.take_back_from(pid);
  return result_of(pid, exec_error);
}

}  // namespace

start_result start_command(char* const* argv, const command_surroundings& around, const signal_inbox& inbox,
                           const foreground_place* foreground) noexcept {
  launch order{.argv = argv, .around = around, .inbox = inbox, .parent = ::getpid()};
  if (foreground == nullptr) {
    const start_result started = start_in_our_memory(order);
    if (started.failed != start_result::failure::no_process || started.error != ENOSYS) return started;
  }
  return start_in_a_copy(order, foreground);
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

bool end_group_by(pid_t group, int signal) noexcept {
  if (group == no_group) return true;
  const bool allowed = ::kill(-group, signal) == 0 || errno != EPERM;
  signal_group(group, SIGCONT);
  return allowed;
}

void signal_group(pid_t group, int signal) noexcept {
  if (group != no_group) ::kill(-group, signal);
}

}  // namespace relent::cli
