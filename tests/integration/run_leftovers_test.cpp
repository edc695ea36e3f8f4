// SPDX-License-Identifier: Apache-2.0
// `relent run` and what commands leave behind: however an attempt ends, nothing of it lives on and nothing
// stays unreaped. The tests adopt orphans, so that whatever the tool leaves becomes their child.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <csignal>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using testing::IsEmpty;
using testing::SizeIs;

struct remains {
  const char* name;
  const char* script;
  int exit_code;
  friend void PrintTo(const remains& row, std::ostream* out) { *out << row.name; }
};

class run_leaves_nothing : public testing::TestWithParam<remains> {};

TEST_P(run_leaves_nothing, of_it) {
  const orphan_catcher catcher;
  const finished end = run_tool(
      run_script({"--base", "0ms", "--max-attempts", "2", "--kill-after", "50ms", "--attempt-timeout", "5s"},
                 GetParam().script));
  EXPECT_TRUE(end.exited_with(GetParam().exit_code)) << end.status << end.err;
  EXPECT_THAT(catcher.caught(), IsEmpty());
}

constexpr remains remains_rows[] = {
    {"a_background_job", "sleep 60 & exit 3", 3},
    {"a_background_job_of_a_success", "sleep 60 & exit 0", 0},
    {"a_grandchild", "sh -c 'sh -c \"sleep 60 & sleep 60\" & sleep 60 &' ; exit 3", 3},
    {"a_session_of_its_own", "setsid sleep 60 & exit 3", 3},
    {"a_session_of_its_own_after_a_success", "setsid sleep 60 & exit 0", 0},
    {"a_double_fork", "(setsid sh -c 'sleep 60 & exit 0' &) ; exit 3", 3},
    {"a_session_with_children", "setsid sh -c 'sleep 60 & sleep 60 & wait' & exit 3", 3},
    {"a_session_within_a_session", "setsid sh -c 'setsid sleep 60 & wait' & exit 3", 3},
    {"what_ignores_sigterm", "(trap '' TERM; exec sleep 60) & exit 3", 3},
    {"a_session_that_ignores_sigterm", "(trap '' TERM HUP; exec setsid sleep 60) & exit 3", 3},
    {"a_stopped_job", "sh -c 'kill -STOP $$' & exit 3", 3},
    {"a_stopped_session", "setsid sh -c 'kill -STOP $$' & exit 3", 3},
    {"what_is_born_at_sigterm", "(trap 'sleep 60 & exit' TERM; sleep 60 & wait) & exit 3", 3},
    {"what_ended_unwaited_for", "for i in 1 2 3 4 5; do (exec true) & done; exit 3", 3},
    {"a_job_of_one_killed_by_a_signal", "sleep 60 & setsid sleep 60 & kill -SEGV $$", 139},
    {"what_holds_the_output", "(exec sleep 60) & echo out; exit 3", 3},
    {"what_closed_everything", "setsid sleep 60 <&- >&- 2>&- & exit 3", 3},
};

INSTANTIATE_TEST_SUITE_P(after, run_leaves_nothing, testing::ValuesIn(remains_rows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(run_leftovers, of_a_time_out_are_ended_in_sessions_of_their_own_too) {
  const orphan_catcher catcher;
  const finished end = run_tool(run_script(
      {"--base", "0ms", "--max-attempts", "2", "--kill-after", "50ms", "--attempt-timeout", "300ms"},
      "trap '' TERM; setsid sleep 60 & setsid sh -c 'trap \"\" TERM; sleep 60 & sleep 60' & sleep 60"));
  EXPECT_TRUE(end.exited_with(124)) << end.status;
  EXPECT_THAT(catcher.caught(), IsEmpty());
}

TEST(run_leftovers, of_a_run_that_was_told_to_end_are_ended) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
    const orphan_catcher catcher;
    tool_process tool(run_script({"--kill-after", "50ms"},
                                 "setsid sh -c 'trap \"\" TERM INT HUP QUIT; echo ready; sleep 60' & wait"));
    ASSERT_TRUE(tool.wait_for_output("ready"));
    tool.signal(signal);
    const finished end = tool.finish();
    EXPECT_TRUE(end.died_of(signal)) << end.status;
    EXPECT_THAT(catcher.caught(), IsEmpty()) << signal;
  }
}

TEST(run_leftovers, of_one_attempt_are_gone_when_the_next_begins) {
  const scratch_folder folder;
  const std::string pid = folder.file("pid");
  const finished end = run_tool(
      run_script({"--base", "0ms"}, "if test -e " + pid + "; then kill -0 $(cat " + pid +
                                        ") 2>/dev/null && echo overlap; fi; setsid sleep 60 & echo $! > " +
                                        pid + "; exit 1"));
  EXPECT_TRUE(end.exited_with(1));
  EXPECT_EQ(end.out, "");
}

TEST(run_leftovers, that_have_ended_by_themselves_cost_no_time) {
  // A child that nobody reaps until the command ends and it becomes ours, both at the same instant.
  const long long begin = now_ms();
  const finished end = run_tool(
      run_script({"--base", "0ms", "--max-attempts", "20", "--invert"}, "(exec true) & exec sleep 0.03"));
  EXPECT_TRUE(end.exited_with(1));
  EXPECT_LT(now_ms() - begin, 20 * 150);
}

TEST(run_leftovers, do_not_pile_up_as_unreaped_while_the_command_runs) {
  const finished end = run_tool(run_script({"--max-attempts", "1"},
                                           "for i in $(seq 200); do sh -c '(exec true) & exit 0'; done; "
                                           "cat /proc/$PPID/task/$PPID/children | wc -w"));
  EXPECT_TRUE(end.exited_with(0));
  ASSERT_FALSE(end.out.empty());
  EXPECT_LT(std::stoi(end.out), 20);  // the command, and a few that have just ended
}

TEST(run_leftovers, do_not_include_an_earlier_child_that_goes_on_living) {
  const scratch_folder folder;
  const orphan_catcher catcher;
  const std::string pid = folder.file("pid");
  // As with `job & exec relent run` in a shell: a process starts a child, then becomes the tool.
  const finished end = run_tool(run_script({"--base", "0ms"}, "setsid sleep 60 & exit 3"), [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int descriptor = 0; descriptor < 3; ++descriptor) ::close(descriptor);
      ::execlp("sleep", "sleep", "60", nullptr);
      ::_exit(1);
    }
    write_file(pid, std::to_string(child));
  });
  EXPECT_TRUE(end.exited_with(3)) << end.err;
  EXPECT_TRUE(lives(pid_in(pid)));
  EXPECT_EQ(catcher.caught().size(), 1U);  // that one, and no other
}

/// Starts a daemon, and goes on once that stands in a session of its own.
std::string start_daemon(const std::string& pid, const std::string& fifo) {
  return "rm -f " + fifo + "; mkfifo " + fifo + "; setsid sh -c 'echo $$ > " + pid + "; echo > " + fifo +
         "; exec sleep 60' <&- >&- 2>&- & read started < " + fifo + "; ";
}

TEST(run_leftovers, daemons_of_a_success_live_on_if_asked_for) {
  const scratch_folder folder;
  const orphan_catcher catcher;
  const std::string pid = folder.file("pid");
  const finished end =
      run_tool(run_script({"--leave-daemons"}, start_daemon(pid, folder.file("fifo")) + "sleep 60 & exit 0"));
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_TRUE(lives(pid_in(pid)));
  EXPECT_THAT(catcher.caught(), SizeIs(1));  // the job in the group has gone
}

TEST(run_leftovers, daemons_of_a_success_live_on_also_after_a_failure) {
  const scratch_folder folder;
  const orphan_catcher catcher;
  const std::string pid = folder.file("pid");
  const finished end =
      run_tool(run_script({"--leave-daemons", "--base", "0ms"},
                          start_daemon(pid, folder.file("fifo")) + "test $RELENT_ATTEMPT -eq 2"));
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_TRUE(lives(pid_in(pid)));
  EXPECT_THAT(catcher.caught(), SizeIs(1));  // that of the first attempt has gone
}

TEST(run_leftovers, daemons_of_failures_are_ended_though_they_would_be_left) {
  const orphan_catcher catcher;
  const finished end =
      run_tool(run_script({"--leave-daemons", "--base", "0ms"}, "setsid sleep 60 <&- >&- 2>&- & exit 3"));
  EXPECT_TRUE(end.exited_with(3));
  EXPECT_THAT(catcher.caught(), IsEmpty());
}

TEST(run_leftovers, a_daemon_that_does_not_reap_a_child_in_the_old_group_does_not_hold_us) {
  // The child ends in the command's group, and is never reaped by the daemon, which lives on as it may.
  const orphan_catcher catcher;
  tool_process tool(run_script({"--leave-daemons", "--kill-after", "50ms"},
                               "(true & exec setsid sleep 60 <&- >&- 2>&-) & exit 0"));
  tool.give_up_after(5000);
  const finished end = tool.finish();
  EXPECT_TRUE(end.exited_with(0)) << (end.in_time ? "wrong exit code" : "did not end");
}

TEST(run_leftovers, a_process_that_holds_the_output_is_not_waited_for) {
  for (const char* mode : {"stream", "last", "stderr"}) {
    const orphan_catcher catcher;
    const long long begin = now_ms();
    const finished end =
        run_tool(run_script({"--base", "0ms", "--output", mode}, "setsid sleep 60 & echo out; exit 0"));
    EXPECT_LT(now_ms() - begin, 4000);
    EXPECT_TRUE(end.exited_with(0)) << mode;
    EXPECT_EQ(end.out, "out\n") << mode;
  }
}

TEST(run_leftovers, a_command_that_stops_itself_goes_on_when_we_are_continued) {
  tool_process tool(run_script({"--base", "0ms"}, "echo ready; kill -STOP $$; echo went on"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  const long long give_up_at = now_ms() + 10'000;
  do tool.signal(SIGCONT);  // it may come before the stop
  while (!tool.wait_for_output("went on", 20) && now_ms() < give_up_at);
  EXPECT_TRUE(tool.finish().exited_with(0));
}

TEST(run_leftovers, a_command_that_stops_itself_is_ended_by_a_signal_to_us) {
  const orphan_catcher catcher;
  tool_process tool(run_script({"--base", "0ms"}, "echo ready; kill -STOP $$; sleep 60"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGTERM);
  EXPECT_TRUE(tool.finish().died_of(SIGTERM));
  EXPECT_THAT(catcher.caught(), IsEmpty());
}

TEST(run_leftovers, a_kill_by_force_takes_the_command_along) {
  const orphan_catcher catcher;
  tool_process tool({"run", "--", "sh", "-c", "echo ready; exec sleep 60"});
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGKILL);
  EXPECT_TRUE(tool.finish().died_of(SIGKILL));
  EXPECT_TRUE(catcher.all_end_within(5000));
}

TEST(run_leftovers, a_kill_by_force_takes_the_hook_along) {
  const orphan_catcher catcher;
  tool_process tool({"run", "--on-retry", "echo ready; exec sleep 60", "--", "false"});
  ASSERT_TRUE(tool.wait_for_message("ready"));
  tool.signal(SIGKILL);
  EXPECT_TRUE(tool.finish().died_of(SIGKILL));
  EXPECT_TRUE(catcher.all_end_within(5000));
}

TEST(run_leftovers, a_kill_by_force_goes_through_nested_runs) {
  const orphan_catcher catcher;
  tool_process tool({"run", "--", RELENT_TOOL, "run", "--", RELENT_TOOL, "run", "--", "sh", "-c",
                     "echo ready; exec sleep 60"});
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGKILL);
  EXPECT_TRUE(tool.finish().died_of(SIGKILL));
  EXPECT_TRUE(catcher.all_end_within(5000));
}

TEST(run_leftovers, of_a_nested_run_are_ended_with_the_attempt_around_it) {
  const orphan_catcher catcher;
  tool_process tool({"run", "--max-attempts", "1", "--attempt-timeout", "1s", "--kill-after", "100ms", "--",
                     RELENT_TOOL, "run", "--kill-after", "10m", "--", "sh", "-c",
                     "trap '' TERM; setsid sleep 60 & echo ready; sleep 60"});
  const finished end = tool.finish();
  EXPECT_EQ(end.out, "ready\n");
  EXPECT_TRUE(end.exited_with(124)) << end.status;
  EXPECT_THAT(catcher.caught(), IsEmpty());
}

}  // namespace
