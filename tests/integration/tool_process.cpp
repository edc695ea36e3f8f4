// SPDX-License-Identifier: Apache-2.0
// Processes and pipes for the integration tests.
#include "tool_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

namespace relent::test {
namespace {

constexpr long long longest_test_ms = 20'000;

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

/// Appends what can be read. False at the end.
bool append_from(int descriptor, std::string& text) {
  std::array<char, 4096> buffer;
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR;
  text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

bool finished::exited_with(int code) const {
  return in_time && WIFEXITED(status) && WEXITSTATUS(status) == code;
}
bool finished::died_of(int signal) const {
  return in_time && WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

std::vector<std::string> finished::told() const {
  static const std::regex elapsed(R"( \(elapsed [^)]*\))");
  std::istringstream stream(err);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(std::regex_replace(line, elapsed, ""));
  return lines;
}

tool_process::tool_process(const std::vector<std::string>& arguments, const std::function<void()>& in_child)
    : give_up_at_(now_ms() + longest_test_ms) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) std::abort();
  std::vector<char*> argv{const_cast<char*>(RELENT_TOOL)};
  for (const std::string& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setsid();  // no terminal of whoever runs the tests has a say
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    if (in_child) in_child();
    ::execv(RELENT_TOOL, argv.data());
    ::_exit(99);
  }
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

tool_process::~tool_process() {
  close_if_open(out_);
  close_if_open(err_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void tool_process::signal(int number) const { ::kill(pid_, number); }

bool tool_process::read_some(bool& out_open, bool& err_open) {
  std::array<pollfd, 2> watched{{{out_open ? out_ : -1, POLLIN, 0}, {err_open ? err_ : -1, POLLIN, 0}}};
  const long long left = give_up_at_ - now_ms();
  if (left <= 0 || ::poll(watched.data(), watched.size(), static_cast<int>(left)) <= 0) return false;
  if (watched[0].revents != 0) out_open = append_from(out_, out_text_);
  if (watched[1].revents != 0) err_open = append_from(err_, err_text_);
  return true;
}

bool tool_process::read_until(const std::string& text, std::string_view wanted) {
  bool out_open = true;
  bool err_open = true;
  while (text.find(wanted) == std::string::npos)
    if ((!out_open && !err_open) || !read_some(out_open, err_open)) return false;
  return true;
}

bool tool_process::wait_for_output(std::string_view text) { return read_until(out_text_, text); }
bool tool_process::wait_for_message(std::string_view text) { return read_until(err_text_, text); }

finished tool_process::finish() {
  finished result;
  bool out_open = true;
  bool err_open = true;
  while ((out_open || err_open) && result.in_time) result.in_time = read_some(out_open, err_open);
  if (!result.in_time) ::kill(pid_, SIGKILL);
  ::waitpid(pid_, &result.status, 0);
  pid_ = -1;
  result.out = std::move(out_text_);
  result.err = std::move(err_text_);
  return result;
}

finished run_tool(const std::vector<std::string>& arguments, const std::function<void()>& in_child) {
  tool_process tool(arguments, in_child);
  return tool.finish();
}

std::vector<std::string> run_script(std::vector<std::string> flags, std::string script) {
  std::vector<std::string> words{"run"};
  std::move(flags.begin(), flags.end(), std::back_inserter(words));
  for (std::string word : {std::string("--"), std::string("sh"), std::string("-c"), std::move(script)})
    words.push_back(std::move(word));
  return words;
}

scratch_folder::scratch_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "relent-test-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}
scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}
std::string scratch_folder::file(std::string_view name) const { return path_ + "/" + std::string(name); }
bool scratch_folder::empty() const { return std::filesystem::is_empty(path_); }

long long now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace relent::test
