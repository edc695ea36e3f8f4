// SPDX-License-Identifier: Apache-2.0
// Waits from pinned draws: the points that other retry libraries document or test, the curve of
// decorrelated V2, and that compiler and program agree. Distributions are in backoff_jitter_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <relent/backoff.hpp>
#include <string>
#include <vector>

#include "backoff_support.hpp"

namespace {

using namespace std::chrono_literals;
using relent::backoff_memory;
using relent::backoff_options;
using relent::duration;
using relent::growth;
using relent::jitter;
using relent::test::expect_within;
using relent::test::id_of;
using relent::test::pinned;
using relent::test::seconds;

constexpr duration longest = relent::max_duration;
constexpr auto greatest_retry = std::numeric_limits<std::uint32_t>::max();

// ---- pinned draws ------------------------------------------------------------------------------------

struct pinned_row {
  const char* id;
  backoff_options options;
  std::uint32_t retry;
  double u;
  duration expected;
};
void PrintTo(const pinned_row& row, std::ostream* out) { *out << row.id; }

class backoff_pinned : public testing::TestWithParam<pinned_row> {};

TEST_P(backoff_pinned, draws_the_listed_wait) {
  const pinned_row& row = GetParam();
  pinned random{row.u};
  backoff_memory memory;
  expect_within(relent::next_wait(row.options, row.retry, memory, random), row.expected, 1ns, row.id);
  EXPECT_EQ(random.draws, 1);
}

constexpr backoff_options about(duration middle, double ratio) {
  return {
      .base = middle, .cap = 1h, .jitter = jitter::ratio, .growth = growth::constant, .jitter_ratio = ratio};
}
constexpr backoff_options polly_linear{
    .base = 1s, .jitter = jitter::ratio, .growth = growth::linear, .jitter_ratio = 0.25};
constexpr backoff_options resilience4j{.base = 100ms, .jitter = jitter::ratio, .jitter_ratio = 0.5};
constexpr backoff_options tenacity_random{.base = 500ms, .cap = 60s};
constexpr backoff_options aws{.base = 50ms, .cap = 20s};
constexpr backoff_options at_the_cap{.base = 60s, .cap = 60s, .jitter = jitter::ratio, .jitter_ratio = 0.5};

INSTANTIATE_TEST_SUITE_P(
    ratio, backoff_pinned,
    testing::Values(pinned_row{"J1_polly_u0", about(1s, 0.25), 1, 0, 750ms},
                    pinned_row{"J1_polly_u4", about(1s, 0.25), 1, 0.4, 950ms},
                    pinned_row{"J1_polly_u6", about(1s, 0.25), 1, 0.6, 1050ms},
                    pinned_row{"J1_polly_u10", about(1s, 0.25), 1, 1, 1250ms},
                    pinned_row{"J2_polly_linear_u0", polly_linear, 3, 0, 2250ms},
                    pinned_row{"J2_polly_linear_u4", polly_linear, 3, 0.4, 2850ms},
                    pinned_row{"J2_polly_linear_u5", polly_linear, 3, 0.5, 3s},
                    pinned_row{"J2_polly_linear_u6", polly_linear, 3, 0.6, 3150ms},
                    pinned_row{"J2_polly_linear_u10", polly_linear, 3, 1, 3750ms},
                    pinned_row{"J4_never_above_the_cap", at_the_cap, 1, 1, 60s},
                    pinned_row{"J4_lowered_as_a_whole_instead", at_the_cap, 1, 0.5, 40s},
                    pinned_row{"J5_failsafe_10_to_100_u0", about(55ms, 9.0 / 11), 1, 0, 10ms},
                    pinned_row{"J5_failsafe_10_to_100_u25", about(55ms, 9.0 / 11), 1, 0.25, 32500us},
                    pinned_row{"J5_failsafe_10_to_100_u5", about(55ms, 9.0 / 11), 1, 0.5, 55ms},
                    pinned_row{"J5_failsafe_10_to_100_u75", about(55ms, 9.0 / 11), 1, 0.75, 77500us},
                    pinned_row{"J5_failsafe_10_to_100_u100", about(55ms, 9.0 / 11), 1, 1, 100ms},
                    pinned_row{"J5_failsafe_50_to_500", about(275ms, 9.0 / 11), 1, 0.25, 162500us},
                    pinned_row{"J5_failsafe_5000_to_50000", about(27500ms, 9.0 / 11), 1, 0.25, 16250ms},
                    pinned_row{"J6_failsafe_lowest", about(100ms, 0.5), 1, 0, 50ms},
                    pinned_row{"J6_failsafe_quarter", about(100ms, 0.5), 1, 0.25, 75ms},
                    pinned_row{"J6_failsafe_middle", about(100ms, 0.5), 1, 0.5, 100ms},
                    pinned_row{"J6_failsafe_three_quarters", about(100ms, 0.5), 1, 0.75, 125ms},
                    pinned_row{"J6_failsafe_highest", about(100ms, 0.5), 1, 1, 150ms},
                    pinned_row{"J8_resilience4j_lowest", resilience4j, 1, 0, 50ms},
                    pinned_row{"J8_resilience4j_highest", resilience4j, 1, 1, 150ms},
                    pinned_row{"J8_resilience4j_second_lowest", resilience4j, 2, 0, 100ms},
                    pinned_row{"J8_resilience4j_second_highest", resilience4j, 2, 1, 300ms},
                    pinned_row{"J9_sethvargo_quarter_lowest", about(1s, 0.25), 1, 0, 750ms},
                    pinned_row{"J9_sethvargo_5_percent_lowest", about(1s, 0.05), 1, 0, 950ms},
                    pinned_row{"J9_sethvargo_5_percent_highest", about(1s, 0.05), 1, 1, 1050ms},
                    pinned_row{"J9_sethvargo_zero_changes_nothing", about(1s, 0), 1, 0.7, 1s},
                    pinned_row{"J17_the_part_below_a_second_counts", about(1s, 0.99), 1, 0.75, 1495ms},
                    pinned_row{"J18_grpc_lowest", about(1s, 0.2), 1, 0, 800ms},
                    pinned_row{"J18_grpc_highest", about(1s, 0.2), 1, 1, 1200ms}),
    id_of<pinned_row>);

INSTANTIATE_TEST_SUITE_P(
    full_and_equal, backoff_pinned,
    testing::Values(pinned_row{"J10_tenacity_first", tenacity_random, 1, 0.5, 250ms},
                    pinned_row{"J10_tenacity_second", tenacity_random, 2, 0.5, 500ms},
                    pinned_row{"J10_tenacity_seventh", tenacity_random, 7, 0.5, 16s},
                    pinned_row{"J10_tenacity_eighth", tenacity_random, 8, 0.5, 30s},
                    pinned_row{"J10_tenacity_ninth", tenacity_random, 9, 0.5, 30s},
                    pinned_row{"J10_tenacity_from_zero", tenacity_random, 9, 0, 0s},
                    pinned_row{"J10_tenacity_up_to_the_cap", tenacity_random, 9, 1, 60s},
                    pinned_row{"J20_aws", aws, 4, 0.25, 100ms},
                    pinned_row{"J20_aws_capped", aws, 40, 0.25, 5s},
                    pinned_row{"equal_lowest", {.base = 1s, .jitter = jitter::equal}, 2, 0, 1s},
                    pinned_row{"equal_middle", {.base = 1s, .jitter = jitter::equal}, 2, 0.5, 1500ms},
                    pinned_row{"equal_highest", {.base = 1s, .jitter = jitter::equal}, 2, 1, 2s}),
    id_of<pinned_row>);

TEST(backoff_decorrelated, draws_between_base_and_three_times_the_wait_before) {
  const backoff_options options{.base = 1s, .cap = 20s, .jitter = jitter::decorrelated};
  backoff_memory memory;
  pinned half{0.5};
  const duration expected[] = {2s, 3500ms, 5750ms, 9125ms, 10500ms, 10500ms};  // the last two below the cap
  std::uint32_t retry = 0;
  for (const duration wait : expected) {
    ++retry;
    expect_within(relent::next_wait(options, retry, memory, half), wait, 1ns, std::to_string(retry));
  }
  pinned least{0};
  EXPECT_EQ(relent::next_wait(options, 7, memory, least), 1s);
  pinned greatest{1};
  expect_within(relent::next_wait(options, 8, memory, greatest), 3s, 1ns, "from the base up again");
}

// ---- decorrelated V2 ---------------------------------------------------------------------------------

struct v2_row {
  const char* id;
  double u;
  std::vector<double> expected;  // in bases
};
void PrintTo(const v2_row& row, std::ostream* out) { *out << row.id; }

class backoff_v2 : public testing::TestWithParam<v2_row> {};

constexpr backoff_options v2_seconds{.base = 1s, .cap = longest, .jitter = jitter::decorrelated_v2};

TEST_P(backoff_v2, follows_the_curve_of_polly) {
  backoff_memory memory;
  pinned random{GetParam().u};
  const double u = relent::uniform_unit(random.bits);
  double previous = 0;
  std::uint32_t retry = 0;
  for (const double listed : GetParam().expected) {
    const double t = retry + u;
    const double f = std::exp2(t) * std::tanh(std::sqrt(4 * t));
    const duration wait = relent::next_wait(v2_seconds, ++retry, memory, random);
    expect_within(wait, seconds(listed), 501ns, "listed with six decimals");
    expect_within(wait, seconds((f - previous) / 1.4), 1ns, "computed by the mathematics library");
    previous = f;
  }
}

INSTANTIATE_TEST_SUITE_P(
    constant_draw, backoff_v2,
    testing::Values(
        v2_row{"u0", 0, {0, 1.377182, 1.460067, 2.865850, 5.717807, 11.430272, 22.858027, 45.714732}},
        v2_row{
            "u25", .25, {.646924, 1.013570, 1.720438, 3.404510, 6.798370, 13.592378, 27.182628, 54.364120}},
        v2_row{"u50", .5, {.897405, 1.093004, 2.035748, 4.045979, 8.083632, 16.163663, 32.325517, 64.650058}},
        v2_row{
            "u75", .75, {1.128360, 1.250132, 2.414001, 4.809443, 9.612264, 19.221529, 38.441514, 76.882188}},
        v2_row{
            "u100", 1, {1.377182, 1.460067, 2.865850, 5.717807, 11.430272, 22.858027, 45.714732, 91.428742}}),
    id_of<v2_row>);

TEST(backoff_v2_bounds, are_reached_by_the_least_draw_followed_by_the_greatest) {
  const double bounds[] = {1.377182, 2.837250, 4.325917, 8.583657, 17.148079, 34.288299};
  for (std::uint32_t attempt = 0; attempt < 6; ++attempt) {
    backoff_memory memory;
    pinned least{0};
    for (std::uint32_t retry = 1; retry <= attempt; ++retry)
      relent::next_wait(v2_seconds, retry, memory, least);
    pinned greatest{1};
    expect_within(relent::next_wait(v2_seconds, attempt + 1, memory, greatest), seconds(bounds[attempt]),
                  501ns, std::to_string(attempt));
  }
}

TEST(backoff_v2_bounds, hold_through_retry_3000_and_at_the_greatest) {
  backoff_memory memory;
  relent::random_stream random{7};
  const backoff_options options{.base = 1s, .cap = 1h, .jitter = jitter::decorrelated_v2};
  for (std::uint32_t retry = 1; retry <= 3000; ++retry) {
    const duration wait = relent::next_wait(options, retry, memory, random);
    ASSERT_GE(wait, 0s);
    ASSERT_LE(wait, 1h);
    if (retry > 100) {
      ASSERT_EQ(wait, 1h) << retry;
    }
  }
  EXPECT_EQ(relent::next_wait(options, greatest_retry, memory, random), 1h);
  EXPECT_EQ(
      relent::next_wait({.base = 0ns, .jitter = jitter::decorrelated_v2}, greatest_retry, memory, random),
      0s);
}

// ---- one seed, one series ----------------------------------------------------------------------------

constexpr backoff_options with_jitter(jitter kind) { return {.base = 100ms, .cap = 2s, .jitter = kind}; }

constexpr duration fifth_wait(jitter kind, std::uint64_t seed) {
  relent::random_stream random{seed};
  backoff_memory memory;
  duration wait{};
  for (std::uint32_t retry = 1; retry <= 5; ++retry)
    wait = relent::next_wait(with_jitter(kind), retry, memory, random);
  return wait;
}

template <jitter Kind>
void expect_constant_equals_run_time() {
  constexpr duration by_the_compiler = fifth_wait(Kind, 11);
  volatile std::uint64_t seed = 11;  // keeps the optimiser from folding the call
  EXPECT_EQ(fifth_wait(Kind, seed), by_the_compiler) << relent::to_string(Kind);
}

TEST(backoff_constant, is_the_same_for_the_compiler_and_at_run_time) {
  expect_constant_equals_run_time<jitter::none>();
  expect_constant_equals_run_time<jitter::full>();
  expect_constant_equals_run_time<jitter::equal>();
  expect_constant_equals_run_time<jitter::decorrelated>();
  expect_constant_equals_run_time<jitter::decorrelated_v2>();
  expect_constant_equals_run_time<jitter::ratio>();
}

static_assert(relent::ceiling(backoff_options{.multiplier = 1e308}, greatest_retry) == 10s);
static_assert(relent::ceiling(backoff_options{.multiplier = 1.5}, 3) == 225ms);

}  // namespace
