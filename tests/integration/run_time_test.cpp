// SPDX-License-Identifier: Apache-2.0
// `relent run` and time: attempt time-outs, the deadline, and that nothing outlives its attempt.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace relent::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(run_time, an_attempt_that_hangs_is_ended_and_tried_again) {
  const scratch_folder folder;
  const std::string marker = folder.file("second");
  const finished end =
      run_tool(run_script({"--attempt-timeout", "300ms", "--base", "0ms"},
                          "test -e " + marker + " && exit 0; touch " + marker + "; exec sleep 60"));
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: timed out after 300ms; retrying in 0ms (backoff)",
                          "relent: attempt 2 of 3: succeeded"));
}

TEST(run_time, exits_with_124_when_the_last_attempt_timed_out) {
  const finished end = run_tool(
      {"run", "--attempt-timeout", "50ms", "--base", "0ms", "--max-attempts", "2", "--", "sleep", "60"});
  EXPECT_TRUE(end.exited_with(124));
  EXPECT_THAT(end.err,
              HasSubstr("relent: attempt 2 of 2: timed out after 50ms; giving up: all 2 attempts are used"));
}

TEST(run_time, exits_with_the_code_of_the_last_attempt_though_an_earlier_one_timed_out) {
  const scratch_folder folder;
  const std::string marker = folder.file("second");
  const finished end =
      run_tool(run_script({"--attempt-timeout", "300ms", "--base", "0ms", "--max-attempts", "2"},
                          "test -e " + marker + " && exit 6; touch " + marker + "; exec sleep 60"));
  EXPECT_TRUE(end.exited_with(6)) << end.err;
}

TEST(run_time, gives_a_command_that_ends_decently_its_grace) {
  const finished end =
      run_tool(run_script({"--attempt-timeout", "300ms", "--kill-after", "1m", "--max-attempts", "1"},
                          "trap 'echo tidied up; exit 0' TERM; sleep 60 & wait"));
  EXPECT_TRUE(end.exited_with(124));
  EXPECT_EQ(end.out, "tidied up\n");
}

TEST(run_time, kills_what_ignores_sigterm_grandchildren_included) {
  // finish() reads to the end of the pipe, which each of the three sleepers holds open.
  const finished end =
      run_tool(run_script({"--attempt-timeout", "300ms", "--kill-after", "50ms", "--max-attempts", "1"},
                          "trap '' TERM; sh -c 'sleep 60 & sleep 60' & sleep 60"));
  EXPECT_TRUE(end.in_time);
  EXPECT_TRUE(end.exited_with(124));
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 1: timed out after 300ms, and killed since SIGTERM did "
                          "not end it; giving up: the only attempt is used"));
}

TEST(run_time, ends_a_grandchild_that_outlives_its_parent_after_a_time_out) {
  const finished end =
      run_tool(run_script({"--attempt-timeout", "300ms", "--kill-after", "50ms", "--max-attempts", "1"},
                          "(trap '' TERM; exec sleep 60) & exec sleep 60"));
  EXPECT_TRUE(end.in_time);
  EXPECT_TRUE(end.exited_with(124));
}

TEST(run_time, ends_a_stopped_command) {
  const finished end =
      run_tool(run_script({"--attempt-timeout", "200ms", "--max-attempts", "1"}, "kill -STOP $$"));
  EXPECT_TRUE(end.exited_with(124));
}

TEST(run_time, never_has_two_attempts_alive) {
  const scratch_folder folder;
  const std::string pid = folder.file("pid");
  const finished end = run_tool(run_script({"--base", "0ms"}, "test -e " + pid + " && kill -0 $(cat " + pid +
                                                                  ") 2>/dev/null && echo overlap; "
                                                                  "sleep 60 & echo $! > " +
                                                                  pid + "; exit 1"));
  EXPECT_TRUE(end.in_time);
  EXPECT_EQ(end.out, "");
}

TEST(run_time, lets_what_is_about_to_end_finish_its_work) {
  // As bash leaves a process substitution behind: it reads to the end of its input and then ends by itself.
  const finished end = run_tool({"run", "--", "bash", "-c", "echo last words > >(cat; echo all read)"});
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.out, "last words\nall read\n");
}

TEST(run_time, the_deadline_cuts_the_running_attempt) {
  const finished end = run_tool({"run", "--deadline", "200ms", "--", "sleep", "60"});
  EXPECT_TRUE(end.exited_with(124));
  EXPECT_THAT(
      end.told(),
      ElementsAre("relent: attempt 1 of 3: cut off by the deadline of 200ms; giving up: no time is left"));
}

TEST(run_time, the_deadline_bounds_an_attempt_with_a_longer_time_out) {
  const finished end =
      run_tool({"run", "--deadline", "200ms", "--attempt-timeout", "1m", "--", "sleep", "60"});
  EXPECT_TRUE(end.exited_with(124));
  EXPECT_THAT(end.err, HasSubstr("cut off by the deadline of 200ms"));
}

TEST(run_time, a_wait_that_does_not_fit_the_deadline_is_not_begun) {
  const long long begin = now_ms();
  const finished end =
      run_tool({"run", "--deadline", "1m", "--base", "2m", "--cap", "2m", "--jitter", "none", "--", "false"});
  EXPECT_LT(now_ms() - begin, 10'000);
  EXPECT_TRUE(end.exited_with(1));
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: exit code 1; giving up: the next attempt would not fit "
                          "before the deadline of 1m"));
}

TEST(run_time, the_deadline_can_be_lifted) {
  EXPECT_TRUE(run_tool({"run", "--deadline", "none", "--", "true"}).exited_with(0));
}

}  // namespace
