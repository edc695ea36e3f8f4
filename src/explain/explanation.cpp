// SPDX-License-Identifier: Apache-2.0
// Puts schedule, time and load together.
#include <relent/explain/explanation.hpp>

#include "warnings.hpp"

#include <relent/explain/load.hpp>

#include <algorithm>

namespace relent {
namespace {

/// How many attempts start for certain, each taking `length` and each wait being at its latest. As the engine has
/// it: a wait is not begun unless it ends, with the least useful attempt time behind it, before the deadline.
std::uint32_t certain_attempts(const policy_options& policy, duration length) {
  if (!policy.deadline) return policy.max_attempts;
  const schedule waits = schedule_of(policy.backoff, policy.max_attempts - 1, 10'000);
  duration elapsed = length;
  std::uint32_t attempts = 1;
  for (const schedule_row& row : waits.rows) {
    elapsed = saturating_add(elapsed, row.wait.latest);
    if (saturating_add(elapsed, policy.least_attempt_time) >= *policy.deadline) return attempts;
    elapsed = saturating_add(elapsed, length);
    ++attempts;
  }
  return std::min(policy.max_attempts, attempts);
}

duration times(duration length, std::uint32_t count) {
  const auto most = max_duration / std::max<std::int64_t>(1, length.count());
  return most.count() < static_cast<std::int64_t>(count) ? max_duration
                                                         : length * static_cast<std::int64_t>(count);
}

time_bounds bounds_of(const policy_options& policy, const schedule& waits) {
  time_bounds time;
  time.waits = waits.last.total.latest;
  time.certain_attempts = certain_attempts(policy, duration::zero());
  if (policy.attempt_timeout) {
    time.with_time_outs = saturating_add(time.waits, times(*policy.attempt_timeout, policy.max_attempts));
    time.certain_attempts_with_time_outs = certain_attempts(policy, *policy.attempt_timeout);
    time.worst = time.with_time_outs;
  }
  if (policy.deadline) time.worst = time.worst ? std::min(*time.worst, *policy.deadline) : *policy.deadline;
  return time;
}

}  // namespace

explanation explain(const explain_options& options) {
  const policy_options& policy = options.policy;
  explanation result;
  result.schedule = schedule_of(policy.backoff, policy.max_attempts - 1, options.most_rows);
  result.time = bounds_of(policy, result.schedule);
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
