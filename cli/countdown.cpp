// SPDX-License-Identifier: Apache-2.0
// Carriage return, text, erase to the end of the line.
#include "countdown.hpp"

#include "message.hpp"
#include "rounded.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace relent::cli {

void countdown::show(time_point now) {
  constexpr duration second = std::chrono::seconds{1};
  const duration left = time_between(now, until_) + second / 2;
  write_all(STDERR_FILENO,
            fmt::format("\r{}{} in {}\x1b[K", message_prefix(), what_, rounded(left - left % second)));
  shown_ = true;
}

countdown::~countdown() {
  if (shown_) write_all(STDERR_FILENO, "\r\x1b[K");
}

}  // namespace relent::cli
