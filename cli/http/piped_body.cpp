// SPDX-License-Identifier: Apache-2.0
// Keeping and giving again.
#include "piped_body.hpp"

#include "fetch_content.hpp"

#include "cli/size_text.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace relent::cli {

piped_body::piped_body(owned_descriptor source, std::uint64_t limit, std::function<void()> check)
    : owned_(std::move(source)), source_(owned_.get()), limit_(limit), check_(std::move(check)) {}

piped_body::piped_body(std::uint64_t limit, std::function<void()> check)
    : source_(STDIN_FILENO), limit_(limit), check_(std::move(check)) {}

void piped_body::read_first() {
  std::array<char, 65536> piece{};
  while (!at_end_ && !lost_ && kept_.size() < limit_) {
    const std::size_t room = std::min<std::uint64_t>(piece.size(), limit_ - kept_.size());
    const std::size_t got = take(piece.data(), room);
    if (got > 0 && !kept_.append({piece.data(), got}))
      throw content_error(
          fmt::format("what is to be sent cannot be kept: {}", std::generic_category().message(errno)));
  }
}

std::optional<std::uint64_t> piped_body::size() const {
  if (!at_end_ || lost_) return std::nullopt;
  return kept_.size();
}

std::size_t piped_body::read(char* to, std::size_t most) {
  if (place_ < kept_.size()) {
    const ssize_t got = kept_.read_at(place_, {to, most});
    if (got <= 0)
      throw content_error(fmt::format("what was kept of the input cannot be read: {}",
                                      std::generic_category().message(errno)));
    place_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
  const std::size_t got = take(to, most);
  if (got > 0) keep(to, got);
  return got;
}

bool piped_body::rewind() {
  place_ = 0;
  return !lost_;
}

std::string piped_body::why_not() const {
  if (!lost_) return {};
  if (keep_error_ != 0)
    return fmt::format("its input could not be kept: {}", std::generic_category().message(keep_error_));
  return fmt::format("more than --stdin-limit {} of input was used", size_to_text(limit_));
}

std::size_t piped_body::take(char* to, std::size_t most) {
  if (at_end_) return 0;
  for (;;) {
    wait();
    const ssize_t got = ::read(source_, to, most);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) break;
    if (errno != EINTR && errno != EAGAIN)
      throw content_error(
          fmt::format("what is to be sent cannot be read: {}", std::generic_category().message(errno)));
  }
  at_end_ = true;
  return 0;
}

void piped_body::keep(const char* bytes, std::size_t size) {
  if (lost_) return;
  if (size > limit_ - kept_.size()) {
    lost_ = true;
  } else if (!kept_.append({bytes, size})) {
    lost_ = true;
    keep_error_ = errno;
  } else {
    place_ += size;
  }
}

void piped_body::wait() const {
  constexpr int not_long = 100;  // milliseconds
  pollfd watched{source_, POLLIN, 0};
  while (::poll(&watched, 1, not_long) == 0) check_();
}

}  // namespace relent::cli
