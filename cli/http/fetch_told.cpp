// SPDX-License-Identifier: Apache-2.0
// The sentences.
#include "fetch_told.hpp"

#include "cli/rounded.hpp"

#include "src/text/signal_names.hpp"
#include "src/text/status_phrases.hpp"

#include <relent/duration_text.hpp>

#include <fmt/format.h>

namespace relent::cli {
namespace {

std::string deadline_text(const fetch_told& facts) {
  if (facts.outer_deadline) return "the deadline of the enclosing relent run";
  return "the deadline of " + to_text(facts.rules->deadline.value_or(max_duration));
}

/// What a person can do about an attempt that may have been executed.
std::string unsafe_text(const fetch_told& facts) {
  const std::string text = fmt::format("the {} may have been done, and must not be done twice", facts.method);
  return facts.has_key ? text : text + "; --idempotency-key lets the server tell";
}

std::string delay_text(const fetch_told& facts, const curl::transfer_record* made) {
  if (made == nullptr || !made->server_delay) return std::string(explain(stop_reason::server_delay));
  const std::string origin = made->delay_header.empty() ? "" : fmt::format(" ({})", made->delay_header);
  return fmt::format("the server asks for {}{}, and at most {} is waited", rounded(*made->server_delay),
                     origin, rounded(facts.rules->max_server_delay));
}

}  // namespace

std::string attempt_name(const fetch_told& facts, std::uint32_t attempt) {
  return fmt::format("attempt {} of {}", attempt, facts.max_attempts);
}

std::string what_happened(const curl::transfer_record& made) {
  if (made.status >= 400) {
    const std::string_view words = text::status_phrase(made.status);
    return words.empty() ? fmt::format("HTTP {}", made.status)
                         : fmt::format("HTTP {} {}", made.status, words);
  }
  if (!made.error.text.empty()) return made.error.text;
  return made.status == 0 ? "no answer" : fmt::format("HTTP {}", made.status);
}

std::string wait_origin(const event& retry, const curl::transfer_record* made) {
  if (retry.source == wait_source::server_delay && made != nullptr && !made->delay_header.empty())
    return std::string(made->delay_header);
  return std::string(to_string(retry.source));
}

std::string why_stopped(const fetch_told& facts, stop_reason reason, const curl::transfer_record* made) {
  switch (reason) {
    case stop_reason::cancelled:
      return facts.signal == 0 ? std::string(explain(reason))
                               : text::signal_name(facts.signal) + " was received";
    case stop_reason::vetoed:
      return made == nullptr || made->decided_by.empty()
                 ? std::string(explain(reason))
                 : fmt::format("the server said not to retry ({})", made->decided_by);
    case stop_reason::not_replayable:
      return facts.used_up.empty() ? std::string(explain(reason)) : facts.used_up;
    case stop_reason::unsafe: return unsafe_text(facts);
    case stop_reason::nested: return "an enclosing relent run does the retrying";
    case stop_reason::attempts:
      // A kind of fault may have a limit of its own (server_error_retries).
      if (made != nullptr && made->number < facts.max_attempts)
        return "a server's own error is tried again no more often than that";
      return facts.max_attempts == 1 ? "the only attempt is used"
                                     : fmt::format("all {} attempts are used", facts.max_attempts);
    case stop_reason::server_delay: return delay_text(facts, made);
    case stop_reason::deadline:
      if (facts.out_of_time && made != nullptr) return "no time is left";
      return made == nullptr ? "no time is left before " + deadline_text(facts)
                             : "the next attempt would not fit before " + deadline_text(facts);
    case stop_reason::permanent:
    case stop_reason::breaker:
    case stop_reason::budget: return std::string(explain(reason));
  }
  return "unknown";
}

}  // namespace relent::cli
