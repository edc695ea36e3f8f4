// SPDX-License-Identifier: Apache-2.0
// What the end of an attempt means, by the rules for commands; the exit code that follows from it.
#include <cli/verdict.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <ostream>
#include <string>

namespace {

using relent::attempt_ends;
using relent::command_rules;
using relent::fault_kind;
using namespace relent::cli;
using how = attempt_result::how;
using remark = judged_attempt::remark;

enum class meaning { success, retried, stopped, cancelled };

meaning meaning_of(const judged_attempt& attempt) {
  if (!attempt.failed) return meaning::success;
  if (attempt.failed->kind == fault_kind::cancelled) return meaning::cancelled;
  if (!attempt.failed->transient) return meaning::retried;  // left to the policy's kinds
  return *attempt.failed->transient ? meaning::retried : meaning::stopped;
}

constexpr attempt_result exited(int code) { return {.ended = how::exited, .number = code}; }
constexpr attempt_result killed(int signal) { return {.ended = how::killed, .number = signal}; }
constexpr attempt_result timed_out() { return {.ended = how::killed, .number = SIGTERM, .timed_out = true}; }
constexpr attempt_result interrupted(attempt_result result) {
  result.interrupted = true;
  return result;
}

struct row {
  const char* id;
  attempt_result result;
  command_rules rules;
  output_matches found;
  meaning expected;
  int exit_code;
  remark why = remark::none;
};

std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.id; }

class verdict : public testing::TestWithParam<row> {};

TEST_P(verdict, is_as_the_rules_say) {
  const row& r = GetParam();
  const judged_attempt got = judge(r.result, r.rules, r.found);
  EXPECT_EQ(meaning_of(got), r.expected);
  EXPECT_EQ(exit_code_of(got), r.exit_code);
  EXPECT_EQ(got.why, r.why);
}

const attempt_ends seven = attempt_ends().add_code(7);
const attempt_ends segv = attempt_ends().add_signal(SIGSEGV);
const attempt_ends only_timeout = attempt_ends().add_timeout();
const attempt_ends all_codes = attempt_ends().add_codes(1, 255).add_every_signal().add_timeout();

const row rows[] = {
    {"zero", exited(0), {}, {}, meaning::success, 0},
    {"one", exited(1), {}, {}, meaning::retried, 1},
    {"signal", killed(SIGSEGV), {}, {}, meaning::retried, 139},
    {"timeout", timed_out(), {}, {}, meaning::retried, 124},
    {"not_executable_by_a_shell", exited(126), {}, {}, meaning::stopped, 126},
    {"not_found_by_a_shell", exited(127), {}, {}, meaning::stopped, 127},
    {"not_found", {.ended = how::not_found, .number = 2}, {}, {}, meaning::stopped, 127},
    {"not_executable", {.ended = how::not_executable, .number = 13}, {}, {}, meaning::stopped, 126},
    {"no_process", {.ended = how::not_started, .number = 11}, {}, {}, meaning::stopped, 125},
    {"not_found_though_all_codes_are_listed",
     exited(127),
     {.retry_on = all_codes},
     {},
     meaning::stopped,
     127},

    {"listed", exited(7), {.retry_on = seven}, {}, meaning::retried, 7},
    {"not_listed", exited(8), {.retry_on = seven}, {}, meaning::stopped, 8, remark::not_listed},
    {"timeout_not_listed", timed_out(), {.retry_on = seven}, {}, meaning::stopped, 124, remark::not_listed},
    {"signal_listed", killed(SIGSEGV), {.retry_on = segv}, {}, meaning::retried, 139},
    {"timeout_listed", timed_out(), {.retry_on = only_timeout}, {}, meaning::retried, 124},
    {"term_of_a_timeout_is_no_signal_of_its_own",
     timed_out(),
     {.retry_on = attempt_ends().add_signal(SIGTERM)},
     {},
     meaning::stopped,
     124,
     remark::not_listed},
    {"stopped", exited(7), {.stop_on = seven}, {}, meaning::stopped, 7, remark::stopped_by_rule},
    {"stop_goes_before_retry",
     exited(7),
     {.retry_on = seven, .stop_on = seven},
     {},
     meaning::stopped,
     7,
     remark::stopped_by_rule},
    {"not_stopped", exited(8), {.stop_on = seven}, {}, meaning::retried, 8},

    {"output_matches", exited(1), {.retry_on_output = "x"}, {.retry_on = true}, meaning::retried, 1},
    {"output_does_not",
     exited(1),
     {.retry_on_output = "x"},
     {},
     meaning::stopped,
     1,
     remark::output_speaks_against},
    {"output_of_a_timeout_is_not_asked", timed_out(), {.retry_on_output = "x"}, {}, meaning::retried, 124},
    {"output_decides_for_it",
     exited(7),
     {.retry_on_output = "x", .output_decides_for = seven},
     {},
     meaning::stopped,
     7,
     remark::output_speaks_against},
    {"output_does_not_decide_for_it",
     exited(8),
     {.retry_on_output = "x", .output_decides_for = seven},
     {},
     meaning::retried,
     8},
    {"output_and_list",
     exited(8),
     {.retry_on = seven, .retry_on_output = "x"},
     {.retry_on = true},
     meaning::stopped,
     8,
     remark::not_listed},
    {"until_found", exited(0), {.until_output = "x"}, {.until = true}, meaning::success, 0},
    {"until_missing", exited(0), {.until_output = "x"}, {}, meaning::retried, 1, remark::output_missing},
    {"until_missing_is_no_matter_of_lists",
     exited(0),
     {.retry_on = seven, .until_output = "x"},
     {},
     meaning::retried,
     1,
     remark::output_missing},
    {"until_found_but_failed", exited(3), {.until_output = "x"}, {.until = true}, meaning::retried, 3},

    {"inverted_zero", exited(0), {.invert = true}, {}, meaning::retried, 1, remark::inverted},
    {"inverted_one", exited(1), {.invert = true}, {}, meaning::success, 0},
    {"inverted_signal", killed(SIGSEGV), {.invert = true}, {}, meaning::retried, 139},
    {"inverted_timeout", timed_out(), {.invert = true}, {}, meaning::retried, 124},
    {"inverted_not_found", exited(127), {.invert = true}, {}, meaning::stopped, 127},

    {"interrupted", interrupted(exited(1)), {}, {}, meaning::cancelled, 1},
    {"interrupted_by_death", interrupted(killed(SIGTERM)), {}, {}, meaning::cancelled, 143},
    {"interrupted_but_done", interrupted(exited(0)), {}, {}, meaning::success, 0},
    {"interrupted_while_ended_for_time", interrupted(timed_out()), {}, {}, meaning::cancelled, 124},
};

INSTANTIATE_TEST_SUITE_P(rows, verdict, testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.id); });

}  // namespace
