// SPDX-License-Identifier: Apache-2.0
// Signals stay blocked except inside ppoll. So handlers run nowhere else, nothing else is interrupted,
// and no signal is lost between looking and waiting.
#include "signals.hpp"

#include "exit_codes.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <iterator>

namespace relent::cli {
namespace {

constexpr int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGWINCH, SIGCONT};
/// A process started with one of these ignored is to stay so, its commands too: nohup and `&` rely on it.
constexpr int kept_ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};

std::atomic<std::uint64_t> arrived{0};
std::atomic<bool> told_to_end{false};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a signal handler must not lock");

void collect(int signal, siginfo_t* info, void* /*context*/) {
  const bool from_us = info->si_code == SI_USER && info->si_pid == ::getpid();
  if (from_us) return;
  arrived.fetch_or(signal_set::bit(signal), std::memory_order_relaxed);
  if (is_terminating(signal)) told_to_end.store(true, std::memory_order_relaxed);
}

void catch_signal(int signal) noexcept {
  struct sigaction action {};
  action.sa_sigaction = collect;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

void set_action(int signal, void (*handler)(int)) noexcept {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) noexcept {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == SIG_IGN;
}

void unblock(int signal) noexcept {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

void block(int signal) noexcept {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::pthread_sigmask(SIG_BLOCK, &only, nullptr);
}

timespec to_timespec(duration length) noexcept {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(length);
  timespec result{};
  result.tv_sec = static_cast<time_t>(seconds.count());
  result.tv_nsec = static_cast<long>((length - seconds).count());
  return result;
}

}  // namespace

time_point now() noexcept { return time_point{std::chrono::steady_clock::now().time_since_epoch()}; }

signal_inbox::signal_inbox() {
  for (const int signal : kept_ignored)
    if (is_ignored(signal)) left_ignored_.add(signal);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigaddset(&blocked, SIGTTOU);  // so that the terminal can be handed over from the background
  for (const int signal : passed_on) sigaddset(&blocked, signal);
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  for (const int signal : passed_on)
    if (!left_ignored_.contains(signal)) catch_signal(signal);
  catch_signal(SIGCHLD);
  set_action(SIGPIPE, SIG_IGN);
  set_action(SIGXFSZ, SIG_IGN);  // a limit on file sizes is met as an error, and told
}

signal_set signal_inbox::wait(time_point until, std::span<pollfd> watched) noexcept {
  sigset_t open;
  sigemptyset(&open);
  sigaddset(&open, SIGTTOU);
  for (;;) {
    const timespec left = to_timespec(time_between(now(), until));
    const int ready = ::ppoll(watched.data(), watched.size(), until == end_of_time ? nullptr : &left, &open);
    if (ready <= 0)
      for (pollfd& each : watched) each.revents = 0;
    const signal_set got{arrived.exchange(0, std::memory_order_relaxed)};
    if (!got.empty() || ready > 0 || now() >= until) return got;
    if (ready < 0 && errno != EINTR) return got;
  }
}

void signal_inbox::restore_for_command() const noexcept {
  for (int signal = 1; signal < NSIG; ++signal)
    if (!left_ignored_.contains(signal)) set_action(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

bool signal_inbox::suspend_self() noexcept {
  if (left_ignored_.contains(SIGTSTP)) return false;
  set_action(SIGTSTP, SIG_DFL);
  ::raise(SIGTSTP);  // discards a SIGCONT that is pending
  unblock(SIGTSTP);  // stops here
  block(SIGTSTP);
  catch_signal(SIGTSTP);
  sigset_t pending;
  sigemptyset(&pending);
  ::sigpending(&pending);
  return sigismember(&pending, SIGCONT) == 1;
}

bool terminating_signal_came() noexcept { return told_to_end.load(std::memory_order_relaxed); }

bool is_passed_on(int signal) noexcept { return std::ranges::find(passed_on, signal) != std::end(passed_on); }

bool is_terminating(int signal) noexcept {
  return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
}

void die_by(int signal) noexcept {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  set_action(signal, SIG_DFL);
  ::raise(signal);
  unblock(signal);
  ::_exit(exit_killed_by(signal));  // reached as process 1 of a container, which default actions spare
}

}  // namespace relent::cli
