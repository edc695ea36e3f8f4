// SPDX-License-Identifier: Apache-2.0
// `relent demo`: a command that fails in two ways and then works, run by `relent run` itself.
#include "exit_codes.hpp"
#include "message.hpp"
#include "page.hpp"
#include "pages/pages.hpp"
#include "subcommands.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace relent::cli {
namespace {

/// This program's path, for a command line that works from anywhere.
std::string own_path() {
  std::string path(4096, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return "relent";
  path.resize(static_cast<std::size_t>(length));
  return path;
}

std::string counter_path() {
  const char* folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): there is one thread
  return fmt::format("{}/relent-demo-{}", folder && *folder ? folder : "/tmp", ::getpid());
}

/// Counts the runs by the size of the file. The number of this run, or 0 if it cannot count.
int count_run(const char* path) {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return 0;
  struct stat status {};
  const bool counted = write_all(file, ".") && ::fstat(file, &status) == 0;
  ::close(file);
  return counted ? static_cast<int>(status.st_size) : 0;
}

/// As a person would type it.
std::string as_typed(const std::vector<std::string>& words) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

constexpr std::string_view what_was_seen = R"(
What you saw:
  Attempt 1 failed at once with an exit code, and attempt 2 hung until its
  time-out ended it; both are worth another try. Attempt 3 worked, so its exit
  code, 0, became the whole command's.
  Each wait is random, below a limit that doubles: clients that failed together
  do not come back together.

Put "relent run --" before a command of your own. relent run --help says the rest.
)";

}  // namespace

ending demo(std::span<char*> arguments) {
  if (arguments.size() == 1 && std::string_view(arguments.front()) == "--help")
    return {answer(help_text(demo_page()))};
  if (!arguments.empty()) {
    const std::string problems[] = {fmt::format("'{}': takes no arguments", arguments.front())};
    return {refuse("demo", problems)};
  }
  const std::string self = own_path();
  const std::string counter = counter_path();
  std::vector<std::string> words{self, "run", "--base", "600ms",     "--attempt-timeout",
                                 "1s", "--",  self,     "demo-step", counter};
  answer(fmt::format("A command that fails now and then, retried before your eyes:\n\n  {}\n\n",
                     as_typed(words)));

  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const ending result = run(std::span(argv).subspan(2, words.size() - 2));
  ::unlink(counter.c_str());
  if (result.exit_code == exit_success && result.signal == 0) answer(what_was_seen);
  return result;
}

ending demo_step(std::span<char*> arguments) {
  if (arguments.size() != 1) {
    const std::string problems[] = {"takes one argument, a file to count its runs in"};
    return {refuse("demo-step", problems)};
  }
  switch (count_run(arguments.front())) {
    case 0: {
      const std::string problems[] = {
          fmt::format("{}: {}", arguments.front(), std::generic_category().message(errno))};
      return {refuse("demo-step", problems)};
    }
    case 1: answer("demo-step: connecting ... connection refused\n"); return {7};
    case 2:
      answer("demo-step: connected, waiting for an answer that does not come ...\n");
      for (;;) ::pause();
    default:
      ::unlink(arguments.front());  // so that the same command line begins anew
      answer("demo-step: connected, answered: it works\n");
      return {exit_success};
  }
}

}  // namespace relent::cli
