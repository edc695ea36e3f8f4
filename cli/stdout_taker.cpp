// SPDX-License-Identifier: Apache-2.0
// Reads from the attempt only while nothing waits to be written, so that a slow reader slows the attempt
// down as it would without us.
#include "stdout_taker.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

namespace relent::cli {
namespace {

constexpr std::size_t piece = std::size_t{64} << 10U;
/// What a pipe takes without blocking once it is writable (POSIX, poll and PIPE_BUF).
constexpr std::size_t sure_piece = PIPE_BUF;

std::string error_text(int code) { return std::generic_category().message(code); }

/// Whole lines, if a line ends in it: what another stream writes to the same place then comes between lines.
std::string_view sure_part_of(std::string_view bytes) {
  const std::string_view piece_of_it = bytes.substr(0, sure_piece);
  const std::size_t end = piece_of_it.rfind('\n');
  return end == std::string_view::npos ? piece_of_it : piece_of_it.substr(0, end + 1);
}

/// A socket can be asked not to block; others are trusted with a small piece.
ssize_t write_without_blocking(int descriptor, std::string_view bytes) {
  const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  const std::string_view part = sure_part_of(bytes);
  return ::write(descriptor, part.data(), part.size());
}

}  // namespace

int stdout_taker::begin(int& descriptor) {
  descriptor = -1;
  if (!takes()) return 0;
  drop();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  source_ = ends[0];
  sink_ = ends[1];
  ::fcntl(source_, F_SETFL, O_NONBLOCK);
  descriptor = sink_;
  return 0;
}

void stdout_taker::started() {
  if (sink_ >= 0) ::close(sink_);
  sink_ = -1;
}

void stdout_taker::watch(std::vector<pollfd>& set) const {
  if (pending())
    set.push_back({target_, POLLOUT, 0});
  else if (source_ >= 0)
    set.push_back({source_, POLLIN, 0});
}

void stdout_taker::handle(const pollfd& ready) {
  if (ready.revents == 0) return;
  if (ready.fd == target_ && pending())
    write_more();
  else if (ready.fd == source_ && source_ >= 0)
    read_more();
}

void stdout_taker::read_more() {
  constexpr int at_once = 4;  // pieces, so that a line that a piece cuts in two is soon whole again
  std::array<char, piece> space;
  std::size_t got = space.size();
  for (int i = 0; i < at_once && got == space.size(); ++i) got = read_piece(space);
}

/// How much it was.
std::size_t stdout_taker::read_piece(std::span<char> space) {
  const ssize_t got = ::read(source_, space.data(), space.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
  if (got <= 0) {
    ::close(source_);
    source_ = -1;
    watch_.end();
    return 0;
  }
  take({space.data(), static_cast<std::size_t>(got)});
  return source_ >= 0 ? static_cast<std::size_t>(got) : 0;
}

void stdout_taker::take(std::string_view bytes) {
  watch_.take(bytes);
  if (loss_error_ != 0) return;
  if (!passes_on()) {
    const int error = held_.append(bytes);
    if (error == 0) return;
    not_held_error_ = error;
    release_to(own_);
  }
  passing_.append(bytes);
}

void stdout_taker::write_more() {
  std::array<char, piece> space;
  std::string_view bytes = passing_;
  const bool from_held = written_ < held_.size();
  if (from_held) {
    const std::ptrdiff_t got = held_.read_at(written_, space);
    if (got < 0) return lose(errno);
    bytes = {space.data(), static_cast<std::size_t>(got)};
  }
  const ssize_t written = write_without_blocking(target_, bytes);
  if (written < 0) {
    if (errno != EINTR && errno != EAGAIN) lose(errno);
    return;
  }
  if (from_held)
    written_ += static_cast<std::uint64_t>(written);
  else
    passing_.erase(0, static_cast<std::size_t>(written));
}

/// Our own stream is gone. The attempt learns of it as it would without us: from its next write.
void stdout_taker::lose(int error) {
  passing_.clear();
  written_ = held_.size();
  if (target_ != own_) return;  // what failed attempts wrote, lost on its way to stderr
  loss_error_ = error;
  if (source_ >= 0) ::close(source_);
  source_ = -1;
}

void stdout_taker::end() {
  started();
  constexpr int at_most = 32;  // pieces: who goes on writing is no part of the attempt
  for (int i = 0; i < at_most && source_ >= 0; ++i) {
    pollfd readable{source_, POLLIN, 0};
    if (::poll(&readable, 1, 0) <= 0) break;
    read_more();
  }
  if (source_ >= 0) ::close(source_);
  source_ = -1;
  watch_.end();
}

void stdout_taker::release_to(int target) {
  target_ = target;
  released_ = true;
}

void stdout_taker::drop() noexcept {
  held_.clear();
  written_ = 0;
  released_ = false;
  passing_.clear();
  target_ = own_;
}

bool stdout_taker::pending() const noexcept {
  return !passing_.empty() || (released_ && written_ < held_.size());
}

std::string stdout_taker::objection() const {
  if (not_held_error_ == 0) return {};
  return "its output could not be held back and is written already: " + error_text(not_held_error_);
}

std::string stdout_taker::loss() const {
  if (pending() && loss_error_ == 0) return "stdout could not be written in full: nobody reads it";
  if (loss_error_ == 0) return {};
  return fmt::format("{} could not be written: {}", own_ == STDERR_FILENO ? "stderr" : "stdout",
                     error_text(loss_error_));
}

}  // namespace relent::cli
