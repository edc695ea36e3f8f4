// SPDX-License-Identifier: Apache-2.0
// `relent run --log`: a record for each attempt and one for the outcome, whatever happens; its three formats.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

/// The records of a file, each with what it has for the fields named, "-" for one that it has not.
class run_log : public testing::Test {
 protected:
  const scratch_folder folder;
  const std::string path = folder.file("log");

  std::vector<std::string> logging(std::vector<std::string> flags) const {
    flags.insert(flags.end(), {"--log", path, "--log-format", "json", "--kill-after", "50ms"});
    if (std::ranges::find(flags, "--base") == flags.end()) flags.insert(flags.end(), {"--base", "0ms"});
    return flags;
  }
  std::vector<json> records() const {
    std::vector<json> all;
    for (const std::string& line : lines_of(read_file(path))) all.push_back(json::parse(line));
    return all;
  }
  std::vector<std::string> fields(const std::vector<const char*>& names) const {
    std::vector<std::string> rows;
    for (const json& record : records()) {
      std::string row;
      for (const char* name : names) {
        if (!row.empty()) row += ' ';
        row += !record.contains(name)     ? "-"
               : record[name].is_string() ? record[name].get<std::string>()
                                          : record[name].dump();
      }
      rows.push_back(row);
    }
    return rows;
  }
  std::vector<std::string> ends() const {
    return fields(
        {"event", "attempt", "max_attempts", "end", "exit_code", "signal", "fault", "outcome", "attempts"});
  }
};

TEST_F(run_log, has_a_record_of_each_attempt_and_of_the_outcome) {
  run_tool(run_script(logging({}), "exit 4"));
  EXPECT_THAT(ends(), ElementsAre("attempt 1 3 exit 4 - unknown - -", "attempt 2 3 exit 4 - unknown - -",
                                  "attempt 3 3 exit 4 - unknown - -", "outcome - - - 4 - - attempts 3"));
}

TEST_F(run_log, tells_of_successes) {
  run_tool(run_script(logging({}), "exit 0"));
  run_tool(run_script(logging({}), "test $RELENT_ATTEMPT = 2"));
  EXPECT_THAT(ends(), ElementsAre("attempt 1 3 exit 0 - - - -", "outcome - - - 0 - - first_try 1",
                                  "attempt 1 3 exit 1 - unknown - -", "attempt 2 3 exit 0 - - - -",
                                  "outcome - - - 0 - - after_retry 2"));
}

TEST_F(run_log, tells_of_each_way_to_end) {
  run_tool(run_script(logging({"--max-attempts", "1"}), "kill -SEGV $$"));
  run_tool(run_script(logging({"--max-attempts", "1", "--attempt-timeout", "100ms"}), "exec sleep 60"));
  std::vector<std::string> words{"run"};
  for (const std::string& flag : logging({})) words.push_back(flag);
  words.insert(words.end(), {"--", "no-such-command-anywhere"});
  run_tool(words);
  words.back() = "/";
  run_tool(words);
  EXPECT_THAT(
      ends(),
      ElementsAre("attempt 1 1 signal - SIGSEGV unknown - -", "outcome - - - 139 - - attempts 1",
                  "attempt 1 1 timeout - SIGTERM timeout - -", "outcome - - - 124 - - attempts 1",
                  "attempt 1 3 not_found - - rejected - -", "outcome - - - 127 - - permanent 1",
                  "attempt 1 3 not_executable - - rejected - -", "outcome - - - 126 - - permanent 1"));
}

TEST_F(run_log, tells_of_a_run_that_was_told_to_end) {
  tool_process tool(run_script(logging({}), "echo ready; exec sleep 60"));
  ASSERT_TRUE(tool.wait_for_output("ready"));
  tool.signal(SIGTERM);
  EXPECT_TRUE(tool.finish().died_of(SIGTERM));
  EXPECT_THAT(ends(), ElementsAre("attempt 1 3 signal - SIGTERM cancelled - -",
                                  "outcome - - - 143 SIGTERM - cancelled 1"));
}

TEST_F(run_log, tells_of_a_run_that_was_told_to_end_while_it_waited) {
  tool_process tool({"run", "--log", path, "--log-format", "json", "--base", "10m", "--cap", "10m",
                     "--jitter", "none", "--", "false"});
  ASSERT_TRUE(tool.wait_for_message("retrying"));
  tool.signal(SIGINT);
  EXPECT_TRUE(tool.finish().died_of(SIGINT));
  EXPECT_THAT(ends(),
              ElementsAre("attempt 1 3 exit 1 - unknown - -", "outcome - - - 130 SIGINT - cancelled 1"));
}

TEST_F(run_log, tells_of_a_run_that_could_not_begin) {
  run_tool(run_script(logging({}), "echo ran"), [] {
    with_variable("RELENT_ATTEMPT", "1")();
    with_variable("RELENT_DEADLINE", "1000")();
  });
  EXPECT_THAT(ends(), ElementsAre("outcome - - - 124 - - deadline 0"));
}

TEST_F(run_log, tells_of_a_deadline) {
  run_tool(run_script(logging({"--deadline", "200ms"}), "exec sleep 60"));
  EXPECT_THAT(ends(),
              ElementsAre("attempt 1 3 timeout - SIGTERM timeout - -", "outcome - - - 124 - - deadline 1"));
}

TEST_F(run_log, has_every_field_with_a_sensible_value) {
  const finished end =
      run_tool(run_script(logging({"--base", "20ms", "--jitter", "none", "--max-attempts", "2"}),
                          "echo $RELENT_IDEMPOTENCY_KEY; exit 4"));
  const std::vector<json> all = records();
  ASSERT_EQ(all.size(), 3U);
  for (const json& record : all) {
    EXPECT_THAT(record["time"].get<std::string>(), MatchesRegex("20..-..-..T..:..:..\\....Z"));
    EXPECT_EQ(record["call"], lines_of(end.out).front());
    EXPECT_EQ(record["dependency"], "sh");
    EXPECT_TRUE(record["elapsed_seconds"].is_number());
    EXPECT_LT(record["elapsed_seconds"].get<double>(), 15);
  }
  EXPECT_TRUE(all[0]["took_seconds"].is_number());
  EXPECT_LE(all[0]["took_seconds"].get<double>(), all[0]["elapsed_seconds"].get<double>());
  EXPECT_EQ(all[0]["wait_seconds"], 0.02);
  EXPECT_EQ(all[0]["wait_source"], "backoff");
  EXPECT_FALSE(all[1].contains("wait_seconds"));
  EXPECT_GE(all[2]["elapsed_seconds"].get<double>(), 0.02);
}

TEST_F(run_log, is_appended_to) {
  write_file(path, "before\n");
  run_tool({"run", "--log", path, "--", "true"});
  run_tool({"run", "--log", path, "--", "true"});
  const auto lines = lines_of(read_file(path));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], "before");
}

TEST_F(run_log, says_in_text_what_is_said_on_stderr) {
  const finished end = run_tool(
      {"run", "--log", path, "--base", "1ms", "--jitter", "none", "--max-attempts", "2", "--", "false"});
  EXPECT_THAT(
      lines_of(read_file(path)),
      ElementsAre(
          MatchesRegex("20[^ ]*Z false: attempt 1 of 2: exit code 1; retrying in 1ms \\(backoff\\)"),
          MatchesRegex("20[^ ]*Z false: attempt 2 of 2: exit code 1; giving up: all 2 attempts are used"),
          MatchesRegex("20[^ ]*Z false: outcome: attempts, exit code 1, attempts 2, elapsed .*")));
}

TEST_F(run_log, in_logfmt_has_the_same_fields) {
  run_tool({"run", "--log", path, "--log-format", "logfmt", "--max-attempts", "1", "--", "false"});
  EXPECT_THAT(
      lines_of(read_file(path)),
      ElementsAre(
          MatchesRegex("time=20[^ ]*Z event=attempt call=[^ ]* dependency=false attempt=1 max_attempts=1 "
                       "end=exit exit_code=1 fault=unknown took_seconds=[0-9.]* elapsed_seconds=[0-9.]*"),
          MatchesRegex("time=20[^ ]*Z event=outcome call=[^ ]* dependency=false outcome=attempts "
                       "attempts=1 exit_code=1 elapsed_seconds=[0-9.]*")));
}

TEST_F(run_log, has_one_line_a_record_whatever_the_command_is_called) {
  for (const char* format : {"text", "json", "logfmt"}) {
    ::unlink(path.c_str());
    run_tool({"run", "--log", path, "--log-format", format, "--", "a\n\"b\" c=\xff\\\x1b"});
    const auto lines = lines_of(read_file(path));
    EXPECT_EQ(lines.size(), 2U) << format << read_file(path);
    if (format != std::string("json")) continue;
    for (const std::string& line : lines) EXPECT_TRUE(json::accept(line)) << line;
  }
}

TEST_F(run_log, goes_to_stderr_and_is_not_silenced_by_quiet) {
  const finished end = run_tool(
      {"run", "--quiet", "--log", "-", "--log-format", "json", "--max-attempts", "1", "--", "false"});
  const auto lines = lines_of(end.err);
  EXPECT_EQ(lines.size(), 2U) << end.err;
  for (const std::string& line : lines) EXPECT_TRUE(json::accept(line)) << line;
  EXPECT_EQ(end.out, "");
}

TEST_F(run_log, is_not_inherited_by_the_command) {
  const finished end =
      run_tool({"run", "--log", path, "--", "ls", "/proc/self/fd"}, [] { ::close_range(3, ~0U, 0); });
  EXPECT_EQ(end.out, "0\n1\n2\n3\n");
}

TEST_F(run_log, that_cannot_be_opened_is_refused_before_anything_runs) {
  const finished end = run_tool(run_script({"--log", "/nowhere/log"}, "echo ran"));
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_EQ(end.out, "");
  EXPECT_EQ(end.err, "relent run: --log: '/nowhere/log' cannot be opened: No such file or directory\n");
  EXPECT_EQ(lines_of(run_tool(run_script({"--log", "/"}, "echo ran")).err).size(), 1U);
}

TEST_F(run_log, that_cannot_be_written_is_told_once_and_changes_nothing) {
  const finished end = run_tool(run_script({"--log", "/dev/full", "--base", "0ms"}, "echo ran; exit 4"));
  EXPECT_TRUE(end.exited_with(4));
  EXPECT_EQ(end.out, "ran\nran\nran\n");
  EXPECT_EQ(count_of("--log: '/dev/full' cannot be written: No space left on device", end.err), 1U)
      << end.err;
}

TEST_F(run_log, that_nobody_reads_does_not_make_us_immune_to_signals) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  tool_process tool(run_script({"--log", path}, "echo ran"));
  EXPECT_FALSE(tool.wait_for_output("ran", 300));
  tool.signal(SIGTERM);
  tool.give_up_after(3000);
  const finished end = tool.finish();
  EXPECT_TRUE(end.in_time) << "waits for a reader and does not end";
}

TEST_F(run_log, of_many_runs_at_once_has_whole_lines) {
  const finished end = run_tool(run_script({"--attempt-timeout", "15s", "--max-attempts", "1"},
                                           "for i in $(seq 20); do " RELENT_TOOL
                                           " run --quiet --nested retry --base 0ms --max-attempts 5 --log " +
                                               path + " --log-format json -- false & done; wait"));
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(records().size(), 120U);
}

}  // namespace
