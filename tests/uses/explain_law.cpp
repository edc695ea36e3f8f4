// SPDX-License-Identifier: Apache-2.0
// What an explanation promises, for any policy: no draw and no call of the engine lies outside of it.
#include <relent/deadline.hpp>
#include <relent/engine.hpp>
#include <relent/explain/explanation.hpp>
#include <relent/explain/load.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace {

using namespace relent;
using namespace std::chrono_literals;

/// From 0 to `most`, short lengths as likely as long ones.
duration any_length(duration most) {
  const auto shift = static_cast<unsigned>(*rc::gen::inRange(0, 48));
  const auto bits = static_cast<std::uint64_t>(*rc::gen::arbitrary<std::int64_t>());
  return duration{
      static_cast<std::int64_t>((bits >> shift) % (static_cast<std::uint64_t>(most.count()) + 1))};
}

backoff_options any_backoff() {
  backoff_options backoff;
  backoff.cap = any_length(24h);
  backoff.base = any_length(backoff.cap);
  backoff.multiplier = 1 + *rc::gen::inRange(0, 5000) / 1000.0;
  backoff.jitter = static_cast<jitter>(*rc::gen::inRange(0, jitter_count));
  const bool grows_itself =
      backoff.jitter == jitter::decorrelated || backoff.jitter == jitter::decorrelated_v2;
  if (!grows_itself) backoff.growth = static_cast<growth>(*rc::gen::inRange(0, growth_count));
  backoff.jitter_ratio = *rc::gen::inRange(0, 1001) / 1000.0;
  if (backoff.growth == growth::linear && *rc::gen::arbitrary<bool>())
    backoff.increment = any_length(1h) - any_length(1h);
  if (backoff.growth == growth::list)
    for (int i = *rc::gen::inRange(1, 6); i > 0; --i) backoff.delays.add(any_length(backoff.cap));
  else if (*rc::gen::arbitrary<bool>())
    backoff.rate_limited_base = any_length(backoff.cap);
  return backoff;
}

policy_options any_policy() {
  policy_options policy;
  policy.max_attempts = *rc::gen::inRange<std::uint32_t>(1, 30);
  policy.backoff = any_backoff();
  policy.deadline = nullopt;
  if (*rc::gen::arbitrary<bool>()) policy.deadline = any_length(24h) + 1ns;
  if (*rc::gen::arbitrary<bool>()) policy.attempt_timeout = any_length(1h) + 1ns;
  if (*rc::gen::inRange(0, 3) == 0) policy.least_attempt_time = any_length(1min);
  policy.max_server_delay = any_length(1h);
  policy.server_delay_spread = *rc::gen::inRange(0, 11) / 10.0;
  policy.server_error_retries = nullopt;
  return policy;
}

/// Draws at both ends of the interval as well as in between.
struct any_draws {
  std::uint64_t next() {
    const int which = *rc::gen::inRange(0, 4);
    if (which == 0) return 0;
    if (which == 1) return UINT64_MAX;
    return *rc::gen::arbitrary<std::uint64_t>();
  }
};

TEST(explain_law, no_wait_and_no_sum_of_waits_lies_outside_of_the_schedule) {
  rc::check([] {
    const backoff_options backoff = any_backoff();
    const auto retries = *rc::gen::inRange<std::uint32_t>(1, 40);
    const schedule told = schedule_of(backoff, retries, retries);
    RC_ASSERT(told.rows.size() == retries);
    any_draws draws;
    backoff_memory memory;
    duration total{};
    for (const schedule_row& row : told.rows) {
      const duration wait = next_wait(backoff, row.retry, memory, draws);
      total += wait;
      RC_ASSERT(row.wait.earliest <= wait);
      RC_ASSERT(wait <= row.wait.latest);
      RC_ASSERT(row.total.earliest <= total);
      RC_ASSERT(total <= row.total.latest);
    }
  });
}

TEST(explain_law, the_mean_lies_between_the_earliest_and_the_latest) {
  rc::check([] {
    const schedule told = schedule_of(any_backoff(), *rc::gen::inRange<std::uint32_t>(1, 40), 40);
    for (const schedule_row& row : told.rows)
      for (const wait_range& each : {row.wait, row.total}) {
        RC_ASSERT(each.earliest <= each.mean);
        RC_ASSERT(each.mean <= each.latest);
      }
  });
}

TEST(explain_law, without_memory_the_totals_are_the_sums_of_the_waits) {
  rc::check([] {
    backoff_options backoff = any_backoff();
    if (backoff.jitter == jitter::decorrelated || backoff.jitter == jitter::decorrelated_v2)
      backoff.jitter = jitter::full;
    wait_range sum;
    for (const schedule_row& row : schedule_of(backoff, 30, 30).rows) {
      sum = {sum.earliest + row.wait.earliest, sum.mean + row.wait.mean, sum.latest + row.wait.latest};
      RC_ASSERT(row.total == sum);
    }
  });
}

/// The walk over many retries takes several together; what it says of a few must not depend on how many follow.
TEST(explain_law, the_first_rows_do_not_depend_on_the_number_of_retries) {
  rc::check([] {
    const backoff_options backoff = any_backoff();
    const schedule few = schedule_of(backoff, 12, 12);
    const schedule more = schedule_of(backoff, 12 + *rc::gen::inRange<std::uint32_t>(1, 100'000), 12);
    for (std::size_t i = 0; i < 12; ++i) RC_ASSERT(few.rows[i].total.latest == more.rows[i].total.latest);
    RC_ASSERT(more.last.total.latest >= few.last.total.latest);
  });
}

/// How an attempt of a simulated call ends.
struct attempt_end {
  duration length{};
  fault what;
};

attempt_end any_end(const policy_options& policy, bool server_speaks) {
  attempt_end end;
  end.length = policy.attempt_timeout ? any_length(*policy.attempt_timeout) : duration::zero();
  end.what.kind = *rc::gen::element(fault_kind::timeout, fault_kind::rate_limited, fault_kind::server_error);
  if (server_speaks && *rc::gen::arbitrary<bool>())
    end.what.server_delay = any_length(policy.max_server_delay);
  return end;
}

struct outcome {
  duration elapsed{};
  std::uint32_t attempts = 0;
};

/// A call that fails to its end, run by the engine itself. An attempt takes no longer than its time-out, or
/// than what is left before the deadline.
template <class Ends>
outcome run_call(const policy_options& options, Ends&& next_end) {
  const policy rules(options);
  const engine::shared_state shared;
  const time_point began{};
  time_point now = began;
  engine::call_state call;
  any_draws draws;
  outcome result;
  engine::decision next = engine::begin(call, rules, shared, {}, now);
  while (next.action != engine::action::stop) {
    if (next.action == engine::action::wait) {
      now = next.until;
      next = engine::woke(call, rules, shared, now);
      continue;
    }
    ++result.attempts;
    const attempt_end end = next_end();
    now = std::min(saturating_add(now, end.length), engine::attempt_ends(call, rules, now));
    next = engine::failed(call, rules, shared, end.what, {}, now, draws);
  }
  result.elapsed = time_between(began, now);
  return result;
}

TEST(explain_law, no_call_takes_longer_than_the_worst) {
  rc::check([] {
    const policy_options policy = any_policy();
    const explanation told = explain({.policy = policy});
    const outcome seen = run_call(policy, [&] { return any_end(policy, true); });
    RC_ASSERT(seen.attempts <= policy.max_attempts);
    if (told.time.worst) RC_ASSERT(seen.elapsed <= *told.time.worst);
  });
}

TEST(explain_law, attempts_that_fail_at_once_start_as_often_as_said) {
  rc::check([] {
    const policy_options policy = any_policy();
    const time_bounds time = explain({.policy = policy}).time;
    const outcome seen = run_call(policy, [&] {
      attempt_end end = any_end(policy, false);
      end.length = duration::zero();
      return end;
    });
    RC_ASSERT(seen.attempts >= time.certain_attempts);
    RC_ASSERT(seen.elapsed <= time.waits);
  });
}

TEST(explain_law, attempts_that_time_out_start_as_often_as_said) {
  rc::check([] {
    policy_options policy = any_policy();
    policy.attempt_timeout = any_length(1h) + 1ns;
    const time_bounds time = explain({.policy = policy}).time;
    const outcome seen = run_call(policy, [&] {
      attempt_end end = any_end(policy, false);
      end.length = *policy.attempt_timeout;
      return end;
    });
    RC_ASSERT(seen.attempts >= *time.certain_attempts_with_time_outs);
    RC_ASSERT(*time.certain_attempts_with_time_outs <= time.certain_attempts);
    RC_ASSERT(seen.elapsed <= *time.with_time_outs);
  });
}

/// Without jitter nothing is left to chance, so what is certain is also all.
TEST(explain_law, without_jitter_no_attempt_more_starts_than_is_certain) {
  rc::check([] {
    policy_options policy = any_policy();
    policy.backoff.jitter = jitter::none;
    policy.backoff.rate_limited_base = nullopt;
    policy.attempt_timeout = any_length(1h) + 1ns;
    const time_bounds time = explain({.policy = policy}).time;
    for (const duration length : {duration::zero(), *policy.attempt_timeout}) {
      const outcome seen = run_call(policy, [&] {
        return attempt_end{length, {.kind = fault_kind::timeout}};
      });
      RC_ASSERT(seen.attempts ==
                (length == duration::zero() ? time.certain_attempts : *time.certain_attempts_with_time_outs));
    }
  });
}

budget_options any_budget() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return budget::none();
    case 1:
      return token_budget{.capacity = *rc::gen::inRange(1, 1000) / 10.0,
                          .success_credit = *rc::gen::inRange(0, 30) / 10.0,
                          .retry_cost = *rc::gen::inRange(1, 50) / 10.0};
    case 2: return ratio_budget{.ratio = *rc::gen::inRange(0, 100) / 100.0};
    default: return throttle_budget{.success_credit = *rc::gen::inRange(1, 100) / 100.0};
  }
}

TEST(explain_law, a_budget_never_adds_load_and_more_attempts_never_take_any_away) {
  rc::check([] {
    const budget_options budget = any_budget();
    const auto attempts = *rc::gen::inRange<std::uint32_t>(1, 50);
    const double rate = *rc::gen::inRange(0, 1001) / 1000.0;
    const double with = attempts_with_budget(attempts, budget, rate);
    RC_ASSERT(with >= 1);
    RC_ASSERT(with <= attempts_without_budget(attempts, rate) + 1e-9);
    RC_ASSERT(attempts_without_budget(attempts, rate) <= attempts);
    RC_ASSERT(attempts_with_budget(attempts + 1, budget, rate) >= with);
    RC_ASSERT(most_attempts_with_budget(attempts, budget) >= with);
  });
}

}  // namespace
