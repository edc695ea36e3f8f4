// SPDX-License-Identifier: Apache-2.0
// Processes and pipes for the integration tests.
#include "tool_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <thread>
#include <utility>

namespace relent::test {
namespace {

constexpr int longest_test_ms = 20'000;

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

/// Appends what can be read. False at the end.
bool append_from(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR;
  text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

bool write_to(int descriptor, std::string_view text) {
  while (!text.empty()) {
    pollfd watched{descriptor, POLLOUT, 0};
    if (::poll(&watched, 1, longest_test_ms) <= 0) return false;
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::vector<pid_t> children() {
  std::ifstream list("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  std::vector<pid_t> found;
  for (pid_t pid = 0; list >> pid;) found.push_back(pid);
  return found;
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
    for (const char* name :
         {"RELENT_ATTEMPT", "RELENT_MAX_ATTEMPTS", "RELENT_DEADLINE", "RELENT_IDEMPOTENCY_KEY"})
      ::unsetenv(name);
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
bool tool_process::wait_for_output(std::string_view text, long long milliseconds) {
  const long long give_up_at = std::exchange(give_up_at_, now_ms() + milliseconds);
  const bool found = read_until(out_text_, text);
  give_up_at_ = give_up_at;
  return found;
}
bool tool_process::wait_for_message(std::string_view text) { return read_until(err_text_, text); }

finished tool_process::finish() {
  finished result;
  bool out_open = true;
  bool err_open = true;
  while ((out_open || err_open) && result.in_time) result.in_time = read_some(out_open, err_open);
  if (!result.in_time) ::kill(pid_, SIGKILL);
  rusage used{};
  ::wait4(pid_, &result.status, 0, &used);
  pid_ = -1;
  const auto ms = [](const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
  result.cpu_ms = ms(used.ru_utime) + ms(used.ru_stime);
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

pipe_pair::pipe_pair() {
  if (::pipe2(ends_, O_CLOEXEC) != 0) std::abort();
}
pipe_pair::~pipe_pair() {
  close_reader();
  close_writer();
}
void pipe_pair::close(int which) { close_if_open(ends_[which]); }

bool pipe_pair::write(std::string_view text) const { return write_to(ends_[1], text); }

std::string pipe_pair::read_all() const {
  std::string text;
  const long long give_up_at = now_ms() + longest_test_ms;
  while (now_ms() < give_up_at) {
    pollfd watched{ends_[0], POLLIN, 0};
    if (::poll(&watched, 1, longest_test_ms) > 0 && !append_from(ends_[0], text)) break;
  }
  return text;
}

struct producer::state {
  pipe_pair& pipe;
  int to;
  std::string text;
  std::thread thread{};
};

producer::producer(pipe_pair& to, std::string text)
    : state_(new state{.pipe = to, .to = ::fcntl(to.writer(), F_DUPFD_CLOEXEC, 3), .text = std::move(text)}) {
  to.close_writer();
  state_->thread = std::thread([state = state_.get()] {
    sigset_t broken_pipe;  // is no end of the test
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    write_to(state->to, state->text);
    ::close(state->to);
  });
}
producer::~producer() {
  state_->pipe.close_reader();
  state_->thread.join();
}

std::function<void()> with_stdin(int descriptor) {
  return [descriptor] { ::dup2(descriptor, STDIN_FILENO); };
}
std::function<void()> with_variable(std::string name, std::string value) {
  return [name = std::move(name), value = std::move(value)] { ::setenv(name.c_str(), value.c_str(), 1); };
}

std::string made_up_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint64_t state = size;
  for (char& each : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    each = static_cast<char>(state >> 56U);
  }
  return bytes;
}

std::string read_file(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
void write_file(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

orphan_catcher::orphan_catcher() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
orphan_catcher::~orphan_catcher() {
  while (::waitpid(-1, nullptr, WNOHANG) >= 0) {
    for (const pid_t pid : children()) ::kill(pid, SIGKILL);
    siginfo_t ended{};
    ::waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

std::vector<std::string> orphan_catcher::caught() const {
  std::vector<std::string> names;
  for (const pid_t pid : children()) {
    std::string name = read_file("/proc/" + std::to_string(pid) + "/comm");
    if (!name.empty()) name.pop_back();
    names.push_back(lives(pid) ? name : "(dead)");
  }
  return names;
}

bool orphan_catcher::all_end_within(long long milliseconds) const {
  const long long give_up_at = now_ms() + milliseconds;
  for (;;) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const std::vector<pid_t> left = children();
    if (left.empty()) return true;
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, left.front(), 0));
    pollfd watched{process, POLLIN, 0};
    const int ended = ::poll(&watched, 1, static_cast<int>(std::max(0LL, give_up_at - now_ms())));
    ::close(process);
    if (ended <= 0) return false;
  }
}

bool lives(pid_t pid) {
  const std::string status = read_file("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_ends = status.rfind(')');
  return name_ends != std::string::npos && status.size() > name_ends + 2 && status[name_ends + 2] != 'Z' &&
         status[name_ends + 2] != 'X';
}

pid_t pid_in(const std::string& path) {
  pid_t pid = 0;
  std::ifstream(path) >> pid;
  return pid;
}

bool is_root() { return ::geteuid() == 0; }

long long now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace relent::test
