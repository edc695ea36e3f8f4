// SPDX-License-Identifier: Apache-2.0
// On Linux, /proc opens what a descriptor stands for anew, with flags of its own. Elsewhere, and where that
// is refused, small pieces do.
#include "descriptor.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>

namespace relent::cli {
namespace {

/// What fits into a terminal that takes anything at all, if not always.
constexpr std::size_t terminal_piece = 64;

#if defined(__linux__)

/// Opening the master side of a pseudo-terminal again would make another terminal.
bool is_terminal_master(int number) noexcept {
  unsigned int ignored = 0;
  return ::ioctl(number, TIOCGPTN, &ignored) == 0;
}

int open_again(int number, our_end which) noexcept {
  if (is_terminal_master(number)) return -1;
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", number);
  const int access = which == our_end::read ? O_RDONLY : O_WRONLY;
  return ::open(path, access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

#else

int open_again(int, our_end) noexcept { return -1; }

#endif

bool is_ready(int number, short events) noexcept {
  pollfd watched{number, events, 0};
  return ::poll(&watched, 1, 0) > 0;
}

template <class Call>
ssize_t uninterrupted(Call call) noexcept {
  ssize_t done = 0;
  do done = call();
  while (done < 0 && errno == EINTR);
  if (done < 0 && errno == EWOULDBLOCK) errno = EAGAIN;
  return done;
}

ssize_t wait_for_poll() noexcept {
  errno = EAGAIN;
  return -1;
}

}  // namespace

void owned_descriptor::close() noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

int make_pipe(our_end which, owned_descriptor& ours, owned_descriptor& theirs) noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  const bool writes = which == our_end::write;
  ours = owned_descriptor(ends[writes ? 1 : 0]);
  theirs = owned_descriptor(ends[writes ? 0 : 1]);
  if (::fcntl(ours.get(), F_SETFL, (writes ? O_WRONLY : O_RDONLY) | O_NONBLOCK) == 0) return 0;
  const int error = errno;
  ours.close();
  theirs.close();
  return error;
}

std::size_t unread_in(int pipe) noexcept {
  int unread = 0;
  return ::ioctl(pipe, FIONREAD, &unread) == 0 && unread > 0 ? static_cast<std::size_t>(unread) : 0;
}

short events_of(std::span<const pollfd> polled, int number) noexcept {
  int events = 0;
  if (number >= 0)
    for (const pollfd& each : polled)
      if (each.fd == number) events |= each.revents;
  return static_cast<short>(events);
}

shared_descriptor::shared_descriptor(int number, our_end which) noexcept : number_(number) {
  struct stat facts {};
  if (number < 0 || ::fstat(number, &facts) != 0) return;
  if (S_ISSOCK(facts.st_mode)) way_ = way::socket;
  is_pipe_ = S_ISFIFO(facts.st_mode);
  if (!is_pipe_ && ::isatty(number) == 0) return;
  piece_ = is_pipe_ ? std::size_t{PIPE_BUF} : terminal_piece;
  own_ = owned_descriptor(open_again(number, which));
  way_ = own_.is_open() ? way::own : way::pieces;
}

ssize_t shared_descriptor::read(std::span<char> bytes) noexcept {
  if (way_ == way::socket)
    return uninterrupted([&] { return ::recv(number_, bytes.data(), bytes.size(), MSG_DONTWAIT); });
  const int from = way_ == way::own ? own_.get() : number_;
  if (way_ == way::pieces && !is_ready(from, POLLIN)) return wait_for_poll();
  return uninterrupted([&] { return ::read(from, bytes.data(), bytes.size()); });
}

ssize_t shared_descriptor::write(std::string_view bytes) noexcept {
  if (way_ == way::socket)
    return uninterrupted(
        [&] { return ::send(number_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL); });
  const int to = way_ == way::own ? own_.get() : number_;
  if (way_ == way::pieces) {
    if (!is_ready(to, POLLOUT)) return wait_for_poll();
    bytes = bytes.substr(0, piece_);
  }
  return uninterrupted([&] { return ::write(to, bytes.data(), bytes.size()); });
}

}  // namespace relent::cli
