// SPDX-License-Identifier: Apache-2.0
// `relent demo` as a process: it ends, its numbers agree, and Ctrl-C leaves the terminal as it was. What it says of
// the numbers is in demo_story_test.cpp. That the run without Relent goes badly is for people to see: nothing here
// depends on how fast the machine is.
#include "tool_process.hpp"

#include <cli/http/demo_plan.hpp>

#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <string>
#include <string_view>

namespace {

using namespace relent::test;
using relent::cli::demo_plan;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// The two numbers of a row of the table.
struct pair_of_numbers {
  double naive = -1;
  double with_relent = -1;
};

pair_of_numbers row(const std::string& text, const std::string& name) {
  std::smatch found;
  const std::regex line("(^|\n)" + name + " +([0-9.]+) +([0-9.]+)\n");
  if (!std::regex_search(text, found, line)) return {};
  return {std::stod(found[2]), std::stod(found[3])};
}

TEST(demo_real_time, tells_a_story_whose_numbers_agree) {
  tool_process tool({"demo", "--fast"});
  tool.give_up_after(90'000);
  const finished end = tool.finish();
  ASSERT_TRUE(end.exited_with(0)) << end.status << end.err;
  EXPECT_EQ(end.err, "");
  EXPECT_THAT(end.out, Not(HasSubstr("\x1b")));

  const pair_of_numbers orders = row(end.out, "orders");
  const pair_of_numbers confirmed = row(end.out, "  confirmed");
  const pair_of_numbers failed = row(end.out, "  failed");
  const pair_of_numbers attempts = row(end.out, "attempts");
  const pair_of_numbers in_vain = row(end.out, "  in vain");
  for (const double each : {orders.naive, orders.with_relent}) {
    EXPECT_GT(each, 0);
    EXPECT_LE(each, demo_plan::fast().orders());  // fewer where the machine is too slow
  }
  EXPECT_EQ(confirmed.naive + failed.naive, orders.naive);
  EXPECT_EQ(confirmed.with_relent + failed.with_relent, orders.with_relent);
  EXPECT_EQ(in_vain.naive, attempts.naive - confirmed.naive);
  EXPECT_EQ(in_vain.with_relent, attempts.with_relent - confirmed.with_relent);
  EXPECT_EQ(row(end.out, "  executed more than once").with_relent, 0);
  EXPECT_GE(row(end.out, "  executed more than once").naive, 0);
  EXPECT_EQ(count_of("\n- ", end.out), 3U);
}

/// A terminal of 80 columns, as the test sees it from behind.
class screen {
 public:
  screen() : behind_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    ::grantpt(behind_);
    ::unlockpt(behind_);
    const winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(behind_, TIOCSWINSZ, &size);
    name_ = ::ptsname(behind_);
  }
  ~screen() { ::close(behind_); }
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }

  bool wait_for(std::string_view text) {
    while (text_.find(text) == std::string::npos)
      if (!read_some()) return false;
    return true;
  }
  void read_all() {
    while (read_some()) {
    }
  }

 private:
  /// False once nobody holds the terminal any more, or nothing comes for too long.
  bool read_some() {
    constexpr int too_long_ms = 20'000;
    pollfd watched{behind_, POLLIN, 0};
    if (::poll(&watched, 1, too_long_ms) <= 0) return false;
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(behind_, buffer.data(), buffer.size());
    if (got > 0) text_.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  int behind_;
  std::string name_;
  std::string text_;
};

TEST(demo_real_time, draws_on_a_terminal_and_leaves_it_as_it_was_when_interrupted) {
  screen shown;
  tool_process tool({"demo"}, [&shown] {
    ::dup2(::open(shown.name().c_str(), O_RDWR | O_NOCTTY), STDOUT_FILENO);
    ::setenv("TERM", "xterm", 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    ::unsetenv("NO_COLOR");
  });
  ASSERT_TRUE(shown.wait_for("under way")) << shown.text();
  EXPECT_THAT(shown.text(), HasSubstr("\x1b[?25l"));
  EXPECT_THAT(shown.text(), HasSubstr("\x1b[32m"));
  tool.signal(SIGINT);
  const finished end = tool.finish();
  EXPECT_TRUE(end.died_of(SIGINT)) << end.status;
  EXPECT_EQ(end.err, "");
  shown.read_all();
  EXPECT_THAT(shown.text(), EndsWith("\x1b[?25h"));
}

TEST(demo, is_refused_with_words_that_are_no_flags) {
  const finished end = run_tool({"demo", "now", "--fst"});
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_EQ(end.err,
            "relent demo: --fst: unknown flag; did you mean --fast?\n"
            "relent demo: 'now': takes no arguments, only flags: --help lists them\n");
}

TEST(demo, ends_when_nobody_takes_what_it_tells) {
  EXPECT_TRUE(run_tool({"demo"}, [] { ::close(STDOUT_FILENO); }).exited_with(125));
}

TEST(demo, has_plans_that_the_server_understands) {
  for (const demo_plan& plan : {demo_plan{}, demo_plan::fast()}) {
    EXPECT_NO_THROW(relent::testing::check_fault_scripts(plan.scripts()));
    EXPECT_LT(plan.outage_to + plan.window, plan.end);
  }
}

}  // namespace
