// SPDX-License-Identifier: Apache-2.0
// `relent run` and signals: passed on to the command's group, no attempt after a terminating one, and
// the tool dies by the one it was sent.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <ostream>
#include <string>

namespace {

using namespace relent::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct terminating {
  int number;
  const char* name;
  friend void PrintTo(const terminating& row, std::ostream* out) { *out << row.name; }
};

class run_ended_by : public testing::TestWithParam<terminating> {};

TEST_P(run_ended_by, passes_it_to_the_command_and_dies_by_it) {
  tool_process tool(run_script({"--base", "0ms"}, "echo ready; exec sleep 60"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(GetParam().number);
  const finished end = tool.finish();
  EXPECT_TRUE(end.died_of(GetParam().number)) << end.status;
  const std::string name = GetParam().name;
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: killed by " + name + " (" +
                          std::to_string(GetParam().number) + "); giving up: " + name + " was received"));
}

TEST_P(run_ended_by, dies_by_it_although_the_command_caught_it) {
  const std::string name = std::string(GetParam().name).substr(3);
  tool_process tool(
      run_script({"--base", "0ms"}, "trap 'echo caught; exit 3' " + name + "; echo ready; sleep 60 & wait"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(GetParam().number);
  const finished end = tool.finish();
  EXPECT_TRUE(end.died_of(GetParam().number)) << end.status;
  EXPECT_EQ(end.out, "ready\ncaught\n");
}

TEST_P(run_ended_by, makes_no_further_attempt_when_it_comes_during_a_wait) {
  tool_process tool(
      {"run", "--base", "10m", "--cap", "10m", "--jitter", "none", "--", "sh", "-c", "echo ran; exit 1"});
  ASSERT_TRUE(tool.wait_for_message("retrying in 10m"));
  const long long sent = now_ms();
  tool.signal(GetParam().number);
  const finished end = tool.finish();
  EXPECT_LT(now_ms() - sent, 2000);
  EXPECT_TRUE(end.died_of(GetParam().number)) << end.status;
  EXPECT_EQ(end.out, "ran\n");
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: exit code 1; retrying in 10m (backoff)",
                          std::string("relent: no further attempt: ") + GetParam().name + " was received"));
}

INSTANTIATE_TEST_SUITE_P(signals, run_ended_by,
                         testing::Values(terminating{SIGTERM, "SIGTERM"}, terminating{SIGINT, "SIGINT"},
                                         terminating{SIGHUP, "SIGHUP"}, terminating{SIGQUIT, "SIGQUIT"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(run_signals, reach_the_whole_group) {
  tool_process tool(run_script({"--base", "0ms"},
                               "sh -c \"trap 'echo grandchild; exit' TERM; echo ready; sleep 60 & wait\" & "
                               "trap 'wait; exit 1' TERM; wait"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGTERM);
  EXPECT_EQ(tool.finish().out, "ready\ngrandchild\n");
}

TEST(run_signals, that_are_not_terminating_are_passed_on_and_the_run_goes_on) {
  for (const auto& [number, name] : {terminating{SIGUSR1, "USR1"}, terminating{SIGUSR2, "USR2"},
                                     terminating{SIGWINCH, "WINCH"}, terminating{SIGCONT, "CONT"}}) {
    tool_process tool(
        run_script({}, std::string("trap 'echo got; exit 0' ") + name + "; echo ready; sleep 60 & wait"));
    ASSERT_TRUE(tool.wait_for_output("ready"));
    tool.signal(number);
    const finished end = tool.finish();
    EXPECT_TRUE(end.exited_with(0)) << name;
    EXPECT_EQ(end.out, "ready\ngot\n") << name;
  }
}

TEST(run_signals, that_kill_the_command_without_ending_us_leave_it_to_be_retried) {
  const scratch_folder folder;
  const std::string marker = folder.file("second");
  tool_process tool(run_script({"--base", "0ms"}, "test -e " + marker + " && exit 0; touch " + marker +
                                                      "; echo ready; exec sleep 60"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGUSR1);
  const finished end = tool.finish();
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_THAT(end.err, HasSubstr("attempt 1 of 3: killed by SIGUSR1 (10); retrying"));
}

TEST(run_signals, during_a_wait_that_are_not_terminating_change_nothing) {
  const scratch_folder folder;
  const std::string marker = folder.file("second");
  tool_process tool(run_script({"--base", "400ms", "--jitter", "none"},
                               "test -e " + marker + " && exit 0; touch " + marker + "; exit 1"));
  ASSERT_TRUE(tool.wait_for_message("retrying in 400ms"));
  tool.signal(SIGUSR1);
  const finished end = tool.finish();
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_THAT(end.err, HasSubstr("attempt 2 of 3: succeeded"));
}

TEST(run_signals, ignored_from_the_start_stay_ignored) {
  tool_process tool(run_script({}, "echo ready; exec sleep 60"), [] {
    std::signal(SIGHUP, SIG_IGN);
    std::signal(SIGINT, SIG_IGN);
  });
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGHUP);
  tool.signal(SIGINT);
  tool.signal(SIGTERM);
  EXPECT_TRUE(tool.finish().died_of(SIGTERM));
}

TEST(run_signals, take_the_command_along_when_the_tool_is_killed_by_force) {
  tool_process tool(run_script({}, "echo ready; exec sleep 60"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGKILL);
  const finished end = tool.finish();  // reads to the end: nobody holds the pipe any more
  EXPECT_TRUE(end.died_of(SIGKILL));
}

TEST(run_signals, end_what_the_command_left_behind_in_its_group) {
  tool_process tool(run_script({"--base", "0ms", "--kill-after", "100ms"},
                               "(trap '' TERM; echo ready; exec sleep 60) & wait"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGTERM);
  const finished end = tool.finish();
  EXPECT_TRUE(end.in_time);
  EXPECT_TRUE(end.died_of(SIGTERM));
}

TEST(run_signals, are_not_confused_with_the_death_of_the_command_by_one_it_sent_itself) {
  const finished end = run_tool(run_script({"--base", "0ms", "--max-attempts", "2"}, "kill -TERM $$"));
  EXPECT_TRUE(end.exited_with(128 + SIGTERM));
  EXPECT_THAT(end.err, HasSubstr("killed by SIGTERM (15); retrying"));
  EXPECT_THAT(end.err, Not(HasSubstr("received")));
}

}  // namespace
