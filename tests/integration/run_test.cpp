// SPDX-License-Identifier: Apache-2.0
// `relent run` with real commands: arguments, exit codes, which failures are tried again, what is told.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// Fails until the file has `n` lines, one a run.
std::string succeeds_on_run(int n, const std::string& counter) {
  return "echo run >> " + counter + "; test $(wc -l < " + counter + ") -ge " + std::to_string(n);
}

TEST(run, passes_arguments_unchanged) {
  const std::vector<std::string> odd{"two words", "it's", "\"quoted\"", "a\nnewline", "",      "$HOME",
                                     "*",         "--",   "-x",         "{}",         "[a,b]", "\\"};
  std::vector<std::string> words{"run", "--", "printf", "<%s>"};
  std::string expected;
  for (const std::string& each : odd) {
    words.push_back(each);
    expected += "<" + each + ">";
  }
  const finished end = run_tool(words);
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.out, expected);
}

TEST(run, says_nothing_when_the_first_attempt_succeeds) {
  const finished end = run_tool({"run", "--", "true"});
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.err, "");
}

TEST(run, tries_a_failing_command_again_until_it_succeeds) {
  const scratch_folder folder;
  const finished end =
      run_tool(run_script({"--base", "1ms", "--jitter", "none"}, succeeds_on_run(3, folder.file("n"))));
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_THAT(end.told(), ElementsAre("relent: attempt 1 of 3: exit code 1; retrying in 1ms (backoff)",
                                      "relent: attempt 2 of 3: exit code 1; retrying in 2ms (backoff)",
                                      "relent: attempt 3 of 3: succeeded"));
}

TEST(run, exits_with_the_code_of_the_last_attempt) {
  const scratch_folder folder;
  const std::string counter = folder.file("n");
  const finished end =
      run_tool(run_script({"--base", "1ms", "--jitter", "none"},
                          "echo run >> " + counter + "; exit $((40 + $(wc -l < " + counter + ")))"));
  EXPECT_TRUE(end.exited_with(43));
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: exit code 41; retrying in 1ms (backoff)",
                          "relent: attempt 2 of 3: exit code 42; retrying in 2ms (backoff)",
                          "relent: attempt 3 of 3: exit code 43; giving up: all 3 attempts are used"));
}

TEST(run, makes_one_attempt_if_told_so) {
  const finished end = run_tool({"run", "--max-attempts", "1", "--", "false"});
  EXPECT_TRUE(end.exited_with(1));
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 1: exit code 1; giving up: the only attempt is used"));
}

TEST(run, is_not_limited_by_a_budget) {
  const finished end = run_tool({"run", "--max-attempts", "30", "--base", "0ms", "--", "false"});
  EXPECT_TRUE(end.exited_with(1));
  EXPECT_THAT(end.err, HasSubstr("all 30 attempts are used"));
}

TEST(run, does_not_retry_a_command_that_is_not_found) {
  const finished end = run_tool({"run", "--", "no-such-command-anywhere"});
  EXPECT_TRUE(end.exited_with(127));
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: 'no-such-command-anywhere' was not found; giving up: "
                          "trying again cannot help"));
}

TEST(run, does_not_retry_a_command_that_cannot_be_executed) {
  const finished end = run_tool({"run", "--", "/"});
  EXPECT_TRUE(end.exited_with(126));
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: '/' cannot be executed: Permission denied; giving up: "
                          "trying again cannot help"));
}

TEST(run, takes_an_empty_word_for_a_command_that_is_not_found) {
  EXPECT_TRUE(run_tool({"run", "--", ""}).exited_with(127));
}

TEST(run, does_not_retry_when_a_shell_reports_126_or_127) {
  for (const int code : {126, 127}) {
    const finished end = run_tool(run_script({}, "exit " + std::to_string(code)));
    EXPECT_TRUE(end.exited_with(code));
    EXPECT_EQ(end.told().size(), 1U) << end.err;
  }
}

TEST(run, retries_a_death_by_signal_and_reports_it_as_a_shell_does) {
  const finished end = run_tool(run_script({"--max-attempts", "2", "--base", "0ms"}, "kill -SEGV $$"));
  EXPECT_TRUE(end.exited_with(128 + SIGSEGV));
  EXPECT_THAT(
      end.told(),
      ElementsAre("relent: attempt 1 of 2: killed by SIGSEGV (11); retrying in 0ms (backoff)",
                  "relent: attempt 2 of 2: killed by SIGSEGV (11); giving up: all 2 attempts are used"));
}

TEST(run, waits_the_same_with_the_same_seed_and_otherwise_with_another) {
  const auto waits = [](const std::string& seed) {
    return run_tool({"run", "--max-attempts", "6", "--base", "8ms", "--seed", seed, "--", "false"}).told();
  };
  const auto first = waits("7");
  EXPECT_EQ(first.size(), 6U);
  EXPECT_EQ(first, waits("7"));
  EXPECT_NE(first, waits("8"));
}

TEST(run, waits_as_the_flags_say) {
  const finished end =
      run_tool({"run", "--max-attempts", "5", "--delays", "1ms,3ms,2ms", "--jitter", "none", "--", "false"});
  EXPECT_THAT(end.err, HasSubstr("attempt 1 of 5: exit code 1; retrying in 1ms"));
  EXPECT_THAT(end.err, HasSubstr("attempt 2 of 5: exit code 1; retrying in 3ms"));
  EXPECT_THAT(end.err, HasSubstr("attempt 4 of 5: exit code 1; retrying in 2ms"));
  const finished capped = run_tool({"run", "--max-attempts", "4", "--base", "1ms", "--multiplier", "10",
                                    "--cap", "4ms", "--jitter", "none", "--", "false"});
  EXPECT_THAT(capped.err, HasSubstr("attempt 2 of 4: exit code 1; retrying in 4ms"));
  EXPECT_THAT(capped.err, HasSubstr("attempt 3 of 4: exit code 1; retrying in 4ms"));
}

TEST(run, leaves_the_output_of_the_command_alone) {
  const finished end = run_tool(run_script({"--base", "0ms"}, "printf 'out\\0put'; printf oops >&2; exit 1"));
  EXPECT_EQ(end.out, std::string("out\0putout\0putout\0put", 21));
  EXPECT_THAT(end.err, StartsWith("oopsrelent: attempt 1 of 3: "));
}

TEST(run, gives_the_command_its_input) {
  std::array<int, 2> input{};
  ASSERT_EQ(::pipe2(input.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::write(input[1], "line\n", 5), 5);
  ::close(input[1]);
  const finished end = run_tool({"run", "--", "cat"}, [&] { ::dup2(input[0], STDIN_FILENO); });
  ::close(input[0]);
  EXPECT_EQ(end.out, "line\n");
}

TEST(run, survives_closed_standard_descriptors_which_the_command_finds_closed_too) {
  const scratch_folder folder;
  const std::string list = folder.file("list");
  const std::vector<std::string> words =
      run_script({"--base", "0ms"},
                 "for n in 0 1 2; do test -e /proc/$$/fd/$n && open=$open$n; done; printf %s \"$open\" > " +
                     list + "; exit 5");
  const finished end = run_tool(words, [] {
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
    ::close(STDERR_FILENO);
  });
  EXPECT_TRUE(end.exited_with(5));
  EXPECT_TRUE(run_tool({"run", "--", "test", "!", "-s", list}).exited_with(0));
}

TEST(run, survives_a_reader_that_has_gone) {
  const auto closed_reader = [] {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) ::_exit(98);
    ::close(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
  };
  EXPECT_TRUE(run_tool({"run", "--base", "0ms", "--", "sh", "-c", "exit 5"}, closed_reader).exited_with(5));
}

TEST(run, has_no_descriptor_of_its_own_in_the_command) {
  const finished end = run_tool({"run", "--", "ls", "/proc/self/fd"}, [] { ::close_range(3, ~0U, 0); });
  EXPECT_EQ(end.out, "0\n1\n2\n3\n");  // the last is ls's own
}

TEST(run, keeps_no_descriptor_from_attempt_to_attempt) {
  const finished end =
      run_tool(run_script({"--max-attempts", "100", "--base", "0ms"}, "ls /proc/$PPID/fd | wc -l; exit 1"));
  std::istringstream counts(end.out);
  int seen = 0;
  for (int open = 0; counts >> open; ++seen) EXPECT_LT(open, 20);
  EXPECT_EQ(seen, 100);
}

#if !RELENT_TEST_SANITIZED  // the undefined-behaviour sanitizer needs descriptors of its own
TEST(run, says_so_when_no_process_can_be_started) {
  const finished end = run_tool({"run", "--", "true"}, [] {
    int ends[2];
    if (::pipe(ends) == 0) ::dup2(ends[0], STDIN_FILENO);  // of which each attempt needs a copy
    ::close_range(3, ~0U, 0);
    const rlimit one_to_spare{4, 4};  // enough to load the tool, not for a pipe
    ::setrlimit(RLIMIT_NOFILE, &one_to_spare);
  });
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: no process could be started: Too many open files; "
                          "giving up: trying again cannot help"));
}
#endif

TEST(run, gives_the_command_default_signal_actions_and_nothing_blocked) {
  const finished end = run_tool({"run", "--", "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}, [] {
    for (const int ignored : {SIGPIPE, SIGCHLD, SIGUSR1, SIGALRM}) std::signal(ignored, SIG_IGN);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  });
  EXPECT_EQ(end.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(run, keeps_hang_ups_ignored_when_started_under_nohup) {
  const finished end =
      run_tool({"run", "--", "grep", "^SigIgn", "/proc/self/status"}, [] { std::signal(SIGHUP, SIG_IGN); });
  EXPECT_EQ(end.out, "SigIgn:\t0000000000000001\n");
}

TEST(run, gives_the_command_a_process_group_of_its_own) {
  const finished end = run_tool(run_script({}, "test $(cut -d' ' -f5 /proc/$$/stat) = $$"));
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_THAT(end.told(), IsEmpty());
}

}  // namespace
