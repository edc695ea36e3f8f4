// SPDX-License-Identifier: Apache-2.0
// The sentences.
#include "story.hpp"

#include "exit_codes.hpp"
#include "message.hpp"
#include "rounded.hpp"

#include <relent/duration_text.hpp>

#include <fmt/format.h>

#include <system_error>

namespace relent::cli {
namespace {

std::string error_text(int code) { return std::generic_category().message(code); }

std::string describe_exit(int code) {
  if (code == exit_cannot_execute) return "exit code 126 (cannot be executed)";
  if (code == exit_not_found) return "exit code 127 (command not found)";
  return fmt::format("exit code {}", code);
}

/// Whether it was the deadline that cut the attempt, rather than its own time-out.
bool cut_by_deadline(const attempt_result& result, const policy& rules) {
  const auto& own = rules->attempt_timeout;
  return result.timed_out_after && rules->deadline && !(own && *result.timed_out_after >= *own);
}

std::string describe_time_out(const attempt_result& result, const policy& rules) {
  const std::string what =
      cut_by_deadline(result, rules)
          ? "cut off by the deadline of " + to_text(*rules->deadline)
          : "timed out after " + to_text(rules->attempt_timeout.value_or(*result.timed_out_after));
  return result.forced ? what + ", and killed since SIGTERM did not end it" : what;
}

}  // namespace

std::string describe_end(const attempt_result& result, const policy& rules, std::string_view command) {
  using how = attempt_result::how;
  if (result.timed_out_after) return describe_time_out(result, rules);
  switch (result.ended) {
    case how::exited: return describe_exit(result.number);
    case how::killed: return fmt::format("killed by {} ({})", signal_name(result.number), result.number);
    case how::not_found: return fmt::format("'{}' was not found", command);
    case how::not_executable:
      return fmt::format("'{}' cannot be executed: {}", command, error_text(result.number));
    case how::not_started: return fmt::format("no process could be started: {}", error_text(result.number));
  }
  return "unknown";
}

void story::on_event(const event& what) {
  switch (what.kind) {
    case event_kind::attempt:
      if (!what.fault && what.attempt > 1)
        say(fmt::format("{} succeeded (elapsed {})", beginning(what.attempt), rounded(what.elapsed)));
      waiting_ = false;
      break;
    case event_kind::retry:
      say(fmt::format("{} {}; retrying in {} ({})", beginning(what.attempt),
                      describe_end(last_, rules_, command_), rounded(what.wait), to_string(what.source)));
      waiting_ = true;
      break;
    case event_kind::held_back: break;  // only of dependencies with a sender limit; a command has none
    case event_kind::outcome:
      if (what.stop) tell_end(what);
      break;
  }
}

void story::tell_end(const event& outcome) const {
  const std::string why = why_stopped(*outcome.stop);
  if (waiting_ || outcome.attempt == 0)
    say(fmt::format("no further attempt: {} (elapsed {})", why, rounded(outcome.elapsed)));
  else
    say(fmt::format("{} {}; giving up: {} (elapsed {})", beginning(outcome.attempt),
                    describe_end(last_, rules_, command_), why, rounded(outcome.elapsed)));
}

std::string story::beginning(std::uint32_t attempt) const {
  return fmt::format("attempt {} of {}:", attempt, rules_->max_attempts);
}

std::string story::why_stopped(stop_reason reason) const {
  switch (reason) {
    case stop_reason::cancelled: {
      const int signal = runner_.signal_received();
      return signal == 0 ? std::string(explain(reason)) : signal_name(signal) + " was received";
    }
    case stop_reason::attempts:
      return rules_->max_attempts == 1 ? "the only attempt is used"
                                       : fmt::format("all {} attempts are used", rules_->max_attempts);
    case stop_reason::deadline:
      if (!rules_->deadline) return std::string(explain(reason));
      if (!waiting_ && cut_by_deadline(last_, rules_)) return "no time is left";
      return fmt::format("the next attempt would not fit before the deadline of {}",
                         to_text(*rules_->deadline));
    default: return std::string(explain(reason));
  }
}

}  // namespace relent::cli
