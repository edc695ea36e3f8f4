// SPDX-License-Identifier: Apache-2.0
// A handler may not trigger a token; it writes to a pipe, and a thread that reads there does.
#include "stop_signals.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace relent::cli {
namespace {

constexpr int caught[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

std::atomic<int> first_signal{0};
std::atomic<int> wake_writer{-1};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not lock");

void note(int signal) {
  const int error = errno;
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  const char byte = 1;
  static_cast<void>(::write(wake_writer.load(), &byte, 1));
  errno = error;
}

void set_action(int signal, void (*handler)(int)) noexcept {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) noexcept {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

stop_signals::stop_signals() {
  if (::pipe2(wake_, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "a pipe");
  wake_writer.store(wake_[1]);
  waiter_ = std::thread([this] {
    char byte = 0;
    while (::read(wake_[0], &byte, 1) < 0 && errno == EINTR) {
    }
    if (byte != 0) source_.request_stop();
  });
  for (const int signal : caught)
    if (!is_ignored(signal)) set_action(signal, note);
  set_action(SIGPIPE, SIG_IGN);
  set_action(SIGXFSZ, SIG_IGN);
}

stop_signals::~stop_signals() {
  const char end = 0;
  static_cast<void>(::write(wake_[1], &end, 1));
  waiter_.join();
  for (const int signal : caught)
    if (!is_ignored(signal)) set_action(signal, SIG_DFL);
  ::close(wake_[0]);
  ::close(wake_[1]);
}

int stop_signals::received() const noexcept { return first_signal.load(); }

}  // namespace relent::cli
