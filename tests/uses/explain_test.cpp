// SPDX-License-Identifier: Apache-2.0
// What is explained of a policy: time, load, and each warning with a policy that earns it and one that does not.
#include <relent/duration_text.hpp>
#include <relent/explain/explanation.hpp>
#include <relent/explain/load.hpp>
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace relent;
using namespace std::chrono_literals;
using ::testing::IsEmpty;

std::vector<std::string> warned_of(const explain_options& options) {
  std::vector<std::string> ids;
  for (const warning& each : explain(options).warnings) ids.emplace_back(each.id);
  return ids;
}

TEST(explain, has_nothing_to_say_against_the_defaults) {
  EXPECT_THAT(warned_of({}), IsEmpty());
  EXPECT_THAT(warned_of({.policy = {.deadline = 1h}, .budget = budget::none(), .use = policy_use::commands}),
              IsEmpty());
}

struct row {
  const char* id;
  explain_options earns;
  explain_options does_not;
};

std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.id; }

class warning_of : public ::testing::TestWithParam<row> {};

TEST_P(warning_of, is_given_where_it_is_due_and_nowhere_else) {
  const row& r = GetParam();
  EXPECT_THAT(warned_of(r.earns), ::testing::Contains(std::string(r.id)));
  EXPECT_THAT(warned_of(r.does_not), ::testing::Not(::testing::Contains(std::string(r.id))));
}

TEST_P(warning_of, shows_its_arithmetic_and_what_mends_it) {
  for (const warning& each : explain(GetParam().earns).warnings) {
    EXPECT_FALSE(each.message.empty());
    EXPECT_FALSE(each.arithmetic.empty()) << each.id;
    EXPECT_FALSE(each.mend.empty()) << each.id;
  }
}

/// One option set to what stands behind the "=". False if there is none of that name.
bool set_option(const std::string& name, const std::string& value, explain_options& options) {
  policy_options& policy = options.policy;
  const std::string text = value.substr(0, value.find_last_not_of("\"]") + 1);
  const std::string word = text.substr(std::min(text.size(), text.find_first_not_of("[\"")));
  const duration length = parse_duration(word).value.value_or(duration::zero());
  const auto number = static_cast<std::uint32_t>(std::atoi(word.c_str()));
  if (name == "deadline") return policy.deadline = length, true;
  if (name == "attempt_timeout") return policy.attempt_timeout = length, true;
  if (name == "least_attempt_time") return policy.least_attempt_time = length, true;
  if (name == "backoff.base") return policy.backoff.base = length, true;
  if (name == "backoff.cap") return policy.backoff.cap = length, true;
  if (name == "backoff.delays") return policy.backoff.delays = {length}, true;
  if (name == "backoff.multiplier") return policy.backoff.multiplier = number, true;
  if (name == "backoff.jitter") return policy.backoff.jitter = *jitter_from(word), true;
  if (name == "max_attempts") return policy.max_attempts = number, true;
  if (name == "server_error_retries") return policy.server_error_retries = number, true;
  if (name == "budget") return options.budget = token_budget{}, true;
  return false;
}

/// What a mend says, done: one of its alternatives, options with commas between them. False for what is said in
/// prose.
bool follow(std::string change, explain_options& options) {
  while (!change.empty()) {
    const std::string one = change.substr(0, change.find(", "));
    const std::size_t equals = one.find(" = ");
    if (equals == std::string::npos || one.find(' ', equals + 3) < one.find('{')) return false;
    if (!set_option(one.substr(0, equals), one.substr(equals + 3), options)) return false;
    change.erase(0, one.size() + 2);
  }
  return true;
}

TEST_P(warning_of, goes_away_when_its_mend_is_followed) {
  for (const warning& each : explain(GetParam().earns).warnings) {
    int followed = 0;
    for (std::string left = each.mend; !left.empty();) {
      const std::size_t alternative = left.find(", or ");
      explain_options mended = GetParam().earns;
      if (follow(left.substr(0, alternative), mended)) {
        ++followed;
        EXPECT_TRUE(problems(mended.policy).empty()) << each.id << ": " << each.mend;
        EXPECT_THAT(warned_of(mended), ::testing::Not(::testing::Contains(std::string(each.id))))
            << each.mend;
      }
      left = alternative == std::string::npos ? "" : left.substr(alternative + 5);
    }
    const bool in_prose = each.id == "layers_multiply" || each.id.starts_with("retries_of_");
    EXPECT_TRUE(followed > 0 || in_prose) << each.id << ": " << each.mend;
  }
}

constexpr backoff_options plain{.base = 1s, .cap = 8s, .jitter = jitter::none};

const row rows[] = {
    {"no_jitter", {.policy = {.backoff = plain}}, {}},
    {"no_jitter", {.policy = {.backoff = plain}}, {.policy = {.max_attempts = 1, .backoff = plain}}},
    {"no_jitter",
     {.policy = {.backoff = {.jitter = jitter::ratio, .jitter_ratio = 0}}},
     {.policy = {.backoff = {.jitter = jitter::ratio, .jitter_ratio = 0.1}}}},
    {"no_jitter",
     {.policy = {.backoff = {.base = 2s, .cap = 2s, .jitter = jitter::decorrelated}}},
     {.policy = {.backoff = {.base = 2s, .cap = 3s, .jitter = jitter::decorrelated}}}},
    {"no_jitter",
     {.policy = {.backoff = {.cap = 2s, .jitter = jitter::none, .growth = growth::list, .delays = {0s, 2s}}}},
     {.policy = {.backoff = {.jitter = jitter::none, .growth = growth::list, .delays = {0s}}}}},
    {"in_step_at_cap",
     {.policy = {.max_attempts = 12, .backoff = {.cap = 2s, .jitter = jitter::decorrelated_v2}}},
     {.policy = {.max_attempts = 4, .backoff = {.cap = 2s, .jitter = jitter::decorrelated_v2}}}},
    {"in_step_at_cap",
     {.policy = {.max_attempts = 12, .backoff = {.cap = 2s, .jitter = jitter::decorrelated_v2}}},
     {.policy = {.max_attempts = 12, .backoff = {.cap = 2s, .jitter = jitter::decorrelated}}}},
    {"no_deadline", {.policy = {.deadline = nullopt}}, {.policy = {.deadline = 1h}}},
    {"waits_pass_deadline",
     {.policy = {.max_attempts = 5, .deadline = 10s, .backoff = plain}},
     {.policy = {.max_attempts = 3, .deadline = 10s, .backoff = plain}}},
    {"waits_pass_deadline",
     {.policy = {.deadline = 1min, .backoff = {.base = 1h, .cap = 1h}}},
     {.policy = {.max_attempts = 1'000'000,
                 .deadline = 1h,
                 .backoff = {.base = 1ms, .growth = growth::constant}}}},
    {"waits_pass_deadline",
     {.policy = {.deadline = 5s, .backoff = {.base = 100ms, .rate_limited_base = 2s}}},
     {.policy = {.deadline = 7s, .backoff = {.base = 100ms, .rate_limited_base = 2s}}}},
    {"waits_pass_deadline",
     {.policy = {.deadline = 2900ms, .least_attempt_time = 1s, .backoff = {.base = 650ms}}},
     {.policy = {.deadline = 2951ms, .least_attempt_time = 1s, .backoff = {.base = 650ms}}}},
    {"time_outs_pass_deadline",
     {.policy = {.max_attempts = 3, .deadline = 10s, .attempt_timeout = 4s}},
     {.policy = {.max_attempts = 3, .deadline = 10s, .attempt_timeout = 3s}}},
    {"attempt_timeout_not_below_deadline",
     {.policy = {.deadline = 10s, .attempt_timeout = 10s}},
     {.policy = {.deadline = 10s, .attempt_timeout = 9s}}},
    {"no_retry_fits",
     {.policy = {.deadline = 1s, .backoff = plain}},
     {.policy = {.deadline = 2s, .backoff = plain}}},
    {"no_attempt_starts",
     {.policy = {.deadline = 1s, .least_attempt_time = 1001ms}},
     {.policy = {.deadline = 1s, .least_attempt_time = 1s}}},
    {"no_retry_fits",
     {.policy = {.deadline = 10s, .least_attempt_time = 9001ms, .backoff = plain}},
     {.policy = {.deadline = 10s, .least_attempt_time = 9s, .backoff = plain}}},
    {"no_retry_fits",
     {.policy = {.deadline = 1s,
                 .backoff = {.cap = 2s, .jitter = jitter::equal, .growth = growth::list, .delays = {2s}}}},
     {.policy = {.deadline = 1s, .backoff = {.cap = 2s, .growth = growth::list, .delays = {2s}}}}},
    {"layers_multiply", {.layers = 2}, {.layers = 1}},
    {"layers_multiply", {.layers = 2}, {.policy = {.max_attempts = 1}, .layers = 2}},
    {"no_wait", {.policy = {.backoff = {.base = 0ms}}}, {.policy = {.backoff = {.base = 1ms}}}},
    {"no_growth",
     {.policy = {.max_attempts = 4, .backoff = {.multiplier = 1}}},
     {.policy = {.max_attempts = 4, .backoff = {.multiplier = 1, .growth = growth::constant}}}},
    {"no_wait",
     {.policy = {.backoff = {.growth = growth::list, .delays = {0s}}}},
     {.policy = {.backoff = {.growth = growth::list, .delays = {0s, 1s}}}}},
    {"no_budget", {.budget = budget::none()}, {.budget = budget::none(), .use = policy_use::commands}},
    {"many_attempts", {.policy = {.max_attempts = 11}}, {.policy = {.max_attempts = 10}}},
    {"retries_of_unknown",
     {.policy = {.retry_on = default_retry_on.with(fault_kind::unknown)}},
     {.policy = {.retry_on = default_retry_on}}},
    {"retries_of_permanent", {.policy = {.retry_on = default_retry_on.with(fault_kind::rejected)}}, {}},
    {"server_errors_without_limit",
     {.policy = {.server_error_retries = nullopt}},
     {.policy = {.server_error_retries = 2}}},
};

INSTANTIATE_TEST_SUITE_P(rows, warning_of, ::testing::ValuesIn(rows), [](const auto& info) {
  return std::string(info.param.id) + "_" + std::to_string(info.index);
});

TEST(explain, bounds_the_time_of_a_call) {
  const time_bounds time = explain({.policy = {.max_attempts = 4, .deadline = 10s, .attempt_timeout = 2s},
                                    .use = policy_use::commands})
                               .time;
  EXPECT_EQ(time.waits, 700ms);
  EXPECT_EQ(time.with_time_outs, 8700ms);
  EXPECT_EQ(time.worst, 8700ms);
  EXPECT_EQ(time.certain_attempts, 4U);
}

TEST(explain, counts_the_waits_that_a_server_may_ask_for) {
  const policy_options policy{
      .deadline = nullopt, .attempt_timeout = 2s, .max_server_delay = 1min, .server_delay_spread = 0.5};
  const time_bounds time = explain({.policy = policy}).time;
  EXPECT_EQ(time.with_time_outs, 6300ms);
  EXPECT_EQ(time.server_wait, 90s);
  EXPECT_EQ(time.worst, 186s);
  EXPECT_EQ(explain({.policy = policy, .use = policy_use::commands}).time.worst, 6300ms);
}

TEST(explain, counts_the_longer_waits_after_rate_limited) {
  const time_bounds time = explain({.policy = {.backoff = {.base = 100ms, .rate_limited_base = 1s}}}).time;
  EXPECT_EQ(time.waits, 3s);
}

TEST(explain, knows_how_many_of_very_many_attempts_start_for_certain) {
  const policy_options policy{.max_attempts = UINT32_MAX,
                              .deadline = 1h,
                              .attempt_timeout = 1s,
                              .backoff = {.base = 100ms, .jitter = jitter::none, .growth = growth::constant}};
  const time_bounds time = explain({.policy = policy}).time;
  EXPECT_EQ(time.certain_attempts, 36'000U);
  EXPECT_EQ(time.certain_attempts_with_time_outs, 3273U);
}

TEST(explain, takes_no_time_over_very_many_attempts) {
  for (int kind = 0; kind < jitter_count; ++kind) {
    const policy_options policy{.max_attempts = UINT32_MAX,
                                .deadline = nullopt,
                                .attempt_timeout = 1ns,
                                .backoff = {.base = 1ns, .cap = max_duration, .jitter = jitter(kind)}};
    EXPECT_EQ(explain({.policy = policy}).time.worst, max_duration);
  }
}

TEST(explain, takes_the_deadline_for_the_worst_where_it_comes_first) {
  const time_bounds time =
      explain({.policy = {.max_attempts = 4, .deadline = 5s, .attempt_timeout = 2s}}).time;
  EXPECT_EQ(time.worst, 5s);
  EXPECT_EQ(time.certain_attempts_with_time_outs, 3U);
}

TEST(explain, knows_no_worst_without_deadline_and_time_out) {
  EXPECT_FALSE(explain({.policy = {.deadline = nullopt}}).time.worst);
}

TEST(explain, is_true_of_real_calls) {
  for (const policy_options& options :
       {policy_options{.max_attempts = 6, .deadline = 5s},
        policy_options{.max_attempts = 6, .deadline = 5s, .backoff = plain},
        policy_options{.max_attempts = 9, .deadline = 20s, .attempt_timeout = 2s}}) {
    const time_bounds time = explain({.policy = options}).time;
    random_stream draws(3);
    for (int call = 0; call < 300; ++call) {
      for (const duration length : {duration::zero(), options.attempt_timeout.value_or(duration::zero())}) {
        relent::testing::manual_clock clock;
        const time_point began = clock.now();
        std::uint32_t attempts = 0;
        const auto fails = [&](attempt a) -> optional<fault> {
          ++attempts;
          clock.advance(std::min(length, a.time_left()));
          return fault{.kind = fault_kind::timeout};
        };
        static_cast<void>(retry(policy(options), fails, {.clock = &clock, .random = random_ref(draws)}));
        EXPECT_LE(time_between(began, clock.now()), *time.worst);
        const std::uint32_t certain = length == duration::zero()
                                          ? time.certain_attempts
                                          : time.certain_attempts_with_time_outs.value_or(1);
        EXPECT_GE(attempts, certain);
      }
    }
  }
}

TEST(load, without_a_budget_is_the_geometric_sum) {
  EXPECT_DOUBLE_EQ(attempts_without_budget(3, 0.5), 1.75);
  EXPECT_DOUBLE_EQ(attempts_without_budget(3, 0), 1);
  EXPECT_DOUBLE_EQ(attempts_without_budget(3, 1), 3);
}

/// Calls with independent faults through a real budget, after the first tokens are gone.
double measured(std::uint32_t max_attempts, const budget_options& options, double rate) {
  relent::budget shared(options);
  random_stream draws(11);
  const auto fails = [&] { return uniform_unit(draws.next()) < rate; };
  constexpr int warm_up = 20'000;
  constexpr int calls = 200'000;
  std::uint64_t attempts = 0;
  for (int call = 0; call < warm_up + calls; ++call) {
    const time_point now{std::chrono::milliseconds(call)};
    shared.requested(now);
    std::uint32_t made = 1;
    bool failed = fails();
    while (failed) {
      shared.failed(now);
      if (made == max_attempts || !shared.try_take(fault_kind::reset, now)) break;
      ++made;
      failed = fails();
    }
    if (!failed && made == 1) shared.succeeded(now);
    if (!failed && made > 1) shared.succeeded_after_retry(fault_kind::reset, now);
    if (call >= warm_up) attempts += made;
  }
  return static_cast<double>(attempts) / calls;
}

TEST(load, with_a_budget_is_what_the_budget_itself_lets_through) {
  const budget_options budgets[] = {token_budget{},
                                    token_budget{.success_credit = 0.5},
                                    token_budget{.success_credit = 1.5},
                                    token_budget::aws_standard(),
                                    ratio_budget{.ratio = 0.2},
                                    throttle_budget{},
                                    budget::none()};
  for (const budget_options& each : budgets)
    for (const double rate : {0.01, 0.05, 0.3, 0.5, 0.9, 1.0})
      EXPECT_NEAR(attempts_with_budget(3, each, rate) / measured(3, each, rate), 1, 0.02)
          << "kind " << static_cast<int>(each.kind()) << ", rate " << rate;
}

TEST(load, of_layers_is_a_power) {
  EXPECT_DOUBLE_EQ(amplification(3, 3), 27);
  EXPECT_TRUE(std::isinf(amplification(4e9, 100)));
}

TEST(load, bursts_as_far_as_a_full_budget_goes) {
  for (const budget_options& each :
       {budget_options(token_budget{}), budget_options(token_budget{.capacity = 10, .retry_cost = 3}),
        budget_options(ratio_budget{}), budget_options(throttle_budget{})}) {
    relent::budget shared(each);
    int granted = 0;
    for (shared.failed({}); granted < 100 && shared.try_take(fault_kind::reset, {}); shared.failed({}))
      ++granted;
    EXPECT_EQ(burst_of(each), granted) << static_cast<int>(each.kind());
  }
  EXPECT_TRUE(std::isinf(burst_of(budget::none())));
}

}  // namespace
