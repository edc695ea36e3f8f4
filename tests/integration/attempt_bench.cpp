// SPDX-License-Identifier: Apache-2.0
// Commands, threads and pipes for the tests of the tool's streams.
#include "attempt_bench.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <random>
#include <vector>

namespace relent::test {
namespace {

using cli::owned_descriptor;
using steady = std::chrono::steady_clock;

constexpr auto longest_test = std::chrono::seconds{20};

int milliseconds_to(steady::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

/// The process, and a descriptor that is readable once it ended.
struct started_command {
  pid_t pid = -1;
  owned_descriptor end;
};

started_command start(int in, int out, const std::string& script) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (in >= 0) ::dup2(in, STDIN_FILENO);
    if (out >= 0) ::dup2(out, STDOUT_FILENO);
    ::signal(SIGPIPE, SIG_DFL);
    ::execlp("sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(99);
  }
  return {pid, owned_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)))};
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

}  // namespace

channel channel::of_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  return {owned_descriptor(ends[0]), owned_descriptor(ends[1])};
}

channel channel::of_sockets() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  return {owned_descriptor(ends[0]), owned_descriptor(ends[1])};
}

int run_with(cli::input_replay* input, cli::output_taker* output, const std::string& script,
             const std::function<void()>& meanwhile) {
  if (input != nullptr && input->begin_attempt() != 0) return -1;
  if (output != nullptr && output->begin_attempt() != 0) return -1;
  const started_command command =
      start(input != nullptr ? input->child_end() : -1, output != nullptr ? output->child_end() : -1, script);
  if (input != nullptr) input->started();
  if (output != nullptr) output->started();
  const auto give_up = steady::now() + longest_test;
  std::vector<pollfd> set;
  while (!has_ended(command.pid) && steady::now() < give_up) {
    set.assign(1, {command.end.get(), POLLIN, 0});
    if (input != nullptr) input->add_to(set);
    if (output != nullptr) output->add_to(set);
    ::poll(set.data(), set.size(), milliseconds_to(give_up));
    if (input != nullptr) input->handle(set);
    if (output != nullptr) output->handle(set);
    if (meanwhile) meanwhile();
  }
  const bool in_time = has_ended(command.pid);
  if (!in_time) ::kill(command.pid, SIGKILL);
  int status = 0;
  ::waitpid(command.pid, &status, 0);
  if (input != nullptr) input->end_attempt();
  if (output != nullptr) output->end_attempt();
  if (!in_time) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool flush(cli::output_taker& output) {
  const auto give_up = steady::now() + longest_test;
  std::vector<pollfd> set;
  while (output.pending() && steady::now() < give_up) {
    set.clear();
    output.add_to(set);
    ::poll(set.data(), set.size(), milliseconds_to(give_up));
    output.handle(set);
  }
  return !output.pending();
}

background_writer::background_writer(owned_descriptor to, std::string_view bytes, unsigned seed,
                                     std::size_t largest)
    : thread_([to = std::move(to), bytes, seed, largest]() mutable {
        std::mt19937 random(seed);
        while (!bytes.empty()) {
          const std::size_t size = std::min<std::size_t>(1 + random() % largest, bytes.size());
          const ssize_t written = ::write(to.get(), bytes.data(), size);
          if (written < 0 && errno == EINTR) continue;
          if (written <= 0) return;
          bytes.remove_prefix(static_cast<std::size_t>(written));
        }
        to.close();
      }) {}

background_writer::~background_writer() { thread_.join(); }

consumer::consumer(owned_descriptor from)
    : thread_([this, from = std::move(from)] {
        std::vector<char> buffer(std::size_t{1} << 16U);
        for (ssize_t got = 0; (got = ::read(from.get(), buffer.data(), buffer.size())) > 0;)
          text_.append(buffer.data(), static_cast<std::size_t>(got));
      }) {}

consumer::~consumer() {
  if (thread_.joinable()) thread_.join();
}

const std::string& consumer::text() {
  if (thread_.joinable()) thread_.join();
  return text_;
}

std::string random_bytes(std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::string bytes((size + 7) / 8 * 8, '\0');
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t eight = random();
    std::memcpy(bytes.data() + at, &eight, 8);
  }
  bytes.resize(size);
  return bytes;
}

std::size_t open_descriptors() {
  const auto files = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

bool apart(const std::function<bool()>& check) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(check() ? 0 : 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace relent::test
