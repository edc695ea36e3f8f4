// SPDX-License-Identifier: Apache-2.0
// `relent run` at a terminal: the command can read from it, keys reach it, and the shell around gets it back.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace relent::test;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view control_c = "\x03";
constexpr std::string_view control_z = "\x1a";

/// A terminal, and a program that leads the session on it.
class terminal_session {
 public:
  explicit terminal_session(std::vector<std::string> words) : give_up_at_(now_ms() + 20'000) {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(master_);
    ::unlockpt(master_);
    const std::string name = ::ptsname(master_);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setsid();
    const int slave = ::open(name.c_str(), O_RDWR);
    ::ioctl(slave, TIOCSCTTY, 0);
    for (int descriptor = 0; descriptor < 3; ++descriptor) ::dup2(slave, descriptor);
    ::close_range(3, ~0U, 0);
    ::execvp(argv[0], argv.data());
    ::_exit(99);
  }
  ~terminal_session() {
    ::close(master_);
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  terminal_session(const terminal_session&) = delete;
  terminal_session& operator=(const terminal_session&) = delete;

  void type(std::string_view keys) const {
    EXPECT_EQ(::write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  bool wait_for(std::string_view text) {
    while (screen_.find(text) == std::string::npos)
      if (!read_some()) return false;
    return true;
  }

  /// Reads what is left and reaps the program; its wait status, or -1 if it did not end in time.
  int finish() {
    while (read_some()) {
    }
    int status = -1;
    if (now_ms() >= give_up_at_) return status;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

  const std::string& screen() const { return screen_; }

 private:
  /// False once nobody holds the terminal any more.
  bool read_some() {
    pollfd watched{master_, POLLIN, 0};
    const long long left = give_up_at_ - now_ms();
    if (left <= 0 || ::poll(&watched, 1, static_cast<int>(left)) <= 0) return false;
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(master_, buffer.data(), buffer.size());
    if (got <= 0) return false;
    screen_.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }

  int master_ = -1;
  pid_t pid_ = -1;
  long long give_up_at_;
  std::string screen_;
};

const std::string tool = RELENT_TOOL;

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

TEST(run_terminal, lets_the_command_read_what_is_typed) {
  terminal_session session({tool, "run", "--", "sh", "-c", "echo ready; read line; echo \"got [$line]\""});
  ASSERT_TRUE(session.wait_for("ready"));
  session.type("some words\n");
  EXPECT_EQ(code_of(session.finish()), 0);
  EXPECT_THAT(session.screen(), HasSubstr("got [some words]"));
}

TEST(run_terminal, gives_the_terminal_back_to_the_shell_around_it) {
  terminal_session session({"sh", "-c", tool + " run -- true; echo ready; read line; echo \"got [$line]\""});
  ASSERT_TRUE(session.wait_for("ready"));
  session.type("some words\n");
  EXPECT_EQ(code_of(session.finish()), 0);
  EXPECT_THAT(session.screen(), HasSubstr("got [some words]"));
}

TEST(run_terminal, control_c_ends_the_command_and_the_run) {
  terminal_session session({tool, "run", "--base", "0ms", "--", "sh", "-c", "echo ready; exec sleep 60"});
  ASSERT_TRUE(session.wait_for("ready"));
  session.type(control_c);
  const int status = session.finish();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_THAT(session.screen(), HasSubstr("killed by SIGINT (2); giving up: SIGINT was received"));
}

TEST(run_terminal, control_c_ends_the_run_also_when_the_command_turns_it_into_an_exit_code) {
  terminal_session session({tool, "run", "--base", "0ms", "--", "sh", "-c",
                            "trap 'echo caught; exit 5' INT; echo ready; sleep 60 & wait"});
  ASSERT_TRUE(session.wait_for("ready"));
  session.type(control_c);
  EXPECT_EQ(code_of(session.finish()), 5);
  EXPECT_THAT(session.screen(), HasSubstr("caught"));
  EXPECT_THAT(session.screen(), HasSubstr("attempt 1 of 3: exit code 5; giving up: SIGINT was received"));
}

TEST(run_terminal, control_c_that_the_command_puts_to_its_own_use_leaves_a_success_one) {
  terminal_session session(
      {tool, "run", "--", "sh", "-c", "trap 'echo caught; exit 0' INT; echo ready; sleep 60 & wait"});
  ASSERT_TRUE(session.wait_for("ready"));
  session.type(control_c);
  EXPECT_EQ(code_of(session.finish()), 0);
  EXPECT_THAT(session.screen(), Not(HasSubstr("relent:")));
}

TEST(run_terminal, control_c_reaches_the_script_around_as_well) {
  terminal_session session({"sh", "-c",
                            "trap 'echo script caught' INT; " + tool +
                                " run -- sh -c 'echo ready; exec sleep 60'; echo \"then $?\""});
  ASSERT_TRUE(session.wait_for("ready"));
  session.type(control_c);
  EXPECT_EQ(code_of(session.finish()), 0);
  EXPECT_THAT(session.screen(), HasSubstr("script caught"));
  EXPECT_THAT(session.screen(), HasSubstr("then 130"));
}

TEST(run_terminal, control_c_during_a_wait_ends_the_run) {
  terminal_session session({tool, "run", "--base", "10m", "--cap", "10m", "--jitter", "none", "--", "false"});
  ASSERT_TRUE(session.wait_for("retrying in 10m"));
  session.type(control_c);
  const int status = session.finish();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
}

TEST(run_terminal, control_z_stops_the_whole_job_and_the_shell_continues_it) {
  terminal_session session({"bash", "-c",
                            "set -m; " + tool +
                                " run -- sh -c 'echo ready; read line; echo \"got [$line]\"'; "
                                "echo \"stopped $?\"; fg > /dev/null; echo \"ended $?\""});
  ASSERT_TRUE(session.wait_for("ready"));
  session.type(control_z);
  ASSERT_TRUE(session.wait_for("stopped 148")) << session.screen();
  session.type("some words\n");
  EXPECT_EQ(code_of(session.finish()), 0);
  EXPECT_THAT(session.screen(), HasSubstr("got [some words]"));
  EXPECT_THAT(session.screen(), HasSubstr("ended 0"));
}

TEST(run_terminal, control_z_where_no_shell_could_continue_is_undone) {
  terminal_session session({tool, "run", "--", "sh", "-c", "echo ready; read line; echo \"got [$line]\""});
  ASSERT_TRUE(session.wait_for("ready"));
  session.type(control_z);
  session.type("some words\n");
  EXPECT_EQ(code_of(session.finish()), 0);
  EXPECT_THAT(session.screen(), HasSubstr("got [some words]"));
}

/// The tool on a terminal of that kind, with further variables before it.
std::vector<std::string> on_a(const std::string& kind, std::vector<std::string> flags,
                              std::string variable = "A=") {
  std::vector<std::string> words{
      "env",    "TERM=" + kind, std::move(variable), tool, "run", "--jitter", "none",
      "--base", "2s",           "--max-attempts",    "2"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"--", "false"});
  return words;
}

TEST(run_terminal, counts_down_to_the_next_attempt_in_a_line_that_is_gone_then) {
  terminal_session session(on_a("xterm", {}));
  EXPECT_EQ(code_of(session.finish()), 1);
  EXPECT_THAT(session.screen(), HasSubstr("attempt 2 of 2 in 2s\x1b[K\r"));
  EXPECT_THAT(session.screen(), HasSubstr("attempt 2 of 2 in 1s\x1b[K\r\x1b[K"));
}

TEST(run_terminal, control_c_while_it_counts_down_leaves_a_clean_line) {
  terminal_session session(on_a("xterm", {"--base", "10s"}));
  ASSERT_TRUE(session.wait_for("in 10s"));
  session.type(control_c);
  const int status = session.finish();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_THAT(session.screen(),
              HasSubstr("\r\x1b[K\x1b[2mrelent:\x1b[22m no further attempt: SIGINT was received"));
}

TEST(run_terminal, dims_its_name_unless_told_not_to) {
  terminal_session with_colour(on_a("xterm", {"--base", "0ms"}));
  with_colour.finish();
  EXPECT_THAT(with_colour.screen(), HasSubstr("\x1b[2mrelent:\x1b[22m attempt 1 of 2: exit code 1"));
  terminal_session without(on_a("xterm", {"--base", "0ms"}, "NO_COLOR=1"));
  without.finish();
  EXPECT_THAT(without.screen(), HasSubstr("relent: attempt 1 of 2: exit code 1"));
  EXPECT_THAT(without.screen(), Not(HasSubstr("[2m")));
}

TEST(run_terminal, a_dumb_one_gets_plain_lines) {
  terminal_session session(on_a("dumb", {"--base", "100ms"}));
  session.finish();
  EXPECT_THAT(session.screen(), Not(HasSubstr("\x1b")));
}

TEST(run_terminal, a_quiet_run_counts_nothing_down) {
  terminal_session session(on_a("xterm", {"--base", "100ms", "--quiet"}));
  session.finish();
  EXPECT_EQ(session.screen(), "");
}

}  // namespace
