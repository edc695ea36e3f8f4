// SPDX-License-Identifier: Apache-2.0
// The rules, in the order in which they count.
#include "verdict.hpp"

#include "exit_codes.hpp"

namespace relent::cli {
namespace {

using how = attempt_result::how;
using remark = judged_attempt::remark;

bool could_not_run(const attempt_result& result) noexcept {
  if (result.ended == how::exited)
    return result.number == exit_cannot_execute || result.number == exit_not_found;
  return result.ended != how::killed;
}

bool is_in(const attempt_ends& set, const attempt_result& result) noexcept {
  if (result.timed_out) return set.has_timeout();
  return result.ended == how::killed ? set.has_signal(result.number) : set.has_code(result.number);
}

/// Nothing if the attempt did what it should.
std::optional<remark> failure_of(const attempt_result& result, const command_rules& rules,
                                 output_matches found) noexcept {
  if (result.timed_out || result.ended != how::exited || could_not_run(result)) return remark::none;
  const bool zero = result.number == exit_success;
  if (zero == rules.invert) return zero ? remark::inverted : remark::none;
  if (rules.until_output && !found.until) return remark::output_missing;
  return std::nullopt;
}

/// Why a failure is not worth another try; none if it is.
remark objection_to(const attempt_result& result, const command_rules& rules, output_matches found) noexcept {
  if (is_in(rules.stop_on, result)) return remark::stopped_by_rule;
  if (rules.retry_on && !is_in(*rules.retry_on, result)) return remark::not_listed;
  // An attempt that hung has nothing to say for itself.
  const bool output_decides = rules.retry_on_output && !result.timed_out &&
                              (!rules.output_decides_for || is_in(*rules.output_decides_for, result));
  if (output_decides && !found.retry_on) return remark::output_speaks_against;
  return remark::none;
}

}  // namespace

judged_attempt judge(const attempt_result& result, const command_rules& rules, output_matches found) {
  const std::optional<remark> failure = failure_of(result, rules, found);
  if (!failure) return {.result = result, .failed = std::nullopt};
  if (result.interrupted) return {result, fault{.kind = fault_kind::cancelled}, *failure};
  if (result.ended == how::not_started)
    return {result, fault{.kind = fault_kind::rejected, .transient = false, .local = true}, *failure};
  if (!result.timed_out && could_not_run(result))
    return {result, fault{.kind = fault_kind::rejected, .transient = false}, *failure};
  // What fails only by --invert or --until-output is what is waited for: no list of ends is asked.
  if (*failure != remark::none)
    return {result, fault{.kind = fault_kind::unknown, .transient = true}, *failure};
  const remark objection = objection_to(result, rules, found);
  const fault_kind kind = result.timed_out ? fault_kind::timeout : fault_kind::unknown;
  return {result, fault{.kind = kind, .transient = objection == remark::none}, objection};
}

judged_attempt without_its_input(const judged_attempt& attempt) {
  const fault_kind kind = attempt.failed ? attempt.failed->kind : fault_kind::rejected;
  return {attempt.result, fault{.kind = kind, .transient = true, .replayable = false}, remark::input_broken};
}

int exit_code_of(const judged_attempt& attempt) noexcept {
  const attempt_result& result = attempt.result;
  if (!attempt.failed) return exit_success;
  if (attempt.why == remark::input_broken && !result.timed_out) return exit_failure;
  if (result.timed_out) return exit_timed_out;
  switch (result.ended) {
    case how::exited: return result.number == exit_success ? 1 : result.number;
    case how::killed: return exit_killed_by(result.number);
    case how::not_found: return exit_not_found;
    case how::not_executable: return exit_cannot_execute;
    case how::not_started: return exit_failure;
  }
  return exit_failure;
}

}  // namespace relent::cli
