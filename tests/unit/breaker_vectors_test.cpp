// SPDX-License-Identifier: Apache-2.0
// The breaker against numbers that the test suites of other libraries pin down, as tables. Rows that
// our half-open state cannot express are not here: any failed probe opens it again, so there is no
// "2 of 3 probes may fail".
#include "breaker_trial.hpp"

#include <relent/impl/breaker_window.ipp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::breaker_options;
using relent::duration;
using relent::test::breaker_trial;

constexpr auto name_of = [](const auto& row) { return std::string(row.param.id); };

constexpr relent::time_point at(duration since_start) { return relent::time_point{since_start}; }

// A sequence of calls, each of which ends before the next begins.
struct sequence {
  const char* id;
  breaker_options options;
  const char* calls;
  const char* state;
};

class breaker_closed : public testing::TestWithParam<sequence> {};

TEST_P(breaker_closed, ends_in_the_state) {
  breaker_trial trial(GetParam().options);
  trial.play(GetParam().calls);
  EXPECT_EQ(trial.state(), GetParam().state);
}

INSTANTIATE_TEST_SUITE_P(
    failsafe, breaker_closed,
    testing::Values(sequence{"one_failure", {.failures = 1}, "F", "open"},
                    sequence{"three_in_a_row_not_yet", {.failures = 3}, "F S F F", "closed"},
                    sequence{"three_in_a_row", {.failures = 3}, "F S F F F", "open"},
                    sequence{"two_of_three_not_yet", {.failures = 2, .of_last = 3}, "F S", "closed"},
                    sequence{"two_of_three", {.failures = 2, .of_last = 3}, "F S F", "open"},
                    sequence{"three_of_four_alternating",
                             {.failures = 3, .of_last = 4},
                             "SFSFSFSFSFSFSFSFSFSFSFSFSFSFSFSFSFSFSFSF",
                             "closed"}),
    name_of);

constexpr breaker_options half_of_five{.failures = std::nullopt, .failure_ratio = 0.5, .min_calls = 5};

INSTANTIATE_TEST_SUITE_P(resilience4j, breaker_closed,
                         testing::Values(sequence{"R1_not_enough_calls", half_of_five, "S S F F", "closed"},
                                         sequence{"R1_enough_calls", half_of_five, "S S F F F", "open"},
                                         sequence{"R2_six_of_the_last_ten_where_half_is_enough",
                                                  {.failures = 5, .of_last = 10},
                                                  "S S F F F F F F S S S S",
                                                  "open"},
                                         sequence{"R5_two_of_five", half_of_five, "S S S F F", "closed"},
                                         sequence{"R5_three_of_six", half_of_five, "S S S F F F", "open"}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(
    cockatiel, breaker_closed,
    testing::Values(
        sequence{"consecutive_two_of_three", {.failures = 3}, "F F", "closed"},
        sequence{"consecutive_three", {.failures = 3}, "F F F", "open"},
        sequence{"consecutive_broken_by_a_success", {.failures = 3}, "F F S F F", "closed"},
        sequence{"count_below", {.failures = 5, .of_last = 10}, "FFFF SSSSSS", "closed"},
        sequence{"count_reached", {.failures = 5, .of_last = 10}, "FFFF SSSSS F", "open"},
        sequence{"count_first_one_fell_out", {.failures = 5, .of_last = 10}, "FFFF SSSSSS F", "closed"}),
    name_of);

// Polly: throughput >= minimum and rate >= threshold. The failures come last, as the worst order.
constexpr breaker_options tenth_of_ten{.failures = std::nullopt, .failure_ratio = 0.1, .min_calls = 10};

INSTANTIATE_TEST_SUITE_P(
    polly, breaker_closed,
    testing::Values(sequence{"ten_calls_none_failed", tenth_of_ten, "SSSSSSSSSS", "closed"},
                    sequence{"ten_calls_one_failed", tenth_of_ten, "SSSSSSSSS F", "open"},
                    sequence{"eleven_calls_two_failed", tenth_of_ten, "SSSSSSSSS F F", "open"},
                    sequence{"nine_calls_one_failed", tenth_of_ten, "SSSSSSSS F", "closed"}),
    name_of);

// The same, beginning half-open.
class breaker_half_open : public testing::TestWithParam<sequence> {};

TEST_P(breaker_half_open, ends_in_the_state) {
  breaker_trial trial(GetParam().options);
  trial.play("F");
  trial.wait_until_half_open();
  trial.play(GetParam().calls);
  EXPECT_EQ(trial.state(), GetParam().state);
}

constexpr breaker_options one_probe{.failures = 1, .successes_to_close = 1};
constexpr breaker_options three_probes{.failures = 1, .successes_to_close = 3};

INSTANTIATE_TEST_SUITE_P(
    failsafe, breaker_half_open,
    testing::Values(sequence{"default_success", one_probe, "S", "closed"},
                    sequence{"default_failure", one_probe, "F", "open"},
                    sequence{"three_successes_last_fails", three_probes, "S S F", "open"},
                    sequence{"three_successes_not_yet", three_probes, "S S", "half_open"},
                    sequence{"three_successes", three_probes, "S S S", "closed"},
                    sequence{"three_successes_first_fails", three_probes, "F", "open"}),
    name_of);

TEST(breaker_vectors, failsafe_at_most_the_capacity_in_flight_and_a_settled_permit_comes_back) {
  breaker_trial trial({.failures = 1, .probes = 3, .successes_to_close = 100});
  trial.play("F");
  trial.wait_until_half_open();
  const auto first = trial.take();
  trial.take();
  trial.take();
  EXPECT_FALSE(trial.ask());
  trial.abandon(first);
  EXPECT_TRUE(trial.ask());
  EXPECT_FALSE(trial.ask());
}

TEST(breaker_vectors, resilience4j_R2_R3_failures_among_the_last_ten_calls) {
  relent::detail::last_calls calls;
  for (const char call : std::string("SSFFFFFFSSSS")) calls.add(call == 'F', 10);
  EXPECT_EQ(calls.failures(), 6);
  for (const char call : std::string("SSS")) calls.add(call == 'F', 10);
  EXPECT_EQ(calls.failures(), 3);
}

TEST(breaker_vectors, resilience4j_R4_four_half_open_permits_and_one_released) {
  breaker_trial trial({.failures = 1, .probes = 4});
  trial.play("F");
  trial.wait_until_half_open();
  const auto released = trial.take();
  for (int i = 0; i < 3; ++i) trial.take();
  EXPECT_FALSE(trial.ask());
  trial.abandon(released);
  EXPECT_TRUE(trial.ask());
  EXPECT_FALSE(trial.ask());
}

TEST(breaker_vectors, resilience4j_R6_a_refusal_is_counted_and_does_not_touch_the_rate) {
  breaker_trial trial(half_of_five);
  trial.play("FFFFF");
  const auto until = trial.breaker.open_until();
  for (std::uint64_t refused = 1; refused <= 7; ++refused) {
    EXPECT_FALSE(trial.ask());
    EXPECT_EQ(trial.breaker.refusals(), refused);
  }
  EXPECT_EQ(trial.breaker.open_until(), until);
  trial.breaker.force_closed();
  trial.play("SSSFF");  // 2 of 5: had the refusals counted as failures, this would open
  EXPECT_EQ(trial.state(), "closed");
}

// There the breaker opens again; ours stays half-open and gives the silent probes' places to others.
TEST(breaker_vectors, resilience4j_R7_half_open_in_which_no_call_finishes_does_not_last) {
  breaker_trial trial({.failures = 1, .probes = 2, .probe_timeout = 5s});
  trial.play("F");
  trial.wait_until_half_open();
  trial.take();
  trial.take();
  trial.now += 5s - 1ns;
  EXPECT_FALSE(trial.ask());
  trial.now += 1ns;
  EXPECT_TRUE(trial.ask());
  EXPECT_TRUE(trial.ask());
  EXPECT_FALSE(trial.ask());
}

TEST(breaker_vectors, polly_a_silent_probe_is_followed_by_another_after_a_full_break) {
  breaker_trial trial({.failures = 1, .open_for = 5s, .open_for_jitter = 0, .probe_timeout = 5s});
  trial.play("F");
  trial.now += 5s;
  trial.take();
  EXPECT_FALSE(trial.ask());
  trial.now += 5s - 1ns;
  EXPECT_FALSE(trial.ask());
  trial.now += 1ns;
  EXPECT_TRUE(trial.ask());
}

TEST(breaker_vectors, polly_a_late_failure_does_not_restart_the_break) {
  breaker_trial trial({.failures = 1, .open_for = 5s, .open_for_jitter = 0});
  const auto late = trial.take();
  trial.play("F");
  trial.now += 3s;
  trial.fail(late);
  EXPECT_EQ(trial.breaker.open_until(), at(5s));
}

// Polly: the health of a rolling 10 s in 10 buckets, two calls every 2 s, of the first two pairs one
// failed each; read 2 s after a pair.
TEST(breaker_vectors, polly_rolling_window_forgets_step_by_step) {
  relent::detail::rate_window<10> window(10s);
  struct reading {
    duration at;
    std::uint64_t calls, failures;
  };
  const reading expected[] = {{2s, 2, 1}, {4s, 4, 2}, {6s, 6, 2}, {8s, 8, 2}, {10s, 8, 1}};
  bool failed[] = {true, true, false, false, false};
  for (std::size_t i = 0; i < 5; ++i) {
    window.add(failed[i], at(expected[i].at - 2s));
    window.add(false, at(expected[i].at - 2s));
    const auto [calls, failures] = window.sum(at(expected[i].at));
    EXPECT_EQ(calls, expected[i].calls) << i;
    EXPECT_EQ(failures, expected[i].failures) << i;
  }
  EXPECT_EQ(window.sum(at(12s)).calls, 6U);
  EXPECT_EQ(window.sum(at(12s)).failures, 0U);
}

TEST(breaker_vectors, polly_ten_successes_a_second_apart_fall_out_one_by_one) {
  relent::detail::rate_window<10> window(10s);
  for (int second = 0; second < 10; ++second) window.add(false, at(second * 1s));
  EXPECT_EQ(window.sum(at(9s)).calls, 10U);
  EXPECT_EQ(window.sum(at(10s)).calls, 9U);  // one exactly 10 s old is out
  EXPECT_EQ(window.sum(at(11s)).calls, 8U);
  window.clear();
  EXPECT_EQ(window.sum(at(11s)).calls, 0U);
}

TEST(breaker_vectors, a_full_bucket_keeps_its_rate) {
  relent::detail::rate_window<10> window(10s);
  for (int i = 0; i < 1'500'000; ++i) window.add(i % 4 == 0, at(0s));
  const auto [calls, failures] = window.sum(at(0s));
  EXPECT_GT(calls, 100'000U);
  EXPECT_NEAR(static_cast<double>(failures) / static_cast<double>(calls), 0.25, 1e-5);
}

// Failsafe: four buckets over 4 s. Ours has ten; the same arithmetic is tested with four.
struct bucket_row {
  const char* id;
  duration at;
  std::uint32_t successes, failures;  // recorded then
  std::uint64_t all_successes, all_failures;
  long success_percent, failure_percent;
};

const bucket_row bucket_rows[] = {
    {"at_0s", 0ms, 10, 40, 10, 40, 20, 80},
    {"at_1s", 1000ms, 10, 0, 20, 40, 33, 67},
    {"at_2500ms", 2500ms, 0, 20, 20, 60, 25, 75},
    {"at_3100ms", 3100ms, 5, 20, 25, 80, 24, 76},
    {"at_5400ms_two_expired_one_skipped", 5400ms, 8, 0, 13, 40, 25, 75},
    {"at_7300ms", 7300ms, 0, 5, 8, 5, 62, 38},
    {"at_22500ms_all_expired", 22500ms, 0, 0, 0, 0, 0, 0},
};

class breaker_buckets : public testing::TestWithParam<bucket_row> {};

TEST_P(breaker_buckets, hold) {
  relent::detail::rate_window<4> window(4s);
  for (const bucket_row& row : bucket_rows) {
    for (std::uint32_t i = 0; i < row.successes; ++i) window.add(false, at(row.at));
    for (std::uint32_t i = 0; i < row.failures; ++i) window.add(true, at(row.at));
    if (row.at == GetParam().at) break;
  }
  const bucket_row& expected = GetParam();
  const auto total = window.sum(at(expected.at));
  EXPECT_EQ(total.calls - total.failures, expected.all_successes);
  EXPECT_EQ(total.failures, expected.all_failures);
  const auto percent = [&](std::uint64_t n) {
    return total.calls == 0 ? 0
                            : std::lround(100 * static_cast<double>(n) / static_cast<double>(total.calls));
  };
  EXPECT_EQ(percent(total.calls - total.failures), expected.success_percent);
  EXPECT_EQ(percent(total.failures), expected.failure_percent);
}

INSTANTIATE_TEST_SUITE_P(failsafe, breaker_buckets, testing::ValuesIn(bucket_rows), name_of);

// Cockatiel lets stale samples count here and opens; with us they are forgotten.
TEST(breaker_vectors, cockatiel_four_failures_an_hour_idle_and_one_failure_stay_closed) {
  const breaker_options options{.failures = std::nullopt, .failure_ratio = 0.5, .window = 5s, .min_calls = 5};
  breaker_trial trial(options);
  trial.play("FFFF");
  trial.now += 1h;
  trial.play("F");
  EXPECT_EQ(trial.state(), "closed");
  trial.play("FFFF");  // five of now: the same count without the pause opens
  EXPECT_EQ(trial.state(), "open");
}

// Cockatiel lets the other nine run at once when the probe succeeds; with us they were refused.
TEST(breaker_vectors, cockatiel_of_ten_half_open_callers_one_is_admitted) {
  breaker_trial trial({.failures = 1, .probes = 1});
  trial.play("F");
  trial.wait_until_half_open();
  std::vector<breaker_trial::permit> given;
  for (int i = 0; i < 10; ++i)
    if (const auto permit = trial.ask()) given.push_back(*permit);
  ASSERT_EQ(given.size(), 1U);
  trial.succeed(given.front());
  int admitted = 0;
  for (int i = 0; i < 9; ++i) admitted += trial.ask() ? 1 : 0;
  EXPECT_EQ(admitted, 2);
}

}  // namespace
