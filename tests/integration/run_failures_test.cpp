// SPDX-License-Identifier: Apache-2.0
// `relent run` and which ends of a command are failures, which of them are tried again, and the exit code.
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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct ending {
  const char* name;
  std::vector<std::string> flags;
  const char* script;
  std::size_t attempts;
  int exit_code;
  friend void PrintTo(const ending& row, std::ostream* out) { *out << row.name; }
};

class run_that_ends : public testing::TestWithParam<ending> {};

TEST_P(run_that_ends, is_repeated_as_told_and_has_the_right_exit_code) {
  std::vector<std::string> flags{"--base", "0ms", "--kill-after", "50ms"};
  flags.insert(flags.end(), GetParam().flags.begin(), GetParam().flags.end());
  const scratch_folder folder;
  const std::string count = folder.file("count");
  const finished end = run_tool(
      run_script(flags, "echo . >> " + count + "; n=$(wc -l < " + count + "); " + GetParam().script));
  EXPECT_TRUE(end.exited_with(GetParam().exit_code)) << end.status << end.err;
  EXPECT_EQ(lines_of(read_file(count)).size(), GetParam().attempts) << end.err;
}

const std::vector<std::string> short_attempts{"--attempt-timeout", "300ms", "--max-attempts", "2"};

std::vector<std::string> timed(std::vector<std::string> more) {
  more.insert(more.end(), short_attempts.begin(), short_attempts.end());
  return more;
}

const std::vector<ending> endings{
    {"with_a_code_that_is_listed", {"--retry-on", "3"}, "exit 3", 3, 3},
    {"with_a_code_that_is_not_listed", {"--retry-on", "3"}, "exit 4", 1, 4},
    {"with_the_last_code_of_a_list", {"--retry-on", "1,2,75"}, "exit 75", 3, 75},
    {"with_the_first_code_of_a_range", {"--retry-on", "100-120"}, "exit 100", 3, 100},
    {"with_the_last_code_of_a_range", {"--retry-on", "100-120"}, "exit 120", 3, 120},
    {"with_a_code_behind_a_range", {"--retry-on", "100-120"}, "exit 121", 1, 121},
    {"with_code_255", {"--retry-on", "255"}, "exit 255", 3, 255},
    {"with_a_listed_code_and_then_another", {"--retry-on", "3"}, "exit $((n + 2))", 2, 4},
    {"with_a_listed_signal", {"--retry-on", "SIGSEGV"}, "kill -SEGV $$", 3, 139},
    {"with_a_signal_listed_without_sig", {"--retry-on", "segv"}, "kill -SEGV $$", 3, 139},
    {"with_a_signal_that_is_not_listed", {"--retry-on", "1,SIGBUS"}, "kill -SEGV $$", 1, 139},
    {"with_a_signal_whose_shell_code_is_listed", {"--retry-on", "139"}, "kill -SEGV $$", 1, 139},
    {"with_a_shell_code_whose_signal_is_listed", {"--retry-on", "SIGSEGV"}, "exit 139", 1, 139},
    {"by_sigkill_which_is_no_success", {}, "kill -KILL $$", 3, 137},
    {"by_sigterm_of_its_own", {}, "kill -TERM $$", 3, 143},
    {"with_a_code_that_stops", {"--stop-on", "3"}, "exit 3", 1, 3},
    {"with_a_code_that_does_not_stop", {"--stop-on", "3"}, "exit 4", 3, 4},
    {"with_a_code_that_both_lists_have", {"--retry-on", "1-10", "--stop-on", "3"}, "exit 3", 1, 3},
    {"with_a_signal_that_stops", {"--stop-on", "SIGKILL"}, "kill -KILL $$", 1, 137},
    {"by_any_signal_which_stops", {"--stop-on", "signal"}, "kill -ABRT $$", 1, 134},
    {"by_a_time_out", short_attempts, "exec sleep 60", 2, 124},
    {"by_a_listed_time_out", timed({"--retry-on", "timeout"}), "exec sleep 60", 2, 124},
    {"by_a_time_out_that_is_not_listed", timed({"--retry-on", "1,SIGTERM"}), "exec sleep 60", 1, 124},
    {"by_a_time_out_that_stops", timed({"--stop-on", "timeout"}), "exec sleep 60", 1, 124},
    {"with_124_which_is_no_time_out", {"--retry-on", "timeout"}, "exit 124", 1, 124},
    {"with_0_after_a_time_out_which_is_no_success", short_attempts, "trap 'exit 0' TERM; sleep 60 & wait", 2,
     124},
    {"with_126", {}, "exit 126", 1, 126},
    {"with_127", {}, "exit 127", 1, 127},
    {"with_127_within_a_listed_range", {"--retry-on", "1-255"}, "exit 127", 1, 127},
    {"with_127_turned_around", {"--invert"}, "exit 127", 1, 127},
    {"with_a_matching_line",
     {"--retry-on-output", "^temporary.*again$"},
     "echo temporary, try again; exit 1",
     3,
     1},
    {"with_a_matching_line_on_stderr", {"--retry-on-output", "temp"}, "echo temp >&2; exit 1", 3, 1},
    {"with_a_matching_line_without_an_end",
     {"--retry-on-output", "temp$"},
     "echo x; printf temp; exit 1",
     3,
     1},
    {"with_no_matching_line", {"--retry-on-output", "temp"}, "echo for good; exit 1", 1, 1},
    {"with_a_match_over_two_lines", {"--retry-on-output", "a.b"}, "echo a; echo b; exit 1", 1, 1},
    {"with_a_match_in_an_earlier_attempt_only",
     {"--retry-on-output", "temp"},
     "test $n = 1 && echo temp; exit 1",
     2,
     1},
    {"with_a_match_in_much_output",
     {"--retry-on-output", "^needle$"},
     "seq 200000; echo needle; seq 200000; exit 1",
     3,
     1},
    {"with_a_match_behind_a_null_byte",
     {"--retry-on-output", "needle"},
     "printf 'a\\0needle\\n'; exit 1",
     3,
     1},
    {"by_a_time_out_though_nothing_matches", timed({"--retry-on-output", "temp"}), "exec sleep 60", 2, 124},
    {"well_though_the_pattern_matches", {"--retry-on-output", "temp"}, "echo temp; exit 0", 1, 0},
    {"well_but_without_the_output", {"--until-output", "^ready$"}, "echo not ready; exit 0", 3, 1},
    {"well_with_the_output_at_last",
     {"--until-output", "^ready$"},
     "test $n = 2 && echo ready; exit 0",
     2,
     0},
    {"well_with_the_output_on_stderr", {"--until-output", "ready"}, "echo ready >&2", 1, 0},
    {"badly_with_the_output", {"--until-output", "ready"}, "echo ready; exit 5", 3, 5},
    {"well_which_is_a_failure", {"--invert"}, "exit 0", 3, 1},
    {"badly_which_is_a_success", {"--invert"}, "exit 7", 1, 0},
    {"badly_at_last_which_is_a_success", {"--invert"}, "test $n = 1", 2, 0},
    {"by_a_signal_which_is_no_success", {"--invert"}, "kill -KILL $$", 3, 137},
    {"by_a_time_out_which_is_no_success", timed({"--invert"}), "exec sleep 60", 2, 124},
    {"well_three_times_in_a_row", {"--successes", "3"}, "exit 0", 3, 0},
    {"well_but_not_in_a_row", {"--successes", "2"}, "test $n != 2", 4, 0},
    {"well_never_in_a_row", {"--successes", "2"}, "test $((n % 2)) = 1", 6, 1},
    {"badly_three_times_as_wanted", {"--invert", "--successes", "3"}, "exit 1", 3, 0},
};

INSTANTIATE_TEST_SUITE_P(run, run_that_ends, testing::ValuesIn(endings),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(run_failures, say_why_there_is_no_further_attempt) {
  EXPECT_THAT(run_tool(run_script({"--stop-on", "3"}, "exit 3")).told(),
              ElementsAre("relent: attempt 1 of 3: exit code 3; giving up: stop_on names this end"));
  EXPECT_THAT(run_tool(run_script({"--retry-on", "3"}, "exit 4")).told(),
              ElementsAre("relent: attempt 1 of 3: exit code 4; giving up: retry_on does not name this end"));
  EXPECT_THAT(
      run_tool(run_script({"--retry-on-output", "x"}, "exit 4")).told(),
      ElementsAre(
          "relent: attempt 1 of 3: exit code 4; giving up: the output does not match retry_on_output"));
}

TEST(run_failures, that_cannot_be_read_from_the_flags_run_nothing) {
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--retry-on", "300"},
                                             {"--retry-on", "1,,2"},
                                             {"--retry-on", "127"},
                                             {"--stop-on", "SIGNOTHING"},
                                             {"--retry-on", "9-3"},
                                             {"--retry-on-output", "("},
                                             {"--until-output", "[z-a]"},
                                             {"--successes", "0"},
                                             {"--max-attempts", "0"},
                                             {"--kill-after", "2"},
                                             {"--output", "lost"},
                                             {"--stdin-limit", "10"},
                                             {"--log-format", "json"},
                                             {"--retry-no", "1"}}) {
    const finished end = run_tool(run_script(flags, "echo ran"));
    EXPECT_TRUE(end.exited_with(125)) << flags.front();
    EXPECT_EQ(end.out, "") << flags.front();
    ASSERT_EQ(lines_of(end.err).size(), 1U) << end.err;
    EXPECT_THAT(end.err, HasSubstr(flags.front()));
  }
}

TEST(run_failures, of_the_last_attempt_are_not_waited_after) {
  const long long begin = now_ms();
  EXPECT_TRUE(run_tool({"run", "--max-attempts", "2", "--delays", "1ms,10m", "--", "false"}).exited_with(1));
  EXPECT_TRUE(run_tool({"run", "--max-attempts", "1", "--base", "10m", "--cap", "10m", "--", "false"})
                  .exited_with(1));
  EXPECT_LT(now_ms() - begin, 10'000);
}

TEST(run_failures, in_a_pipeline_whose_reader_has_gone_are_final) {
  const finished end =
      run_tool({"run", "--", "bash", "-c",
                RELENT_TOOL " run --nested retry --base 0ms -- sh -c 'echo attempt >&2; exec yes' | "
                            "head -n 1; exit $((${PIPESTATUS[0]} == 141 ? 0 : 9))"});
  EXPECT_TRUE(end.exited_with(0)) << end.err;
  EXPECT_EQ(end.out, "y\n");
  EXPECT_EQ(count_of("attempt\n", end.err), 1U) << end.err;
}

TEST(run_failures, by_sigpipe_with_a_reader_are_like_others) {
  const finished end = run_tool(run_script({"--base", "0ms"}, "kill -PIPE $$"));
  EXPECT_TRUE(end.exited_with(128 + SIGPIPE));
  EXPECT_EQ(end.told().size(), 3U);
}

TEST(run_failures, does_not_include_a_wait_in_the_series_that_a_signal_ends) {
  tool_process tool(run_script({"--successes", "2", "--base", "10m", "--cap", "10m"},
                               "trap 'exit 0' TERM; echo ready; sleep 60 & wait"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGTERM);
  tool.give_up_after(4000);
  const finished end = tool.finish();
  EXPECT_TRUE(end.died_of(SIGTERM)) << (end.in_time ? "another end" : "it waits on");
}

TEST(run_failures, of_a_time_limit_in_a_series_of_successes_count) {
  const finished end =
      run_tool({"run", "--successes", "1000000", "--base", "10ms", "--deadline", "300ms", "--", "true"});
  EXPECT_TRUE(end.exited_with(124)) << end.status << end.err;
}

TEST(run_failures, each_attempt_has_its_own_time_however_many_successes_it_needs) {
  const finished end = run_tool(
      run_script({"--successes", "4", "--base", "0ms", "--max-attempts", "1", "--attempt-timeout", "700ms"},
                 "sleep 0.3"));
  EXPECT_TRUE(end.exited_with(0)) << end.err;
}

}  // namespace
