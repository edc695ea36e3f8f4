// SPDX-License-Identifier: Apache-2.0
// Handing over the foreground, and the witness.
#include "terminal.hpp"

#include "platform.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>

namespace relent::cli {

terminal::terminal() noexcept : descriptor_(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)) {}

terminal::~terminal() {
  if (exists()) ::close(descriptor_);
}

bool terminal::is_ours() const noexcept { return exists() && ::tcgetpgrp(descriptor_) == ::getpgrp(); }

void terminal::give_to(pid_t group) const noexcept { ::tcsetpgrp(descriptor_, group); }

void terminal::take_back_from(pid_t group) const noexcept {
  if (exists() && ::tcgetpgrp(descriptor_) == group) ::tcsetpgrp(descriptor_, ::getpgrp());
}

namespace {

constexpr int typed_signals[] = {SIGINT, SIGQUIT, SIGTSTP};

/// Whether the signal came from a key and not from a process, which the command's group may well use itself.
bool was_typed(const siginfo_t& info) noexcept {
#if defined(SI_KERNEL)
  return info.si_code == SI_KERNEL;
#else
  return info.si_pid == 0;
#endif
}

/// Tells the witness to end. Of several pending signals the lowest comes first, so this one comes last.
int dismissal() noexcept { return SIGRTMIN; }

[[noreturn]] void bear_witness(pid_t group, pid_t parent, int reports, int ready) noexcept {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  if (::setpgid(0, group) != 0) ::_exit(0);
  die_with_parent(parent);
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, dismissal());
  for (const int key : typed_signals) {
    ::signal(key, SIG_DFL);  // an ignored signal would not be seen
    sigaddset(&awaited, key);
  }
  ::close(ready);
  for (;;) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&awaited, &info);
    if (signal == dismissal()) ::_exit(0);
    if (signal <= 0 || !was_typed(info)) continue;
    const auto report = static_cast<unsigned char>(signal);
    if (::write(reports, &report, 1) != 1) ::_exit(0);
  }
}

/// Waits for a report or the end of reports, but not for ever: the command may have stopped the witness.
void await_report(int reports) noexcept {
  constexpr int longest_ms = 1000;
  pollfd watched{reports, POLLIN, 0};
  while (::poll(&watched, 1, longest_ms) < 0 && errno == EINTR) {
  }
}

}  // namespace

void key_witness::join(pid_t group, int ready) noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) bear_witness(group, parent, ends[1], ready);
  ::close(ends[1]);
  reports_ = ends[0];
  if (pid_ < 0) dismiss();
}

signal_set key_witness::dismiss() noexcept {
  signal_set keys;
  if (pid_ > 0) {
    ::kill(pid_, dismissal());
    ::kill(pid_, SIGCONT);
    do await_report(reports_);
    while (read_into(keys));
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (reports_ >= 0) ::close(reports_);
  pid_ = -1;
  reports_ = -1;
  return keys;
}

void key_witness::was_reaped(pid_t pid) noexcept {
  if (pid == pid_) pid_ = -1;
}

signal_set key_witness::typed() noexcept {
  signal_set keys;
  while (read_into(keys)) {
  }
  return keys;
}

/// Adds one report. False if there is none for now, or none any more, in which case none is waited for again.
bool key_witness::read_into(signal_set& keys) noexcept {
  unsigned char key = 0;
  if (reports_ < 0) return false;
  const ssize_t got = ::read(reports_, &key, 1);
  if (got == 1) keys.add(key);
  if (got == 0) {
    ::close(reports_);
    reports_ = -1;
  }
  return got == 1;
}

}  // namespace relent::cli
