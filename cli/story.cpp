// SPDX-License-Identifier: Apache-2.0
// The sentences.
#include "story.hpp"

#include "exit_codes.hpp"
#include "message.hpp"
#include "rounded.hpp"

#include "src/text/signal_names.hpp"

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

}  // namespace

void story::attempt_ended(const attempt_result& result, time_point limit) {
  last_ = result;
  // A limit by the attempt's own time-out lies before the deadline.
  cut_by_deadline_ =
      result.timed_out && rules_->deadline && limit >= saturating_add(begin_, *rules_->deadline);
}

std::string story::what_happened() const {
  using how = attempt_result::how;
  if (last_.timed_out) {
    const std::string what = cut_by_deadline_
                                 ? "cut off by the deadline of " + to_text(*rules_->deadline)
                                 : "timed out after " + to_text(rules_->attempt_timeout.value_or(duration{}));
    return last_.forced ? what + ", and killed since SIGTERM did not end it" : what;
  }
  switch (last_.ended) {
    case how::exited: return describe_exit(last_.number);
    case how::killed: return fmt::format("killed by {} ({})", text::signal_name(last_.number), last_.number);
    case how::not_found: return fmt::format("'{}' was not found", command_);
    case how::not_executable:
      return fmt::format("'{}' cannot be executed: {}", command_, error_text(last_.number));
    case how::not_started: return fmt::format("no process could be started: {}", error_text(last_.number));
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
      say(fmt::format("{} {}; retrying in {} ({})", beginning(what.attempt), what_happened(),
                      rounded(what.wait), to_string(what.source)));
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
    say(fmt::format("{} {}; giving up: {} (elapsed {})", beginning(outcome.attempt), what_happened(), why,
                    rounded(outcome.elapsed)));
}

std::string story::beginning(std::uint32_t attempt) const {
  return fmt::format("attempt {} of {}:", attempt, rules_->max_attempts);
}

std::string story::why_stopped(stop_reason reason) const {
  switch (reason) {
    case stop_reason::cancelled: {
      const int signal = runner_.signal_received();
      return signal == 0 ? std::string(explain(reason)) : text::signal_name(signal) + " was received";
    }
    case stop_reason::attempts:
      return rules_->max_attempts == 1 ? "the only attempt is used"
                                       : fmt::format("all {} attempts are used", rules_->max_attempts);
    case stop_reason::deadline:
      if (!rules_->deadline) return std::string(explain(reason));
      if (!waiting_ && cut_by_deadline_) return "no time is left";
      return fmt::format("the next attempt would not fit before the deadline of {}",
                         to_text(*rules_->deadline));
    default: return std::string(explain(reason));
  }
}

}  // namespace relent::cli
