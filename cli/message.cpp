// SPDX-License-Identifier: Apache-2.0
// Writing to descriptors.
#include "message.hpp"

#include "exit_codes.hpp"
#include "signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <string>

namespace relent::cli {

bool stderr_is_terminal() noexcept {
  const char* kind = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): there is one thread
  return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

namespace {

/// Waits with all signals open. Who was told to end does not wait for long: perhaps nobody reads.
bool await_writable(int descriptor) noexcept {
  constexpr timespec not_long{1, 0};
  sigset_t none;
  sigemptyset(&none);
  for (;;) {
    pollfd watched{descriptor, POLLOUT, 0};
    const bool told_to_end = terminating_signal_came();
    const int ready = ::ppoll(&watched, 1, told_to_end ? &not_long : nullptr, &none);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace

bool write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    if (!await_writable(descriptor)) return false;
    // So much a pipe takes without blocking once it is writable (POSIX).
    const ssize_t written = ::write(descriptor, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string message_prefix() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
  const char* no_colour = std::getenv("NO_COLOR");  // https://no-color.org
  const bool plain = (no_colour != nullptr && *no_colour != '\0') || !stderr_is_terminal();
  return plain ? "relent: " : "\x1b[2mrelent:\x1b[22m ";
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return result;
}

void say(std::string_view line) {
  std::string text = message_prefix();
  text.append(printable(line)).push_back('\n');
  write_all(STDERR_FILENO, text);
}

int refuse(std::string_view subcommand, std::span<const std::string> problems) {
  std::string text;
  for (const std::string& problem : problems)
    text.append("relent ").append(subcommand).append(": ").append(problem).push_back('\n');
  write_all(STDERR_FILENO, text);
  return exit_failure;
}

int answer(std::string_view text) { return write_all(STDOUT_FILENO, text) ? exit_success : exit_failure; }

void reserve_standard_descriptors() noexcept {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free descriptor is this one. Opened the wrong way round, so that using it fails as if closed.
    const int flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", flags | O_CLOEXEC) < 0) return;
  }
}

}  // namespace relent::cli
