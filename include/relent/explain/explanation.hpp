// SPDX-License-Identifier: Apache-2.0
// A policy explained before it is used: how long, how often, how much load, and what of it hurts. Numbers and
// sentences; laying them out is left to others. Target relent::explain.
#pragma once

#include <relent/budget.hpp>
#include <relent/explain/schedule.hpp>
#include <relent/optional.hpp>
#include <relent/policy.hpp>
#include <relent/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relent {

/// What the policy is for.
enum class policy_use : std::uint8_t {
  calls,     ///< of a service: many clients, a budget of its own
  commands,  ///< `relent run`: one at a time, without a budget unless one is shared
};

/// What to explain.
struct explain_options {
  policy_options policy = {};
  budget_options budget = token_budget{};
  policy_use use = policy_use::calls;
  /// So many layers above each other, each with this policy; at least 1.
  std::uint32_t layers = 1;
  /// Rows of the schedule that are wanted.
  std::size_t most_rows = 20;
};

/// What is legal and hurts all the same.
struct warning {
  std::string_view id;     ///< stable: "no_jitter"
  std::string message;     ///< what is the matter
  std::string arithmetic;  ///< what shows it, in numbers
  std::string mend;        ///< the change that mends it, as it stands in a policy file
};

/// How long a call can take.
struct time_bounds {
  /// All waits of the backoff at their latest, after whatever fault, and attempts that take no time.
  duration waits{};
  /// The same with every attempt running into its time-out; nothing without one.
  optional<duration> with_time_outs = nullopt;
  /// The longest wait that a server can ask for, of each retry; zero for commands.
  duration server_wait{};
  /// The longest that a call can take at all, if attempts keep to their time-out; nothing: without limit.
  optional<duration> worst = nullopt;
  /// Attempts that start before the deadline for certain if each fails at once, and if each runs into its
  /// time-out, as far as time is concerned and no server asks for a wait; all of them without a deadline. The
  /// second is nothing without a time-out.
  std::uint32_t certain_attempts = 0;
  optional<std::uint32_t> certain_attempts_with_time_outs = nullopt;
};

/// Attempts per call at one fault rate.
struct load_row {
  double fault_rate = 0;
  double without_budget = 0;
  double with_budget = 0;
};

struct explanation {
  relent::schedule schedule;
  time_bounds time;
  double burst = 0;                      ///< retries that a full budget grants at once; infinity without one
  std::vector<load_row> load;            ///< at fault rates of 0.01, 0.1, 0.5 and 1
  double amplification = 0;              ///< over the layers, in an outage, without a budget
  double amplification_with_budget = 0;  ///< the most in the long run, at whatever fault rate
  std::vector<warning> warnings;
};

/// Pure; thread-safe. The options must be free of problems().
explanation explain(const explain_options& options);

}  // namespace relent
