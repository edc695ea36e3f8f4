// SPDX-License-Identifier: Apache-2.0
// The tool called wrongly, or asked about itself: one line for each thing that is wrong, exit code 125.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using testing::HasSubstr;
using testing::StartsWith;

struct wrong_call {
  const char* id;
  std::vector<std::string> words;
  std::string told;  ///< all of stderr
  friend void PrintTo(const wrong_call& row, std::ostream* out) { *out << row.id; }
};

class usage : public testing::TestWithParam<wrong_call> {};

TEST_P(usage, is_refused_in_so_many_words) {
  const finished end = run_tool(GetParam().words);
  EXPECT_TRUE(end.exited_with(125)) << end.status;
  EXPECT_EQ(end.err, GetParam().told);
  EXPECT_EQ(end.out, "");
}

const wrong_call wrong_calls[] = {
    {"no_unit",
     {"run", "--base", "5", "--", "true"},
     "relent run: --base: '5' has no unit: write 250ms, 10s or 2m\n"},
    {"empty_value",
     {"run", "--base", "", "--", "true"},
     "relent run: --base: '' is empty: write 250ms, 10s or 2m\n"},
    {"negative",
     {"run", "--deadline", "-5s", "--", "true"},
     "relent run: --deadline: '-5s' has a sign: write the length alone, as in 10s\n"},
    {"zero_deadline",
     {"run", "--deadline", "0s", "--", "true"},
     "relent run: --deadline: '0s' must be above zero\n"},
    {"zero_time_out",
     {"run", "--attempt-timeout=0s", "--", "true"},
     "relent run: --attempt-timeout: '0s' must be above zero\n"},
    {"no_attempts",
     {"run", "--max-attempts", "0", "--", "true"},
     "relent run: --max-attempts: '0' must be at least 1: it counts the first attempt too\n"},
    {"attempts_not_a_number",
     {"run", "--max-attempts", "3x", "--", "true"},
     "relent run: --max-attempts: '3x' is not a whole number from 0 to 4294967295\n"},
    {"seed_negative",
     {"run", "--seed", "-1", "--", "true"},
     "relent run: --seed: '-1' is not a whole number from 0 to 18446744073709551615\n"},
    {"multiplier_small",
     {"run", "--multiplier", "0.5", "--", "true"},
     "relent run: --multiplier: '0.5' must be a finite number of at least 1\n"},
    {"multiplier_word",
     {"run", "--multiplier", "two", "--", "true"},
     "relent run: --multiplier: 'two' is not a number: write 2 or 1.5\n"},
    {"jitter_near",
     {"run", "--jitter", "ful", "--", "true"},
     "relent run: --jitter: 'ful' is unknown: did you mean full?\n"},
    {"jitter_far",
     {"run", "--jitter", "x", "--", "true"},
     "relent run: --jitter: 'x' is unknown: write none, full, equal, decorrelated, decorrelated_v2, ratio\n"},
    {"cap_below_base",
     {"run", "--base", "2s", "--cap", "1s", "--", "true"},
     "relent run: --cap: '1s' must not be below base\n"},
    {"base_above_default_cap",
     {"run", "--base", "20s", "--", "true"},
     "relent run: --cap: the default must not be below base\n"},
    {"delays_gap",
     {"run", "--delays", "1s,,2s", "--", "true"},
     "relent run: --delays: '1s,,2s' has an empty place: write the delays as 1s,2s,5s\n"},
    {"kill_after",
     {"run", "--kill-after", "2", "--", "true"},
     "relent run: --kill-after: '2' has no unit: write 250ms, 10s or 2m\n"},
    {"all_at_once",
     {"run", "--base", "5", "--cap", "1x", "--jitter", "?", "--", "true"},
     "relent run: --base: '5' has no unit: write 250ms, 10s or 2m\n"
     "relent run: --cap: '1x' has an unknown unit: use ns, us, ms, s, m, h or d\n"
     "relent run: --jitter: '?' is unknown: write none, full, equal, decorrelated, decorrelated_v2, ratio\n"},
    {"rules_at_once",
     {"run", "--max-attempts", "0", "--base", "1m", "--", "true"},
     "relent run: --max-attempts: '0' must be at least 1: it counts the first attempt too\n"
     "relent run: --cap: the default must not be below base\n"},
    {"unknown_flag_near",
     {"run", "--max-attemps", "3", "--", "true"},
     "relent run: --max-attemps: unknown flag; did you mean --max-attempts?\n"},
    {"unknown_flag_far",
     {"run", "--frobnicate=3", "--", "true"},
     "relent run: --frobnicate: unknown flag; --help lists them\n"},
    {"value_missing", {"run", "--base", "--", "true"}, "relent run: --base: needs a value\n"},
    {"no_separator",
     {"run", "curl", "-f", "x"},
     "relent run: 'curl' is not a flag: write -- before the command, as in relent run -- curl\n"},
    {"no_command",
     {"run"},
     "relent run: no command: write it after --, as in relent run -- curl -fsS https://example.com\n"},
    {"nothing_behind_separator",
     {"run", "--"},
     "relent run: no command: write it after --, as in relent run -- curl -fsS https://example.com\n"},
    {"subcommand_near", {"rnu"}, "relent: 'rnu' is not a subcommand: did you mean run?\n"},
    {"subcommand_far",
     {"curl", "-f"},
     "relent: 'curl' is not a subcommand: to run it as a command, write relent run -- curl\n"},
    {"flag_as_subcommand", {"--frob"}, "relent: '--frob' is not a subcommand: relent --help lists them\n"},
    {"demo_arguments",
     {"demo", "fast"},
     "relent demo: 'fast': takes no arguments, only flags: --help lists them\n"},
};

INSTANTIATE_TEST_SUITE_P(wrong, usage, testing::ValuesIn(wrong_calls),
                         [](const auto& info) { return std::string(info.param.id); });

TEST(usage, gives_short_help_for_no_words_at_all) {
  const finished end = run_tool({});
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_THAT(end.err, HasSubstr("relent run -- command"));
}

TEST(usage, answers_on_stdout) {
  for (const char* word : {"--help", "-h", "help"}) {
    const finished end = run_tool({word});
    EXPECT_TRUE(end.exited_with(0));
    EXPECT_THAT(end.out, HasSubstr("relent run -- command"));
    EXPECT_EQ(end.err, "");
  }
  EXPECT_THAT(run_tool({"--version"}).out, testing::MatchesRegex("relent [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(usage, of_run_begins_with_examples_and_names_the_defaults) {
  for (const char* word : {"--help", "-h"}) {
    const finished end = run_tool({"run", word});
    EXPECT_TRUE(end.exited_with(0));
    EXPECT_THAT(end.out,
                StartsWith("Runs a command, and runs it again while it fails.\n\n  relent run -- curl"));
    for (const char* part : {"[3]", "[1h]", "[100ms]", "[10s]", "[full]", "[2s]", "124", "125"})
      EXPECT_THAT(end.out, HasSubstr(part));
  }
}

TEST(usage, fits_a_terminal_of_eighty_columns) {
  const std::string text = run_tool({"run", "--help"}).out + run_tool({"--help"}).out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 80U) << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST(usage, says_when_an_answer_could_not_be_written) {
  const finished end =
      run_tool({"--version"}, [] { ::dup2(::open("/dev/full", O_WRONLY | O_CLOEXEC), STDOUT_FILENO); });
  EXPECT_TRUE(end.exited_with(125));
}

TEST(usage, of_a_flag_given_twice_takes_the_last) {
  const finished end = run_tool({"run", "--max-attempts", "9", "--max-attempts", "1", "--", "false"});
  EXPECT_THAT(end.err, HasSubstr("attempt 1 of 1"));
}

}  // namespace
