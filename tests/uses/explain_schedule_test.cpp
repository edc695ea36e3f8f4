// SPDX-License-Identifier: Apache-2.0
// The schedule of a policy against rows worked out by hand, and against the draws of the engine.
#include <relent/explain/schedule.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace relent;
using namespace std::chrono_literals;

struct row {
  const char* id;
  backoff_options backoff;
  std::vector<wait_range> waits;
  wait_range total;
};

std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.id; }

class schedules : public testing::TestWithParam<row> {};

TEST_P(schedules, are_as_worked_out_by_hand) {
  const row& r = GetParam();
  const schedule got = schedule_of(r.backoff, static_cast<std::uint32_t>(r.waits.size()));
  ASSERT_EQ(got.rows.size(), r.waits.size());
  for (std::size_t i = 0; i < r.waits.size(); ++i) {
    EXPECT_EQ(got.rows[i].retry, i + 1);
    EXPECT_EQ(got.rows[i].wait.earliest, r.waits[i].earliest) << i;
    EXPECT_EQ(got.rows[i].wait.mean, r.waits[i].mean) << i;
    EXPECT_EQ(got.rows[i].wait.latest, r.waits[i].latest) << i;
  }
  EXPECT_EQ(got.last.total.earliest, r.total.earliest);
  EXPECT_EQ(got.last.total.mean, r.total.mean);
  EXPECT_EQ(got.last.total.latest, r.total.latest);
  EXPECT_TRUE(got.mean_is_exact);
}

const row rows[] = {
    {"full",
     {.base = 100ms, .cap = 300ms},
     {{0ms, 50ms, 100ms}, {0ms, 100ms, 200ms}, {0ms, 150ms, 300ms}, {0ms, 150ms, 300ms}},
     {0ms, 450ms, 900ms}},
    {"none",
     {.base = 1s, .cap = 4s, .jitter = jitter::none},
     {{1s, 1s, 1s}, {2s, 2s, 2s}, {4s, 4s, 4s}, {4s, 4s, 4s}},
     {11s, 11s, 11s}},
    {"equal",
     {.base = 100ms, .cap = 10s, .jitter = jitter::equal},
     {{50ms, 75ms, 100ms}, {100ms, 150ms, 200ms}},
     {150ms, 225ms, 300ms}},
    {"ratio",
     {.base = 100ms, .cap = 10s, .jitter = jitter::ratio, .growth = growth::constant},
     {{80ms, 100ms, 120ms}, {80ms, 100ms, 120ms}},
     {160ms, 200ms, 240ms}},
    {"linear",
     {.base = 1s, .cap = 1min, .jitter = jitter::none, .growth = growth::linear, .increment = 500ms},
     {{1s, 1s, 1s}, {1500ms, 1500ms, 1500ms}, {2s, 2s, 2s}},
     {4500ms, 4500ms, 4500ms}},
    {"fibonacci",
     {.base = 1s, .cap = 1min, .jitter = jitter::none, .growth = growth::fibonacci},
     {{1s, 1s, 1s}, {2s, 2s, 2s}, {3s, 3s, 3s}, {5s, 5s, 5s}},
     {11s, 11s, 11s}},
    {"list",
     {.base = 1s, .cap = 5s, .jitter = jitter::none, .growth = growth::list, .delays = {1s, 5s}},
     {{1s, 1s, 1s}, {5s, 5s, 5s}, {5s, 5s, 5s}},
     {11s, 11s, 11s}},
    {"no_wait", {.base = 0ms}, {{0ms, 0ms, 0ms}, {0ms, 0ms, 0ms}}, {0ms, 0ms, 0ms}},
};

INSTANTIATE_TEST_SUITE_P(rows, schedules, testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.id); });

class every_jitter : public testing::TestWithParam<jitter> {};

TEST_P(every_jitter, keeps_within_the_bounds_and_near_the_mean) {
  const backoff_options backoff{.base = 100ms, .cap = 2s, .jitter = GetParam()};
  constexpr std::uint32_t retries = 8;
  constexpr int calls = 4000;
  const schedule told = schedule_of(backoff, retries);
  std::vector<double> sums(retries);
  random_stream draws(7);
  for (int call = 0; call < calls; ++call) {
    backoff_memory memory;
    duration total{};
    for (std::uint32_t retry = 1; retry <= retries; ++retry) {
      const schedule_row& bounds = told.rows[retry - 1];
      const duration wait = next_wait(backoff, retry, memory, draws);
      total += wait;
      EXPECT_GE(wait, bounds.wait.earliest);
      EXPECT_LE(wait, bounds.wait.latest);
      EXPECT_GE(total, bounds.total.earliest);
      EXPECT_LE(total, bounds.total.latest);
      sums[retry - 1] += static_cast<double>(wait.count());
    }
  }
  for (std::uint32_t retry = 1; retry <= retries; ++retry) {
    const auto mean = static_cast<double>(told.rows[retry - 1].wait.mean.count());
    EXPECT_NEAR(sums[retry - 1] / calls / mean, 1, 0.05) << retry;
  }
}

TEST_P(every_jitter, has_its_earliest_before_its_mean_before_its_latest) {
  const schedule told = schedule_of({.base = 100ms, .cap = 2s, .jitter = GetParam()}, 50, 50);
  for (const schedule_row& each : told.rows) {
    EXPECT_LE(each.wait.earliest, each.wait.mean);
    EXPECT_LE(each.wait.mean, each.wait.latest);
    EXPECT_LE(each.wait.latest, 2s);
  }
}

INSTANTIATE_TEST_SUITE_P(jitters, every_jitter,
                         testing::Values(jitter::none, jitter::full, jitter::equal, jitter::decorrelated,
                                         jitter::decorrelated_v2, jitter::ratio),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(schedule, of_one_attempt_is_empty) {
  const schedule told = schedule_of({}, 0);
  EXPECT_TRUE(told.rows.empty());
  EXPECT_EQ(told.last.retry, 0U);
}

TEST(schedule, shows_the_first_retries_and_the_last) {
  const schedule told = schedule_of({.base = 1s, .cap = 1s, .jitter = jitter::none}, 100, 3);
  EXPECT_EQ(told.rows.size(), 3U);
  EXPECT_EQ(told.last.retry, 100U);
  EXPECT_EQ(told.last.total.latest, 100s);
}

TEST(schedule, of_four_billion_retries_is_told_at_once) {
  const schedule told = schedule_of({.base = 1s, .cap = 1s, .jitter = jitter::none}, UINT32_MAX);
  EXPECT_EQ(told.last.retry, UINT32_MAX);
  EXPECT_EQ(told.last.total.latest, 1s * std::int64_t{UINT32_MAX});
}

TEST(schedule, of_a_slow_growth_stays_true_over_four_billion_retries) {
  const backoff_options slow{
      .base = 0ns, .cap = 10s, .jitter = jitter::none, .growth = growth::linear, .increment = 1ns};
  const schedule told = schedule_of(slow, 4'000'000'000U);
  EXPECT_EQ(told.last.wait.latest, 3'999'999'999ns);
  const double exact = 4e9 * (4e9 - 1) / 2;
  EXPECT_LE(static_cast<double>(told.last.total.earliest.count()), exact);
  EXPECT_GE(static_cast<double>(told.last.total.latest.count()), exact);
  EXPECT_NEAR(static_cast<double>(told.last.total.earliest.count()) / exact, 1, 1e-3);
  EXPECT_NEAR(static_cast<double>(told.last.total.latest.count()) / exact, 1, 1e-3);
  EXPECT_NEAR(static_cast<double>(told.last.total.mean.count()) / exact, 1, 1e-6);
}

TEST(schedule, of_the_smooth_curve_is_bounded_by_the_curve) {
  // The sum of its waits is a point of the curve: after n of them f(n - 1) to f(n), over 1.4 x base.
  const schedule told = schedule_of({.base = 140ms, .cap = 1h, .jitter = jitter::decorrelated_v2}, 5);
  const double f[] = {0, 1.928055, 3.972149, 7.984339, 15.989269, 31.991650};  // 2^t x tanh(sqrt(4 t))
  for (std::size_t n = 1; n <= 5; ++n) {
    const wait_range& total = told.rows[n - 1].total;
    EXPECT_NEAR(std::chrono::duration<double>(total.earliest).count(), 0.1 * f[n - 1], 1e-3) << n;
    EXPECT_NEAR(std::chrono::duration<double>(total.latest).count(), 0.1 * f[n], 1e-3) << n;
  }
}

TEST(schedule, has_one_length_for_a_wait_that_is_not_drawn) {
  const schedule told = schedule_of({.base = 1s, .jitter = jitter::ratio, .jitter_ratio = 0}, 1);
  EXPECT_EQ(told.last.wait, (wait_range{1s, 1s, 1s}));
}

TEST(schedule, has_means_within_its_bounds_at_the_end_of_time) {
  for (const jitter kind : {jitter::decorrelated, jitter::decorrelated_v2}) {
    const schedule told = schedule_of({.base = max_duration, .cap = max_duration, .jitter = kind}, 3);
    EXPECT_EQ(told.last.wait.latest, max_duration);
    EXPECT_LE(told.last.wait.mean, told.last.wait.latest);
    EXPECT_GE(told.last.wait.mean, told.last.wait.earliest);
  }
}

TEST(schedule, saturates) {
  const schedule told = schedule_of({.base = max_duration, .cap = max_duration, .jitter = jitter::none}, 10);
  EXPECT_EQ(told.last.total.latest, max_duration);
}

}  // namespace
