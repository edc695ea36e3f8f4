// SPDX-License-Identifier: Apache-2.0
// `relent run --on-retry`: what the hook is told, when it runs, and that it can neither hold up, confuse nor
// outlive the run.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <csignal>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(run_hook, runs_between_attempts_and_not_after_the_last) {
  const scratch_folder folder;
  const std::string log = folder.file("log");
  for (const char* base : {"0ms", "1ms"}) {
    write_file(log, "");
    const finished end = run_tool(run_script({"--base", base, "--on-retry", "echo hook >> " + log},
                                             "echo attempt >> " + log + "; exit 3"));
    EXPECT_TRUE(end.exited_with(3));
    EXPECT_THAT(lines_of(read_file(log)), ElementsAre("attempt", "hook", "attempt", "hook", "attempt"))
        << base;
  }
}

TEST(run_hook, does_not_run_after_a_success_or_what_is_not_tried_again) {
  EXPECT_EQ(run_tool({"run", "--on-retry", "echo hook", "--", "true"}).err, "");
  EXPECT_THAT(run_tool({"run", "--on-retry", "echo hook", "--", "no-such-command-anywhere"}).err,
              Not(HasSubstr("hook\n")));
}

TEST(run_hook, finds_what_happened_in_its_environment) {
  const finished end = run_tool(
      run_script({"--base", "1500ms", "--max-attempts", "2", "--jitter", "none", "--quiet", "--on-retry",
                  "echo $RELENT_ATTEMPT/$RELENT_MAX_ATTEMPTS $RELENT_EXIT_CODE $RELENT_WAIT; "
                  "echo $RELENT_IDEMPOTENCY_KEY; kill -TERM $PPID"},
                 "echo $RELENT_IDEMPOTENCY_KEY; exit 7"));
  const std::vector<std::string> told = lines_of(end.err);
  ASSERT_EQ(told.size(), 2U) << end.err;
  EXPECT_EQ(told[0], "1/2 7 1.500");
  EXPECT_EQ(told[1] + "\n", end.out);
}

TEST(run_hook, finds_the_exit_code_that_we_would_end_with) {
  const std::vector<std::string> flags{"--base",  "1ms",        "--max-attempts",         "2",
                                       "--quiet", "--on-retry", "echo $RELENT_EXIT_CODE", "--attempt-timeout",
                                       "300ms"};
  EXPECT_EQ(run_tool(run_script(flags, "kill -SEGV $$")).err, "139\n");
  EXPECT_EQ(run_tool(run_script(flags, "exec sleep 60")).err, "124\n");
}

TEST(run_hook, leaves_no_variable_of_its_own_to_the_command) {
  const finished end = run_tool(run_script({"--base", "1ms", "--on-retry", "true"},
                                           "echo \"<$RELENT_EXIT_CODE$RELENT_WAIT>\"; exit 1"));
  EXPECT_EQ(end.out, "<>\n<>\n<>\n");
}

TEST(run_hook, has_no_part_in_our_stdin_and_stdout) {
  pipe_pair input;
  ASSERT_TRUE(input.write("line\n"));
  input.close_writer();
  const finished end = run_tool(run_script({"--base", "1ms", "--max-attempts", "2", "--quiet", "--on-retry",
                                            "echo \"hook got [$(cat)]\""},
                                           "read line; echo \"$line\"; exit 1"),
                                with_stdin(input.reader()));
  EXPECT_EQ(end.out, "line\nline\n");
  EXPECT_EQ(end.err, "hook got []\n");
}

TEST(run_hook, is_told_of_when_it_fails_and_changes_nothing_else) {
  const finished end = run_tool(run_script(
      {"--base", "1ms", "--jitter", "none", "--max-attempts", "2", "--on-retry", "exit 9"}, "exit 3"));
  EXPECT_TRUE(end.exited_with(3));
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 2: exit code 3; retrying in 1ms (backoff)",
                          "relent: --on-retry: exit code 9",
                          "relent: attempt 2 of 2: exit code 3; giving up: all 2 attempts are used"));
  EXPECT_THAT(
      run_tool(run_script({"--base", "1ms", "--max-attempts", "2", "--on-retry", "no-such-thing-at-all"},
                          "exit 3"))
          .err,
      HasSubstr("relent: --on-retry: exit code 127"));
}

TEST(run_hook, that_hangs_is_cut_by_the_deadline) {
  const orphan_catcher catcher;
  const long long begin = now_ms();
  const finished end = run_tool(run_script({"--base", "1ms", "--deadline", "500ms", "--kill-after", "50ms",
                                            "--on-retry", "trap '' TERM; setsid sleep 60 & sleep 60"},
                                           "echo ran; exit 3"));
  EXPECT_LT(now_ms() - begin, 5000);
  EXPECT_TRUE(end.exited_with(3) || end.exited_with(124)) << end.status;
  EXPECT_EQ(end.out, "ran\n");
  EXPECT_THAT(end.err, HasSubstr("--on-retry: cut off by the deadline of 500ms"));
  EXPECT_THAT(catcher.caught(), IsEmpty());
}

TEST(run_hook, that_takes_longer_than_the_wait_is_waited_for) {
  const scratch_folder folder;
  const std::string mark = folder.file("mark");
  const finished end = run_tool(run_script(
      {"--base", "1ms", "--max-attempts", "2", "--on-retry", "sleep 0.3; touch " + mark}, "test -e " + mark));
  EXPECT_TRUE(end.exited_with(0)) << end.err;
}

TEST(run_hook, is_ended_by_a_signal_to_us_and_the_wait_behind_it_is_not_begun) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
    const orphan_catcher catcher;
    tool_process tool(run_script(
        {"--base", "10m", "--cap", "10m", "--jitter", "none", "--on-retry", "echo hook runs; exec sleep 60"},
        "echo ran; exit 3"));
    ASSERT_TRUE(tool.wait_for_message("hook runs"));
    tool.signal(signal);
    tool.give_up_after(4000);
    const finished end = tool.finish();
    EXPECT_TRUE(end.died_of(signal)) << (end.in_time ? "another end" : "it waits on");
    EXPECT_EQ(end.out, "ran\n");
    EXPECT_THAT(catcher.caught(), IsEmpty());
  }
}

TEST(run_hook, gets_the_signals_that_are_passed_on) {
  tool_process tool(run_script({"--base", "1ms", "--max-attempts", "2", "--on-retry",
                                "trap 'echo got; exit 0' USR1; echo hook runs; sleep 60 & wait"},
                               "exit 3"));
  ASSERT_TRUE(tool.wait_for_message("hook runs"));
  tool.signal(SIGUSR1);
  const finished end = tool.finish();
  EXPECT_TRUE(end.exited_with(3));
  EXPECT_THAT(end.err, HasSubstr("got\n"));
}

TEST(run_hook, leaves_nothing_running) {
  const orphan_catcher catcher;
  const finished end = run_tool(run_script({"--base", "1ms", "--max-attempts", "2", "--kill-after", "50ms",
                                            "--on-retry", "sleep 60 & setsid sleep 60 & exit 0"},
                                           "exit 3"));
  EXPECT_TRUE(end.exited_with(3));
  EXPECT_THAT(catcher.caught(), IsEmpty());
}

TEST(run_hook, does_not_run_during_a_series_of_successes) {
  const finished end =
      run_tool({"run", "--base", "1ms", "--successes", "3", "--on-retry", "echo hook", "--", "true"});
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_THAT(end.err, Not(HasSubstr("hook")));
}

TEST(run_hook, works_with_closed_standard_descriptors) {
  const scratch_folder folder;
  const std::string mark = folder.file("mark");
  const finished end = run_tool(
      run_script({"--base", "1ms", "--max-attempts", "2", "--on-retry", "touch " + mark}, "test -e " + mark),
      [] {
        for (int descriptor = 0; descriptor < 3; ++descriptor) ::close(descriptor);
      });
  EXPECT_TRUE(end.exited_with(0)) << end.status;
}

}  // namespace
