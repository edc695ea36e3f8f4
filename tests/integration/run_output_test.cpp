// SPDX-License-Identifier: Apache-2.0
// `relent run` and what the command writes: passed on as it comes, held back, or looked at for patterns,
// and not a byte of it lost, doubled or changed.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The command's stdout as a file sees it, whatever way it goes through the tool.
const std::vector<std::vector<std::string>> ways{{},
                                                 {"--output", "last"},
                                                 {"--output", "stderr"},
                                                 {"--retry-on-output", "never to be found"},
                                                 {"--until-output", "^"},
                                                 {"--output", "last", "--until-output", "."}};

std::vector<std::string> with(std::vector<std::string> flags, const std::vector<std::string>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

std::string script_of(const std::string& first, const std::string& second) {
  return "if test $RELENT_ATTEMPT = 1; then " + first + "; exit 1; else " + second + "; fi";
}

TEST(run_output, streams_what_each_attempt_writes) {
  const finished end = run_tool(run_script({"--base", "0ms"}, script_of("echo one", "echo two")));
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.out, "one\ntwo\n");
}

TEST(run_output, streams_as_it_comes) {
  pipe_pair go_on;
  for (const auto& flags : std::vector<std::vector<std::string>>{{}, {"--until-output", "done"}}) {
    tool_process tool(run_script(flags, "echo before; read line; echo \"$line\"; echo done"),
                      with_stdin(go_on.reader()));
    ASSERT_TRUE(tool.wait_for_output("before\n"));
    ASSERT_TRUE(go_on.write("after\n"));
    EXPECT_EQ(tool.finish().out, "before\nafter\ndone\n");
  }
}

TEST(run_output, of_the_last_attempt_alone_if_asked_for) {
  const std::vector<std::string> flags{"--output", "last", "--base", "0ms"};
  const finished good = run_tool(run_script(flags, script_of("echo one; echo err >&2", "echo two")));
  EXPECT_TRUE(good.exited_with(0));
  EXPECT_EQ(good.out, "two\n");
  EXPECT_EQ(count_of("one", good.err), 0U);
  EXPECT_EQ(count_of("err\n", good.err), 1U);  // stderr is never held back
  const finished bad = run_tool(run_script(flags, "echo $RELENT_ATTEMPT; exit 4"));
  EXPECT_TRUE(bad.exited_with(4));
  EXPECT_EQ(bad.out, "3\n");
}

TEST(run_output, of_failed_attempts_goes_to_stderr_if_asked_for) {
  const std::vector<std::string> flags{"--output", "stderr", "--base", "0ms", "--quiet"};
  const finished good = run_tool(run_script(flags, script_of("echo one", "echo two")));
  EXPECT_TRUE(good.exited_with(0));
  EXPECT_EQ(good.out, "two\n");
  EXPECT_EQ(good.err, "one\n");
  const finished bad = run_tool(run_script(flags, "echo $RELENT_ATTEMPT; exit 4"));
  EXPECT_EQ(bad.out, "3\n");
  EXPECT_EQ(bad.err, "1\n2\n");
}

TEST(run_output, of_an_attempt_that_was_cut_by_time_is_that_of_the_last) {
  for (const char* mode : {"last", "stderr"}) {
    const finished end = run_tool(run_script(
        {"--output", mode, "--deadline", "300ms", "--kill-after", "50ms"}, "echo so far; exec sleep 60"));
    EXPECT_TRUE(end.exited_with(124)) << mode;
    EXPECT_EQ(end.out, "so far\n") << mode;
  }
}

TEST(run_output, of_an_attempt_that_was_told_to_end_is_not_lost) {
  for (const auto& flags : ways) {
    tool_process tool(run_script(flags,
                                 "trap 'echo tidied up; exit 3' TERM; echo begun; echo ready >&2; "
                                 "sleep 60 & wait"));
    ASSERT_TRUE(tool.wait_for_message("ready"));
    tool.signal(SIGTERM);
    const finished end = tool.finish();
    EXPECT_TRUE(end.died_of(SIGTERM));
    EXPECT_EQ(end.out, "begun\ntidied up\n") << testing::PrintToString(flags);
  }
}

TEST(run_output, is_not_changed_by_a_byte) {
  const scratch_folder folder;
  const std::string bytes =
      made_up_bytes(300'001) + std::string(3000, '\0') + "\r\n\n\xff\xfe no end of line";
  write_file(folder.file("bytes"), bytes);
  for (const auto& flags : ways) {
    const finished end =
        run_tool(run_script(with(flags, {"--max-attempts", "1"}), "cat " + folder.file("bytes")));
    EXPECT_TRUE(end.exited_with(0)) << testing::PrintToString(flags) << end.err;
    EXPECT_TRUE(end.out == bytes) << testing::PrintToString(flags) << end.out.size();
  }
}

TEST(run_output, on_stderr_is_not_changed_either) {
  const scratch_folder folder;
  const std::string bytes = made_up_bytes(300'001);
  write_file(folder.file("bytes"), bytes);
  for (const auto& flags : ways) {
    const finished end = run_tool(run_script(with(flags, {"--max-attempts", "1", "--quiet"}),
                                             "echo .; cat " + folder.file("bytes") + " >&2"));
    EXPECT_TRUE(end.exited_with(0)) << testing::PrintToString(flags);
    EXPECT_TRUE(end.err == bytes) << testing::PrintToString(flags) << end.err.size();
  }
}

TEST(run_output, may_be_large) {
  const scratch_folder folder;
  const std::string bytes = made_up_bytes(24 << 20);
  write_file(folder.file("bytes"), bytes);
  for (const auto& flags : std::vector<std::vector<std::string>>{
           {"--output", "last"}, {"--output", "stderr"}, {"--until-output", "zzzzzz not there"}}) {
    const finished end =
        run_tool(run_script(with(flags, {"--max-attempts", "1"}), "cat " + folder.file("bytes")));
    EXPECT_TRUE(end.out == bytes) << testing::PrintToString(flags) << end.out.size();
  }
}

TEST(run_output, keeps_its_order_from_attempt_to_attempt) {
  const finished end =
      run_tool(run_script({"--until-output", "never", "--max-attempts", "5", "--base", "0ms"},
                          "for i in 1 2 3; do echo $RELENT_ATTEMPT.$i; done"));
  EXPECT_EQ(end.out, "1.1\n1.2\n1.3\n2.1\n2.2\n2.3\n3.1\n3.2\n3.3\n4.1\n4.2\n4.3\n5.1\n5.2\n5.3\n");
}

std::string both_in_turn(int lines) {
  return "for i in $(seq " + std::to_string(lines) + "); do echo out-$i; echo err-$i >&2; done";
}

TEST(run_output, and_stderr_may_be_the_same_pipe_and_nothing_is_lost) {
  std::size_t size = 0;
  for (const auto& flags : ways) {
    const finished end =
        run_tool(run_script(with(flags, {"--max-attempts", "1", "--quiet"}), both_in_turn(2000)),
                 [] { ::dup2(STDOUT_FILENO, STDERR_FILENO); });
    if (size == 0) size = end.out.size();  // that of the first way, which is none of ours
    EXPECT_EQ(end.out.size(), size) << testing::PrintToString(flags);
    EXPECT_EQ(count_of("\n", end.out), 4000U) << testing::PrintToString(flags);
  }
}

TEST(run_output, and_stderr_in_the_same_pipe_do_not_tear_each_other_s_lines) {
  for (const char* pattern : {"--retry-on-output", "--until-output"}) {
    const finished end =
        run_tool(run_script({pattern, "never", "--max-attempts", "1", "--quiet"}, both_in_turn(2000)),
                 [] { ::dup2(STDOUT_FILENO, STDERR_FILENO); });
    EXPECT_EQ(count_of("\nout-", "\n" + end.out), 2000U) << pattern;
    EXPECT_EQ(count_of("\nerr-", "\n" + end.out), 2000U) << pattern;
  }
}

TEST(run_output, left_by_a_child_that_ends_just_after_the_command_is_taken) {
  for (const auto& flags : ways) {
    const finished end =
        run_tool(with(with({"run"}, flags), {"--", "bash", "-c", "echo first > >(cat; echo last)"}));
    EXPECT_EQ(end.out, "first\nlast\n") << testing::PrintToString(flags);
  }
}

TEST(run_output, waits_for_a_slow_reader_and_uses_no_time_meanwhile) {
  const std::string bytes = made_up_bytes(400'000);
  const scratch_folder folder;
  write_file(folder.file("bytes"), bytes);
  for (const auto& flags : ways) {
    pipe_pair output;
    tool_process tool(run_script(with(flags, {"--max-attempts", "1"}), "cat " + folder.file("bytes")),
                      [&] { ::dup2(output.writer(), STDOUT_FILENO); });
    output.close_writer();
    std::string got;
    std::array<char, 100> little;
    for (int i = 0; i < 300; ++i) {
      const ssize_t n = ::read(output.reader(), little.data(), little.size());
      if (n > 0) got.append(little.data(), static_cast<std::size_t>(n));
    }
    EXPECT_FALSE(tool.wait_for_output("nothing comes here", 300));  // it waits for us all the while
    got += output.read_all();
    const finished end = tool.finish();
    EXPECT_TRUE(end.exited_with(0)) << end.err;
    EXPECT_TRUE(got == bytes) << testing::PrintToString(flags) << got.size();
    EXPECT_LT(end.cpu_ms, 250) << testing::PrintToString(flags);
  }
}

TEST(run_output, a_reader_that_leaves_ends_the_command_as_without_us) {
  for (const auto& flags : std::vector<std::vector<std::string>>{{}, {"--until-output", "x"}}) {
    pipe_pair output;
    tool_process tool(run_script(with(flags, {"--base", "0ms"}), "echo ready >&2; exec yes"),
                      [&] { ::dup2(output.writer(), STDOUT_FILENO); });
    output.close_writer();
    ASSERT_TRUE(tool.wait_for_message("ready"));
    output.close_reader();
    const finished end = tool.finish();
    EXPECT_TRUE(end.exited_with(128 + SIGPIPE)) << testing::PrintToString(flags) << end.status;
    EXPECT_EQ(count_of("ready", end.err), 1U) << end.err;
    EXPECT_THAT(end.err, HasSubstr("giving up: whoever read its output has gone"));
  }
}

TEST(run_output, that_nobody_reads_is_no_reason_to_survive_a_signal) {
  for (const auto& flags : ways) {
    pipe_pair output;
    tool_process tool(run_script(with(flags, {"--kill-after", "50ms"}), "echo ready >&2; exec yes"),
                      [&] { ::dup2(output.writer(), STDOUT_FILENO); });
    ASSERT_TRUE(tool.wait_for_message("ready"));
    tool.signal(SIGTERM);
    tool.give_up_after(5000);
    EXPECT_TRUE(tool.finish().died_of(SIGTERM)) << testing::PrintToString(flags);
  }
}

TEST(run_output, told_to_somebody_who_does_not_read_is_no_reason_to_survive_a_signal) {
  pipe_pair messages;
  const std::string full(static_cast<std::size_t>(::fcntl(messages.writer(), F_GETPIPE_SZ)), '.');
  ASSERT_EQ(::write(messages.writer(), full.data(), full.size()), static_cast<ssize_t>(full.size()));
  tool_process tool(run_script({"--base", "0ms"}, "echo ran; exit 1"),
                    [&] { ::dup2(messages.writer(), STDERR_FILENO); });
  ASSERT_TRUE(tool.wait_for_output("ran"));
  tool.signal(SIGTERM);
  tool.give_up_after(5000);
  const finished end = tool.finish();
  EXPECT_TRUE(end.died_of(SIGTERM)) << (end.in_time ? "another end" : "it hangs");
}

TEST(run_output, that_cannot_be_written_is_no_success) {
  for (const auto& flags : std::vector<std::vector<std::string>>{
           {"--output", "last"}, {"--output", "stderr"}, {"--until-output", "result"}}) {
    const finished end = run_tool(run_script(flags, "echo result"),
                                  [] { ::dup2(::open("/dev/full", O_WRONLY | O_CLOEXEC), STDOUT_FILENO); });
    EXPECT_TRUE(end.exited_with(125)) << testing::PrintToString(flags) << end.status;
    EXPECT_EQ(count_of("stdout could not be written: No space left on device", end.err), 1U) << end.err;
  }
}

TEST(run_output, may_be_closed) {
  for (const auto& flags : ways) {
    const finished end =
        run_tool(run_script(with(flags, {"--until-output", "fine"}), "echo fine >&2; exit 0"),
                 [] { ::close(STDOUT_FILENO); });
    EXPECT_TRUE(end.exited_with(0)) << testing::PrintToString(flags) << end.err;
    const finished failing =
        run_tool(run_script(with(flags, {"--base", "0ms"}), "exit 7"), [] { ::close(STDOUT_FILENO); });
    EXPECT_TRUE(failing.exited_with(7)) << testing::PrintToString(flags) << failing.err;
  }
}

TEST(run_output, of_the_last_attempt_reaches_stdout_though_stderr_is_closed) {
  const finished end =
      run_tool(run_script({"--output", "stderr", "--base", "0ms"}, script_of("echo one", "echo two")),
               [] { ::close(STDERR_FILENO); });
  EXPECT_EQ(end.out, "two\n");
  EXPECT_TRUE(end.exited_with(0)) << end.status;
}

TEST(run_output, that_cannot_be_held_back_is_written_and_ends_the_retries) {
  const finished end =
      run_tool(run_script({"--output", "last", "--base", "0ms"}, "head -c 3000000 /dev/zero; exit 5"),
               with_variable("TMPDIR", "/nowhere/at/all"));
  EXPECT_TRUE(end.exited_with(5));
  EXPECT_EQ(end.out.size(), 3'000'000U);
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: exit code 5; giving up: its output could not be "
                          "held back and is written already: No such file or directory"));
}

TEST(run_output, of_a_success_that_cannot_be_held_back_goes_to_stdout) {
  for (const char* mode : {"last", "stderr"}) {
    const finished end = run_tool(run_script({"--output", mode, "--base", "0ms", "--quiet"},
                                             script_of("echo one", "head -c 3000000 /dev/zero")),
                                  with_variable("TMPDIR", "/nowhere/at/all"));
    EXPECT_TRUE(end.exited_with(0)) << mode;
    EXPECT_EQ(end.out.size(), 3'000'000U) << mode;
    EXPECT_EQ(count_of(std::string(1, '\0'), end.err), 0U) << mode;
  }
}

TEST(run_output, on_a_shared_descriptor_stays_blocking_for_others) {
  for (const auto& flags : ways) {
    pipe_pair output;
    const int flags_before = ::fcntl(output.writer(), F_GETFL);
    tool_process tool(run_script(with(flags, {"--max-attempts", "1"}), "echo ready >&2; read line; echo ."),
                      [&] { ::dup2(output.writer(), STDOUT_FILENO); });
    ASSERT_TRUE(tool.wait_for_message("ready"));
    EXPECT_EQ(::fcntl(output.writer(), F_GETFL), flags_before);
    tool.finish();
    EXPECT_EQ(::fcntl(output.writer(), F_GETFL), flags_before);
  }
}

TEST(run_output, is_silent_about_itself_when_told_so) {
  const finished end = run_tool(run_script({"--quiet", "--base", "0ms"}, "exit 9"));
  EXPECT_TRUE(end.exited_with(9));
  EXPECT_EQ(end.err, "");
}

TEST(run_output, of_the_tool_itself_goes_to_stderr_with_one_prefix) {
  const finished end = run_tool(run_script({"--base", "0ms"}, "exit 9"));
  EXPECT_EQ(end.out, "");
  for (const std::string& line : lines_of(end.err)) EXPECT_EQ(line.rfind("relent: ", 0), 0U) << line;
  EXPECT_THAT(end.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(lines_of(end.err), Not(IsEmpty()));
}

}  // namespace
