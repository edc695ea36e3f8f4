// SPDX-License-Identifier: Apache-2.0
// What came from stdin so far is kept_, followed by the rest that could not be kept. An attempt that has been
// given all of it gets what comes next.
#include "input_replay.hpp"

#include "size_text.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace relent::cli {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 16U;

std::string text_of(int error) { return std::generic_category().message(error); }

/// A stream socket that can be read from. Messages would lose their boundaries in a pipe.
bool is_stream(int socket) noexcept {
  int type = 0;
  int listens = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return false;
  size = sizeof listens;
  return ::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0;
}

#if defined(__linux__)

/// Makes a pipe so small that it has room only when it is empty. Returns how much it holds; 0: it cannot be.
std::size_t make_narrow(int pipe) noexcept {
  const int size = ::fcntl(pipe, F_SETPIPE_SZ, 1);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

void make_wide(int pipe) noexcept { ::fcntl(pipe, F_SETPIPE_SZ, static_cast<int>(chunk)); }

/// Copies what a pipe holds into another, without taking it.
ssize_t show_in(int from, int to, std::size_t size) noexcept {
  return ::tee(from, to, size, SPLICE_F_NONBLOCK);
}

#else

std::size_t make_narrow(int) noexcept { return 0; }
void make_wide(int) noexcept {}
ssize_t show_in(int, int, std::size_t) noexcept {
  errno = EINVAL;
  return -1;
}

#endif

}  // namespace

input_replay::input_replay(std::uint64_t limit, int source) : limit_(limit), source_(-1, our_end::read) {
  struct stat facts {};
  const int flags = ::fcntl(source, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY || ::fstat(source, &facts) != 0) return;
  if (S_ISFIFO(facts.st_mode) || (S_ISSOCK(facts.st_mode) && is_stream(source))) {
    way_ = way::replay;
    source_ = shared_descriptor(source, our_end::read);
    may_show_ = source_.is_pipe();
  } else if (!S_ISCHR(facts.st_mode) && !S_ISDIR(facts.st_mode)) {
    origin_ = ::lseek(source, 0, SEEK_CUR);
    if (origin_ >= 0) way_ = way::rewind;
    file_ = source;
  }
}

int input_replay::begin_attempt() {
  if (way_ == way::inherit) return 0;
  if (way_ == way::rewind) {
    const bool first = !std::exchange(was_begun_, true);
    return first || ::lseek(file_, origin_, SEEK_SET) >= 0 ? 0 : errno;
  }
  if (!can_repeat()) return ENODATA;
  if (const int error = make_pipe(our_end::write, ours_, theirs_); error != 0) return error;
  given_ = 0;
  shown_ = 0;
  awaits_room_ = false;
  if (is_careful()) {
    page_ = make_narrow(ours_.get());
    may_show_ = page_ > 0;
  }
  if (at_end_ && !owes()) ours_.close();
  return 0;
}

bool input_replay::is_careful() const noexcept {
  return may_show_ && !keeps_no_more_ && kept_.size() < std::min(limit_, careful_size);
}

bool input_replay::owes() const noexcept {
  return given_ < kept_.size() || (rest_size_ > 0 && given_ < taken());
}

void input_replay::add_to(std::vector<pollfd>& set) const {
  if (!ours_.is_open() || is_broken()) return;
  const bool wants_room = awaits_room_ || owes();
  set.push_back({ours_.get(), static_cast<short>(wants_room ? POLLOUT : 0), 0});
  if (!wants_room) set.push_back({source_.number(), POLLIN, 0});
}

void input_replay::handle(std::span<const pollfd> ready) {
  if (!ours_.is_open() || is_broken()) return;
  const int room = events_of(ready, ours_.get());
  if ((room & POLLERR) != 0) return stop_feeding();  // nobody reads it any more
  if (awaits_room_ && (room & POLLOUT) == 0) return;
  awaits_room_ = false;
  if (shown_ > 0) settle();
  if (owes())
    give();
  else if (events_of(ready, source_.number()) != 0)
    take();
  if (at_end_ && !owes() && shown_ == 0) stop_feeding();
}

/// Hands on what is at hand.
void input_replay::give() {
  if (given_ >= kept_.size()) {
    const auto done = static_cast<std::size_t>(given_ - rest_at_);
    return write_on({rest_.get() + done, rest_size_ - done});
  }
  const ssize_t got = kept_.read_at(given_, {buffer(), chunk});
  if (got < 0)
    broken_ = errno;
  else
    write_on({buffer(), static_cast<std::size_t>(got)});
}

void input_replay::write_on(std::string_view bytes) {
  const ssize_t written = ::write(ours_.get(), bytes.data(), bytes.size());
  if (written < 0 && errno != EAGAIN && errno != EINTR) return stop_feeding();
  if (written > 0) given_ += static_cast<std::uint64_t>(written);
  if (written > 0 && given_ > kept_.size()) used_up_ = true;
  awaits_room_ = is_careful() || written < static_cast<ssize_t>(bytes.size());
}

/// Takes what comes next, and hands it on.
void input_replay::take() {
  if (is_careful() && show()) return;
  const std::uint64_t room = keeps_no_more_ ? 0 : limit_ - kept_.size();
  const std::size_t size = room == 0 ? chunk : static_cast<std::size_t>(std::min<std::uint64_t>(room, chunk));
  const ssize_t got = source_.read({buffer(), size});
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) return reach_end(got < 0 ? errno : 0);
  const std::string_view bytes(buffer(), static_cast<std::size_t>(got));
  keep(bytes);
  write_on(bytes);
}

/// Shows the command what lies in our pipe. False if that cannot be done.
bool input_replay::show() {
  const std::uint64_t most = std::min<std::uint64_t>(limit_ - kept_.size(), page_);
  const ssize_t shown = show_in(source_.number(), ours_.get(), static_cast<std::size_t>(most));
  if (shown < 0 && errno != EAGAIN && errno != EINTR) {
    may_show_ = false;
    make_wide(ours_.get());
    return false;
  }
  if (shown == 0) reach_end(0);
  if (shown > 0) shown_ = static_cast<std::size_t>(shown);
  awaits_room_ = shown != 0;
  return true;
}

/// Takes what the command took of what it was shown.
void input_replay::settle() {
  const std::size_t used = shown_ - std::min(shown_, unread_in(ours_.get()));
  shown_ = 0;
  for (std::size_t got = 0; got < used;) {
    const ssize_t part = source_.read({buffer(), used - got});
    if (part <= 0) {
      was_stolen_ = used_up_ = true;
      break;
    }
    got += static_cast<std::size_t>(part);
    keep({buffer(), static_cast<std::size_t>(part)});
  }
  given_ += used;
  if (given_ > kept_.size()) used_up_ = true;
  if (!is_careful()) make_wide(ours_.get());
}

void input_replay::keep(std::string_view bytes) {
  if (!keeps_no_more_ && bytes.size() <= limit_ - kept_.size()) {
    if (kept_.append(bytes)) {
      rest_at_ = kept_.size();
      return;
    }
    keep_error_ = errno;
  }
  keeps_no_more_ = true;
  if (!rest_) rest_ = std::make_unique<char[]>(chunk);
  rest_at_ = taken();
  rest_size_ = bytes.size();
  std::memcpy(rest_.get(), bytes.data(), bytes.size());
}

void input_replay::reach_end(int error) noexcept {
  at_end_ = true;
  read_error_ = error;
}

void input_replay::stop_feeding() {
  if (shown_ > 0) settle();
  ours_.close();
}

void input_replay::end_attempt() {
  theirs_.close();
  if (ours_.is_open()) stop_feeding();
}

char* input_replay::buffer() {
  if (!buffer_) buffer_.reset(new char[chunk]);
  return buffer_.get();
}

std::string input_replay::why_not() const {
  if (broken_ != 0)
    return "its input could not be read back from " + temporary_folder() + ": " + text_of(broken_);
  if (was_stolen_) return "another process read from its input at the same time";
  if (!used_up_) return {};
  if (keep_error_ != 0)
    return "its input could not be kept in " + temporary_folder() + ": " + text_of(keep_error_);
  return "more than --stdin-limit " + size_to_text(limit_) + " of input was used";
}

std::string input_replay::trouble() const {
  return read_error_ == 0 ? std::string() : "its input could not be read: " + text_of(read_error_);
}

}  // namespace relent::cli
