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

TEST(schedule, saturates) {
  const schedule told = schedule_of({.base = max_duration, .cap = max_duration, .jitter = jitter::none}, 10);
  EXPECT_EQ(told.last.total.latest, max_duration);
}

}  // namespace
