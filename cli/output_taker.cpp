// SPDX-License-Identifier: Apache-2.0
// What goes out, goes out in this order: what is held, if it is being released, and then the queue. Nothing
// is read from the command meanwhile, so that it waits as it would for our own descriptor.
#include "output_taker.hpp"

#include <sys/types.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

namespace relent::cli {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 16U;
/// How much is written before signals are looked at again.
constexpr std::size_t at_a_time = std::size_t{1} << 20U;
constexpr int pieces_at_once = 4;

/// What others write to the same pipe comes between lines, if not more than PIPE_BUF is written at a time:
/// that goes as a whole or not at all.
std::string_view whole_lines_of(std::string_view bytes) noexcept {
  bytes = bytes.substr(0, PIPE_BUF);
  const std::size_t end = bytes.rfind('\n');
  return end == std::string_view::npos ? bytes : bytes.substr(0, end + 1);
}

}  // namespace

output_taker::output_taker(int own, output_way way, line_watch* watch)
    : own_(own), way_(way), watch_(watch), target_(way == output_way::tee ? own : -1, our_end::write) {}

int output_taker::begin_attempt() noexcept {
  if (watch_ != nullptr) watch_->reset();
  return way_ == output_way::pass ? 0 : make_pipe(our_end::read, ours_, theirs_);
}

void output_taker::started() noexcept {
  theirs_.close();
  if (goes_on() && lost_ != 0) ours_.close();
}

void output_taker::add_to(std::vector<pollfd>& set) const {
  if (pending()) {
    set.push_back({target_.number(), POLLOUT, 0});
  } else if (ours_.is_open()) {
    set.push_back({ours_.get(), POLLIN, 0});
    if (goes_on() && target_.is_pipe())
      set.push_back({target_.number(), 0, 0});  // tells when its reader is gone
  }
}

void output_taker::handle(std::span<const pollfd> ready) {
  const int out = events_of(ready, target_.number());
  if (pending()) {
    if (out != 0) pump();
    return;
  }
  if (!ours_.is_open()) return;
  if (goes_on() && target_.is_pipe() && (out & POLLERR) != 0) return lose(EPIPE);
  if (events_of(ready, ours_.get()) == 0) return;
  // Several pieces at once, so that a line that a piece cuts in two is whole again before it goes on.
  auto got = static_cast<ssize_t>(chunk);
  for (int i = 0; i < pieces_at_once && got == static_cast<ssize_t>(chunk); ++i) got = take(chunk);
  if (got == 0 || (got < 0 && errno != EAGAIN)) ours_.close();
  pump();
}

void output_taker::end_attempt() {
  theirs_.close();
  if (ours_.is_open())
    for (std::size_t left = unread_in(ours_.get()); left > 0 && ours_.is_open();) {
      const ssize_t got = take(std::min(left, chunk));
      if (got <= 0) break;
      left -= static_cast<std::size_t>(got);
    }
  ours_.close();
  if (watch_ != nullptr) watch_->finish();
}

ssize_t output_taker::take(std::size_t most) {
  ssize_t got = 0;
  do got = ::read(ours_.get(), buffer(), most);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return got;
  buffer()[got] =
      '\0';  // the address sanitizer takes what a regular expression is looked for in for a C string
  accept({buffer(), static_cast<std::size_t>(got)});
  return got;
}

void output_taker::accept(std::string_view bytes) {
  if (watch_ != nullptr) watch_->feed(bytes);
  if (!goes_on()) {
    if (held_.append(bytes)) return;
    commit_error_ = errno;
    release_to(own_);
  }
  if (lost_ == 0) queue_.append(bytes);
}

void output_taker::release_to(int descriptor) {
  if (target_.number() != descriptor) target_ = shared_descriptor(descriptor, our_end::write);
  released_ = 0;
  is_releasing_ = held_.size() > 0;
  if (descriptor == own_ && lost_ != 0) discard();
}

void output_taker::discard() noexcept {
  held_.clear();
  is_releasing_ = false;
  queue_.clear();
  queue_begin_ = 0;
}

void output_taker::pump() {
  for (std::size_t done = 0; pending() && done < at_a_time;) {
    const std::size_t written = pump_piece();
    if (written == 0) return;
    done += written;
  }
}

/// Returns how much was written, 0 if nothing can be for now.
std::size_t output_taker::pump_piece() {
  std::string_view piece = std::string_view(queue_).substr(queue_begin_);
  if (is_releasing_) {
    const std::size_t size = target_.is_pipe() ? std::size_t{PIPE_BUF} : chunk;
    const ssize_t got = held_.read_at(released_, {buffer(), size});
    if (got < 0) {
      lose(errno);
      return 0;
    }
    piece = {buffer(), static_cast<std::size_t>(got)};
  }
  const ssize_t written = target_.write(target_.is_pipe() ? whole_lines_of(piece) : piece);
  if (written < 0 && errno != EAGAIN) lose(errno);
  if (written <= 0) return 0;
  const auto size = static_cast<std::size_t>(written);
  if (is_releasing_) {
    released_ += size;
    if (released_ == held_.size()) {
      is_releasing_ = false;
      held_.clear();
    }
  } else {
    queue_begin_ += size;
    if (queue_begin_ == queue_.size()) {
      queue_.clear();
      queue_begin_ = 0;
    }
  }
  return size;
}

void output_taker::lose(int error) noexcept {
  discard();
  const bool was_closed_from_the_start = error == EBADF;  // then nobody misses it
  if (target_.number() != own_ || was_closed_from_the_start) return;
  lost_ = error;
  if (goes_on()) ours_.close();
}

char* output_taker::buffer() {
  if (!buffer_) buffer_.reset(new char[chunk + 1]);
  return buffer_.get();
}

std::string output_taker::why_committed() const {
  if (!committed()) return {};
  return "its output could not be held back and is written already: " +
         std::generic_category().message(commit_error_);
}

}  // namespace relent::cli
