// SPDX-License-Identifier: Apache-2.0
// The sentences.
#include "told.hpp"

#include "exit_codes.hpp"

#include "src/text/signal_names.hpp"

#include <relent/duration_text.hpp>

#include <fmt/format.h>

#include <system_error>

namespace relent::cli {
namespace {

using how = attempt_result::how;
using remark = judged_attempt::remark;

std::string error_text(int code) { return std::generic_category().message(code); }

std::string describe_exit(int code) {
  if (code == exit_cannot_execute) return "exit code 126 (cannot be executed)";
  if (code == exit_not_found) return "exit code 127 (command not found)";
  return fmt::format("exit code {}", code);
}

std::string deadline_text(const told& facts) {
  if (facts.outer_deadline) return "the deadline of the enclosing relent run";
  return "the deadline of " + to_text(facts.rules->deadline.value_or(max_duration));
}

std::string describe_time_out(const told& facts) {
  const std::string what =
      facts.cut_by_deadline ? "cut off by " + deadline_text(facts)
                            : "timed out after " + to_text(facts.rules->attempt_timeout.value_or(duration{}));
  return facts.latest.result.forced ? what + ", and killed since SIGTERM did not end it" : what;
}

/// What stands against another attempt, said by the rules for commands.
std::string_view explain_remark(remark why) {
  switch (why) {
    case remark::stopped_by_rule: return "stop_on names this end";
    case remark::not_listed: return "retry_on does not name this end";
    case remark::output_speaks_against: return "the output does not match retry_on_output";
    case remark::none:
    case remark::inverted:
    case remark::output_missing:
    case remark::input_broken: break;
  }
  return explain(stop_reason::permanent);
}

}  // namespace

std::string attempt_name(const told& facts, std::uint32_t attempt) {
  return fmt::format("attempt {} of {}", attempt, facts.max_attempts);
}

std::string what_happened(const told& facts) {
  const attempt_result& result = facts.latest.result;
  if (result.timed_out) return describe_time_out(facts);
  switch (result.ended) {
    case how::exited:
      switch (facts.latest.why) {
        case remark::inverted: return "exit code 0, a failure by --invert";
        case remark::output_missing:
          return describe_exit(result.number) + ", but the output does not match until_output";
        case remark::input_broken: return describe_exit(result.number) + ", but " + facts.input_failure;
        default: return describe_exit(result.number);
      }
    case how::killed:
      return fmt::format("killed by {} ({})", text::signal_name(result.number), result.number);
    case how::not_found: return fmt::format("'{}' was not found", facts.command);
    case how::not_executable:
      return fmt::format("'{}' cannot be executed: {}", facts.command, error_text(result.number));
    case how::not_started: return fmt::format("no process could be started: {}", error_text(result.number));
  }
  return "unknown";
}

std::string why_stopped(const told& facts, stop_reason reason, bool waiting) {
  switch (reason) {
    case stop_reason::cancelled:
      return facts.signal == 0 ? std::string(explain(reason))
                               : text::signal_name(facts.signal) + " was received";
    case stop_reason::attempts:
      return facts.max_attempts == 1 ? "the only attempt is used"
                                     : fmt::format("all {} attempts are used", facts.max_attempts);
    case stop_reason::nested:
      return facts.cut_by_deadline ? "no time is left" : "an enclosing relent run does the retrying";
    case stop_reason::not_replayable: return "its input cannot be had again";
    case stop_reason::permanent:
      return facts.objection.empty() ? std::string(explain_remark(facts.latest.why)) : facts.objection;
    case stop_reason::deadline:
      if (!waiting && facts.cut_by_deadline) return "no time is left";
      return facts.attempt == 0 ? "no time is left before " + deadline_text(facts)
                                : "the next attempt would not fit before " + deadline_text(facts);
    default: return std::string(explain(reason));
  }
}

std::string success_text(const told& facts) {
  const int code = facts.latest.result.number;
  return code == exit_success ? "succeeded"
                              : fmt::format("succeeded ({}, as --invert wants)", describe_exit(code));
}

}  // namespace relent::cli
