// SPDX-License-Identifier: Apache-2.0
// Reads only when the attempt has taken all that was read before, so that little is taken from whoever else
// reads this stdin.
#include "stdin_feeder.hpp"

#include "size_text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace relent::cli {
namespace {

constexpr std::size_t piece = std::size_t{64} << 10U;

std::string error_text(int code) { return std::generic_category().message(code); }

}  // namespace

stdin_feeder::stdin_feeder(std::uint64_t limit) : limit_(limit) {
  struct stat status {};
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY || ::fstat(STDIN_FILENO, &status) != 0) return;
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    kind_ = kind::stream;
  } else if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) {
    beginning_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (beginning_ >= 0) kind_ = kind::file;
  }
}

int stdin_feeder::begin(int& descriptor) {
  descriptor = -1;
  if (kind_ == kind::file) ::lseek(STDIN_FILENO, beginning_, SEEK_SET);
  if (kind_ != kind::stream) return 0;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  source_ = ends[0];
  sink_ = ends[1];
  ::fcntl(sink_, F_SETFL, O_NONBLOCK);
  given_ = 0;
  descriptor = source_;
  return 0;
}

void stdin_feeder::started() {
  if (source_ >= 0) ::close(source_);
  source_ = -1;
}

void stdin_feeder::watch(std::vector<pollfd>& set) const {
  if (sink_ < 0) return;
  const bool has_more = !everything_given();
  set.push_back(
      {sink_, static_cast<short>(has_more ? POLLOUT : 0), 0});  // and whether anybody reads it still
  if (!has_more && !at_end_) set.push_back({STDIN_FILENO, POLLIN, 0});
}

void stdin_feeder::handle(const pollfd& ready) {
  if (sink_ < 0 || ready.revents == 0) return;
  if (ready.fd == STDIN_FILENO) {
    if (everything_given()) read_more();
  } else if (ready.fd == sink_) {
    if ((ready.revents & (POLLERR | POLLNVAL)) != 0)
      stop_giving();
    else
      give_more();
  }
  if (sink_ >= 0 && at_end_ && everything_given()) stop_giving();
}

void stdin_feeder::read_more() {
  std::array<char, piece> space;
  const ssize_t got = ::read(STDIN_FILENO, space.data(), space.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    read_error_ = got < 0 ? errno : 0;
    at_end_ = true;
    return;
  }
  const std::string_view bytes(space.data(), static_cast<std::size_t>(got));
  // Once something is missing, nothing behind it is worth keeping.
  const bool fits = !direct_given_ && bytes.size() <= limit_ - kept_.size();
  const int error = fits ? kept_.append(bytes) : 0;
  if (fits && error == 0) return;
  if (!direct_given_) not_kept_error_ = error;
  direct_ = bytes;
}

void stdin_feeder::give_more() {
  std::array<char, piece> space;
  std::string_view bytes = direct_;
  if (given_ < kept_.size()) {
    const std::ptrdiff_t got = kept_.read_at(given_, space);
    if (got < 0) {  // the file it was kept in: what follows would not be what it should be
      read_error_ = errno;
      return stop_giving();
    }
    bytes = {space.data(), static_cast<std::size_t>(got)};
  }
  const ssize_t written = ::write(sink_, bytes.data(), bytes.size());
  if (written < 0) {
    if (errno != EINTR && errno != EAGAIN) stop_giving();
    return;
  }
  if (given_ < kept_.size()) {
    given_ += static_cast<std::uint64_t>(written);
  } else {
    direct_given_ = true;
    direct_.erase(0, static_cast<std::size_t>(written));
  }
}

void stdin_feeder::stop_giving() {
  if (sink_ >= 0) ::close(sink_);
  sink_ = -1;
}

void stdin_feeder::end() {
  started();
  stop_giving();
}

std::string stdin_feeder::objection() const {
  if (!direct_given_) return {};
  if (not_kept_error_ != 0)
    return "its input could not be kept for another attempt: " + error_text(not_kept_error_);
  return fmt::format("more of its input was used than --stdin-limit keeps ({})", size_to_text(limit_));
}

std::string stdin_feeder::failure() const {
  return read_error_ == 0 ? std::string() : "stdin could not be read: " + error_text(read_error_);
}

}  // namespace relent::cli
