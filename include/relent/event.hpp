// SPDX-License-Identifier: Apache-2.0
// What a call tells while it runs: why a wait or a stop was chosen, and the events that observers see.
// Counting them is in counters.hpp, the story of one call in report.hpp. Layer 0.
#pragma once

#include <relent/fault.hpp>
#include <relent/optional.hpp>
#include <relent/time.hpp>

#include <cstdint>
#include <string_view>

namespace relent {

/// Why no further attempt was made, in the order in which the engine asks (engine.hpp).
enum class stop_reason : std::uint8_t {
  cancelled,       ///< the stop token was triggered, or the fault is our own cancellation
  vetoed,          ///< the server said not to retry
  permanent,       ///< the fault's kind is not one that the policy retries
  not_replayable,  ///< what the attempts send was used up and cannot be had again
  unsafe,          ///< the work may have been done, and the operation is not repeatable
  nested,          ///< an enclosing relent call retries; this one makes a single attempt
  attempts,        ///< max_attempts, or the kind's own limit, is reached
  server_delay,    ///< the server asked for a longer wait than the policy accepts
  deadline,        ///< the next attempt would not fit before the deadline
  breaker,         ///< the breaker is open and will not admit a probe by the end of the wait
  budget,          ///< the retry budget refuses
};
inline constexpr int stop_reason_count = 11;

/// Where a wait came from.
enum class wait_source : std::uint8_t {
  backoff,
  server_delay,
  sender_limit,
};

/// The reason's name as it stands in logs, reports and metrics: "server_delay".
constexpr std::string_view to_string(stop_reason reason) noexcept {
  switch (reason) {
    case stop_reason::cancelled: return "cancelled";
    case stop_reason::vetoed: return "vetoed";
    case stop_reason::permanent: return "permanent";
    case stop_reason::not_replayable: return "not_replayable";
    case stop_reason::unsafe: return "unsafe";
    case stop_reason::nested: return "nested";
    case stop_reason::attempts: return "attempts";
    case stop_reason::server_delay: return "server_delay";
    case stop_reason::deadline: return "deadline";
    case stop_reason::breaker: return "breaker";
    case stop_reason::budget: return "budget";
  }
  return "unknown";
}

/// The reason as half a sentence for a person: "the retry budget is empty".
constexpr std::string_view explain(stop_reason reason) noexcept {
  switch (reason) {
    case stop_reason::cancelled: return "the call was cancelled";
    case stop_reason::vetoed: return "the server said not to retry";
    case stop_reason::permanent: return "trying again cannot help";
    case stop_reason::not_replayable: return "what it sends is used up and cannot be had again";
    case stop_reason::unsafe: return "the work may have been done and must not be done twice";
    case stop_reason::nested: return "an enclosing call does the retrying";
    case stop_reason::attempts: return "all attempts are used";
    case stop_reason::server_delay: return "the server asked for a longer wait than the policy accepts";
    case stop_reason::deadline: return "the next attempt would not fit before the deadline";
    case stop_reason::breaker: return "the breaker is open";
    case stop_reason::budget: return "the retry budget is empty";
  }
  return "unknown";
}

/// "backoff", "server_delay" or "sender_limit".
constexpr std::string_view to_string(wait_source source) noexcept {
  switch (source) {
    case wait_source::backoff: return "backoff";
    case wait_source::server_delay: return "server_delay";
    case wait_source::sender_limit: return "sender_limit";
  }
  return "unknown";
}

enum class event_kind : std::uint8_t {
  attempt,    ///< an attempt ended; `fault` says how unless it succeeded
  retry,      ///< a further attempt was decided; `wait` and `source` say when and why then
  outcome,    ///< the call ended; `stop` says why unless it succeeded
  held_back,  ///< the sender limit delays an attempt, be it the first; `wait` says how long
};

/// One thing that happened in a call. The texts are valid only while the observer runs.
struct event {
  event_kind kind = event_kind::attempt;
  /// The dependency's name; empty for a call without one.
  std::string_view dependency = {};
  /// The attempt that ended, from 1; in an outcome the number of attempts made, 0 if none.
  std::uint32_t attempt = 0;
  /// What went wrong in this attempt, in an outcome what went wrong last; nothing on success.
  optional<relent::fault> fault = nullopt;
  /// The error in its own words, as far as it has any.
  std::string_view error_text = {};
  /// For a retry or an attempt held back: how long until it starts, and where that comes from.
  duration wait = duration::zero();
  wait_source source = wait_source::backoff;
  /// For an outcome: why no further attempt was made; nothing on success.
  optional<stop_reason> stop = nullopt;
  /// Since the beginning of the call.
  duration elapsed = duration::zero();
};

/// An outcome's name: "first_try", "after_retry", or the stop reason.
constexpr std::string_view outcome_name(const event& outcome) noexcept {
  if (outcome.stop) return to_string(*outcome.stop);
  return outcome.attempt <= 1 ? "first_try" : "after_retry";
}

/// Whoever wants to know. Given to a dependency, for all its calls.
class observer {
 public:
  /// Called by the thread that runs the call, never under a lock; must be thread-safe.
  /// What it throws is swallowed: an observer cannot break a call.
  virtual void on_event(const event& what) = 0;

 protected:
  observer() = default;
  observer(const observer&) = default;
  observer& operator=(const observer&) = default;
  ~observer() = default;
};

}  // namespace relent
