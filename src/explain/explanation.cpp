// SPDX-License-Identifier: Apache-2.0
// Puts schedule, time and load together.
#include <relent/explain/explanation.hpp>

#include "waits_walk.hpp"
#include "warnings.hpp"

#include <relent/deadline.hpp>
#include <relent/explain/load.hpp>

#include <algorithm>

namespace relent {
namespace {

/// A walk along the waits of a call whose faults are all of the kind that makes it wait longest.
detail::waits_walk slowest_walk(const explain_options& options) {
  backoff_options backoff = options.policy.backoff;
  if (options.use == policy_use::calls)
    backoff.base = std::max(backoff.base, backoff.rate_limited_base.value_or(backoff.base));
  return {backoff, options.policy.max_attempts - 1, detail::means::left_out};
}

/// How many attempts start for certain, each taking `length` and each wait being at its latest.
std::uint32_t certain_attempts(const explain_options& options, duration length) {
  const policy_options& policy = options.policy;
  if (!policy.deadline) return policy.max_attempts;
  const time_point deadline = time_point{} + *policy.deadline;
  const auto fits = [&](duration at) {
    return fits_before(deadline, time_point{} + at, policy.least_attempt_time);
  };
  if (!fits(duration::zero())) return 0;
  detail::waits_walk walk = slowest_walk(options);
  duration waited{};
  for (std::uint32_t attempts = 1; walk.next(); attempts += walk.here().count) {
    const detail::stretch& here = walk.here();
    // The start of attempt `attempts + more`.
    const auto start = [&](std::uint32_t more) {
      const duration waits = more == here.count
                                 ? here.total.latest
                                 : saturating_add(waited, detail::times(here.wait.latest, more));
      return saturating_add(waits, detail::times(length, attempts + more - 1));
    };
    if (!fits(start(here.count))) {
      std::uint32_t more = 0;
      while (more + 1 < here.count && fits(start(more + 1))) ++more;
      return attempts + more;
    }
    waited = here.total.latest;
  }
  return policy.max_attempts;
}

duration longest_server_wait(const explain_options& options) {
  if (options.use == policy_use::commands || options.policy.max_attempts == 1) return {};
  const duration asked = options.policy.max_server_delay;
  return saturating_add(asked,
                        saturate(static_cast<double>(asked.count()) * options.policy.server_delay_spread));
}

/// All waits at their latest, each no shorter than what a server can ask for.
duration longest_waits(const explain_options& options, duration server_wait) {
  detail::waits_walk walk = slowest_walk(options);
  duration sum{};
  while (walk.next())
    sum =
        saturating_add(sum, detail::times(std::max(walk.here().wait.latest, server_wait), walk.here().count));
  return server_wait > duration::zero() ? sum : walk.here().total.latest;
}

time_bounds bounds_of(const explain_options& options) {
  const policy_options& policy = options.policy;
  time_bounds time;
  time.waits = longest_waits(options, duration::zero());
  time.server_wait = longest_server_wait(options);
  time.certain_attempts = certain_attempts(options, duration::zero());
  if (policy.attempt_timeout) {
    const duration attempts = detail::times(*policy.attempt_timeout, policy.max_attempts);
    time.with_time_outs = saturating_add(time.waits, attempts);
    time.certain_attempts_with_time_outs = certain_attempts(options, *policy.attempt_timeout);
    time.worst = saturating_add(longest_waits(options, time.server_wait), attempts);
  }
  if (policy.deadline) time.worst = std::min(time.worst.value_or(*policy.deadline), *policy.deadline);
  return time;
}

}  // namespace

explanation explain(const explain_options& options) {
  const policy_options& policy = options.policy;
  explanation result;
  result.schedule = schedule_of(policy.backoff, policy.max_attempts - 1, options.most_rows);
  result.time = bounds_of(options);
  result.burst = burst_of(options.budget);
  for (const double rate : {0.01, 0.1, 0.5, 1.0})
    result.load.push_back({rate, attempts_without_budget(policy.max_attempts, rate),
                           attempts_with_budget(policy.max_attempts, options.budget, rate)});
  result.amplification = amplification(policy.max_attempts, options.layers);
  result.amplification_with_budget =
      amplification(most_attempts_with_budget(policy.max_attempts, options.budget), options.layers);
  result.warnings = detail::warnings_of(options, result);
  return result;
}

}  // namespace relent
