// SPDX-License-Identifier: Apache-2.0
// The ceilings of a backoff: series as other retry libraries document or test them, saturation, and what
// is reported of wrong options. What is drawn below a ceiling is in backoff_draw_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <relent/backoff.hpp>
#include <string>
#include <string_view>
#include <type_traits>
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
constexpr duration years = 100000h;  // 2^63 ns are 25.6 times as long
constexpr auto greatest_retry = std::numeric_limits<std::uint32_t>::max();

// ---- series of ceilings ------------------------------------------------------------------------------

struct series_row {
  const char* id;
  backoff_options options;
  std::vector<duration> expected;  // of retry 1, 2, ...
};
void PrintTo(const series_row& row, std::ostream* out) { *out << row.id; }

class backoff_series : public testing::TestWithParam<series_row> {};

TEST_P(backoff_series, is_as_listed) {
  pinned random{0.5};
  backoff_memory memory;
  backoff_options options = GetParam().options;
  options.jitter = jitter::none;
  std::uint32_t retry = 0;
  for (const duration expected : GetParam().expected) {
    ++retry;
    const duration wait = relent::next_wait(options, retry, memory, random);
    expect_within(wait, expected, 1ns, "retry " + std::to_string(retry));
    EXPECT_EQ(relent::ceiling(options, retry), wait);
  }
  EXPECT_EQ(random.draws, 0);
}

INSTANTIATE_TEST_SUITE_P(
    exponential, backoff_series,
    testing::Values(
        series_row{"E1_cockatiel",
                   {.base = 128ms, .cap = 30s},
                   {128ms, 256ms, 512ms, 1024ms, 2048ms, 4096ms, 8192ms, 16384ms, 30000ms, 30000ms}},
        series_row{"E2_cenkalti", {.base = 500ms, .cap = 5s}, {500ms, 1s, 2s, 4s, 5s, 5s, 5s}},
        series_row{
            "E5_sethvargo_from_one_nanosecond",
            {.base = 1ns},
            {1ns, 2ns, 4ns, 8ns, 16ns, 32ns, 64ns, 128ns, 256ns, 512ns, 1024ns, 2048ns, 4096ns, 8192ns}},
        series_row{"E6_sethvargo_beyond_the_range",
                   {.base = years, .cap = longest},
                   {years, years * 2, years * 4, years * 8, years * 16, longest, longest, longest}},
        series_row{"E12_python_backoff_expo", {.base = 1s, .cap = 16s}, {1s, 2s, 4s, 8s, 16s, 16s}},
        series_row{"E13_tenacity", {.base = 1s, .cap = 1h}, {1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s}},
        series_row{"E13_tenacity_cap_40", {.base = 1s, .cap = 40s}, {1s, 2s, 4s, 8s, 16s, 32s, 40s, 40s}},
        series_row{"E14_tenacity_huge_multiplier_tiny_cap",
                   {.base = 1s, .cap = 1ns, .multiplier = 1e300},
                   {1ns, 1ns, 1ns}},
        series_row{"E20_backon_factor_1e10",
                   {.base = 1ns, .cap = longest, .multiplier = 1e10},
                   {1ns, 10s, longest, longest}},
        series_row{"E21_finagle", {.base = 2s, .cap = 15s}, {2s, 4s, 8s, 15s, 15s}},
        series_row{"E24_spring", {.base = 2000ms, .cap = 4000ms}, {2000ms, 4000ms, 4000ms}},
        series_row{"E25_spring", {.base = 1000ms, .cap = 10000ms}, {1000ms, 2000ms, 4000ms, 8000ms, 10000ms}},
        series_row{"E26_spring_times_one", {.base = 100ms, .multiplier = 1}, {100ms, 100ms, 100ms}},
        series_row{"E28_spring_zero", {.base = 0ns}, {0ns, 0ns, 0ns}},
        series_row{"E29_temporal",
                   {.base = 50ms, .cap = 10s},
                   {50ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 10s, 10s, 10s, 10s}},
        series_row{"E30_temporal_first", {.base = 5s}, {5s}},
        series_row{"E32_temporal_cap_below_base", {.base = 3s, .cap = 1s}, {1s, 1s, 1s, 1s, 1s}},
        series_row{"E37_fractions_are_kept", {.base = 1ms, .multiplier = 1.5}, {1ms, 1500us, 2250us, 3375us}},
        series_row{
            "E37_fractions_are_kept_at_1_2", {.base = 3ms, .multiplier = 1.2}, {3ms, 3600us, 4320us, 5184us}},
        series_row{"E38_polly_exponential", {.base = 1s}, {1s, 2s, 4s}},
        series_row{"E42_node_retry",
                   {.base = 1000ms, .cap = 1h},
                   {1000ms, 2000ms, 4000ms, 8000ms, 16000ms, 32000ms, 64000ms, 128000ms, 256000ms, 512000ms}},
        series_row{"E44_axios_retry", {.base = 200ms}, {200ms, 400ms, 800ms}},
        series_row{"E45_failsafe", {.base = 2s, .cap = 30s}, {2s, 4s, 8s, 16s, 30s, 30s}}),
    id_of<series_row>);

INSTANTIATE_TEST_SUITE_P(
    other_growth, backoff_series,
    testing::Values(
        series_row{
            "E8_fibonacci", {.base = 10ms, .growth = growth::fibonacci}, {10ms, 20ms, 30ms, 50ms, 80ms}},
        series_row{
            "E9_fibonacci_beyond_the_range",
            {.base = years, .cap = longest, .growth = growth::fibonacci},
            {years, years * 2, years * 3, years * 5, years * 8, years * 13, years * 21, longest, longest}},
        series_row{
            "E10_constant_above_the_cap", {.base = 5s, .cap = 3s, .growth = growth::constant}, {3s, 3s}},
        series_row{"E16_tenacity_incrementing",
                   {.base = 100s, .cap = 1h, .growth = growth::linear, .increment = 100s},
                   {100s, 200s, 300s}},
        series_row{"E16_downwards_but_never_below_zero",
                   {.base = 100ms, .growth = growth::linear, .increment = -40ms},
                   {100ms, 60ms, 20ms, 0ms, 0ms}},
        series_row{"E22_finagle_linear",
                   {.base = 9s, .cap = 99s, .growth = growth::linear, .increment = 30s},
                   {9s, 39s, 69s, 99s, 99s}},
        series_row{"E38_polly_constant", {.base = 1s, .growth = growth::constant}, {1s, 1s, 1s}},
        series_row{"E38_polly_linear_by_base", {.base = 1s, .growth = growth::linear}, {1s, 2s, 3s}},
        series_row{
            "E44_axios_retry_linear", {.base = 100ms, .growth = growth::linear}, {100ms, 200ms, 300ms}},
        series_row{"E44_axios_retry_linear_factor_300",
                   {.base = 300ms, .growth = growth::linear},
                   {300ms, 600ms, 900ms}},
        series_row{"a_list_repeats_its_last_delay",
                   {.growth = growth::list, .delays = {1s, 2s, 5s}},
                   {1s, 2s, 5s, 5s, 5s}}),
    id_of<series_row>);

// ---- single ceilings far out -------------------------------------------------------------------------

struct far_row {
  const char* id;
  backoff_options options;
  std::uint32_t retry;
  duration expected;
};
void PrintTo(const far_row& row, std::ostream* out) { *out << row.id; }

class backoff_far_out : public testing::TestWithParam<far_row> {};

TEST_P(backoff_far_out, is_as_listed) {
  const far_row& row = GetParam();
  expect_within(relent::ceiling(row.options, row.retry), row.expected, 1ns, row.id);
}

constexpr backoff_options retryable_http{.base = 1s, .cap = 5min};
constexpr backoff_options without_cap{.base = 1ms, .cap = longest};
constexpr backoff_options zero_base{.base = 0ns, .cap = longest};
constexpr backoff_options one_nanosecond{.base = 1ns, .cap = longest};
constexpr backoff_options barely_growing{.base = 1s, .cap = 1h, .multiplier = 1.0000001};

INSTANTIATE_TEST_SUITE_P(
    table, backoff_far_out,
    testing::Values(
        far_row{"E4_index_0", retryable_http, 1, 1s}, far_row{"E4_index_1", retryable_http, 2, 2s},
        far_row{"E4_index_2", retryable_http, 3, 4s}, far_row{"E4_index_3", retryable_http, 4, 8s},
        far_row{"E4_index_63", retryable_http, 64, 5min}, far_row{"E4_index_128", retryable_http, 129, 5min},
        far_row{"E34_temporal", {.base = 2s, .cap = 1h}, 10, 1024s},
        far_row{"E36_resilience4j", {.base = 100ms, .cap = 100000ms}, 12, 100000ms},
        far_row{"E40_polly", {.base = 24h, .cap = longest}, 1000, longest},
        far_row{"E40_polly_cap_two_days", {.base = 24h, .cap = 48h}, 1000, 48h},
        far_row{"E46_no_cap", without_cap, 1025, longest},
        far_row{"E46_cap", {.base = 1ms, .cap = 1min}, 1025, 1min},
        far_row{"exponent_62", one_nanosecond, 63, duration{std::int64_t{1} << 62U}},
        far_row{"exponent_63", one_nanosecond, 64, longest},
        far_row{"exponent_64", one_nanosecond, 65, longest},
        far_row{"exponent_80", one_nanosecond, 81, longest},
        far_row{"exponent_1025", one_nanosecond, 1026, longest},
        far_row{"greatest_retry", one_nanosecond, greatest_retry, longest},
        far_row{"zero_base_exponent_63", zero_base, 64, 0ns},
        far_row{"zero_base_exponent_64", zero_base, 65, 0ns},
        far_row{"zero_base_exponent_80", zero_base, 81, 0ns},
        far_row{"zero_base_exponent_1025", zero_base, 1026, 0ns},
        far_row{"zero_base_greatest_retry", zero_base, greatest_retry, 0ns},
        far_row{"small_growth_goes_on", barely_growing, 10'000'001, seconds(std::pow(1.0000001, 1e7))},
        far_row{"linear",
                {.base = 1s, .cap = longest, .growth = growth::linear},
                greatest_retry,
                duration{std::int64_t{greatest_retry} * 1'000'000'000}},
        far_row{"linear_saturates",
                {.base = 1h, .cap = longest, .growth = growth::linear},
                greatest_retry,
                longest},
        far_row{"linear_downwards",
                {.base = longest, .cap = longest, .growth = growth::linear, .increment = duration::min()},
                greatest_retry,
                0ns},
        far_row{"fibonacci",
                {.base = 1ns, .cap = longest, .growth = growth::fibonacci},
                90,
                duration{4660046610375530309}},
        far_row{"fibonacci_saturates",
                {.base = 2ns, .cap = longest, .growth = growth::fibonacci},
                greatest_retry,
                longest},
        far_row{"fibonacci_of_zero",
                {.base = 0ns, .cap = longest, .growth = growth::fibonacci},
                greatest_retry,
                0ns},
        far_row{"constant", {.base = 1s, .growth = growth::constant}, greatest_retry, 1s},
        far_row{"list", {.growth = growth::list, .delays = {1s, 2s}}, greatest_retry, 2s}),
    id_of<far_row>);

TEST(backoff, is_exact_for_a_long_base_and_a_whole_multiplier) {
  const duration odd{(std::int64_t{1} << 60U) + 1};  // more than the 53 bits of a double
  EXPECT_EQ(relent::ceiling({.base = odd, .cap = longest}, 1), odd);
  EXPECT_EQ(relent::ceiling({.base = odd, .cap = longest}, 3), odd * 4);
  EXPECT_EQ(relent::ceiling({.base = odd, .cap = longest, .multiplier = 7}, 2), odd * 7);
}

TEST(backoff, rounds_to_the_nanosecond_instead_of_cutting) {
  EXPECT_EQ(relent::ceiling({.base = 100ms, .multiplier = 1.7}, 3), 289ms);  // 288999999.99999994 ns
  EXPECT_EQ(relent::ceiling({.base = 100ms, .multiplier = 1.1}, 4), 133100us);
}

struct total_row {
  const char* id;
  double multiplier;
  duration cap;
  duration total;
  int fitting;
};
void PrintTo(const total_row& row, std::ostream* out) { *out << row.id; }

class backoff_total : public testing::TestWithParam<total_row> {};

TEST_P(backoff_total, takes_so_many_ceilings_to_fill) {
  const backoff_options options{.base = 1s, .cap = GetParam().cap, .multiplier = GetParam().multiplier};
  duration left = GetParam().total;
  int fitting = 0;
  for (std::uint32_t retry = 1; relent::ceiling(options, retry) <= left; ++retry, ++fitting)
    left -= relent::ceiling(options, retry);
  EXPECT_EQ(fitting, GetParam().fitting);
}

INSTANTIATE_TEST_SUITE_P(table, backoff_total,
                         testing::Values(total_row{"E41_base_2", 2, 1h, 1h, 11},
                                         total_row{"E41_base_3", 3, 1h, 1h, 8},
                                         total_row{"E41_base_4", 4, 1h, 1h, 6},
                                         total_row{"E41_base_2_in_a_day", 2, 6h, 24h, 17}),
                         id_of<total_row>);

// ---- the base after a fault that spoke of load -------------------------------------------------------

TEST(backoff_rate_limited, starts_from_its_own_base_and_counts_all_retries) {
  const backoff_options options{.base = 50ms, .cap = 20s, .jitter = jitter::none, .rate_limited_base = 1s};
  EXPECT_EQ(relent::ceiling(options, 1), 50ms);
  EXPECT_EQ(relent::ceiling(options, 1, true), 1s);
  EXPECT_EQ(relent::ceiling(options, 3), 200ms);
  EXPECT_EQ(relent::ceiling(options, 3, true), 4s);
  EXPECT_EQ(relent::ceiling(options, 9, true), 20s);
}

TEST(backoff_rate_limited, changes_nothing_unless_it_is_set) {
  EXPECT_EQ(relent::ceiling({.base = 50ms}, 2, true), 100ms);
}

TEST(backoff_rate_limited, raises_a_decorrelated_wait_at_once) {
  const backoff_options options{.base = 50ms, .jitter = jitter::decorrelated, .rate_limited_base = 1s};
  backoff_memory memory;
  pinned least{0};
  EXPECT_EQ(relent::next_wait(options, 1, memory, least), 50ms);
  EXPECT_EQ(relent::next_wait(options, 2, memory, least, true), 1s);
}

// ---- wrong options -----------------------------------------------------------------------------------

struct problem_row {
  const char* id;
  backoff_options options;
  std::string_view field;
  std::string_view rule;
};
void PrintTo(const problem_row& row, std::ostream* out) { *out << row.id; }

class backoff_problem : public testing::TestWithParam<problem_row> {};

TEST_P(backoff_problem, is_reported) {
  const relent::problem_list found = problems(GetParam().options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].field, GetParam().field);
  EXPECT_EQ(found[0].rule, GetParam().rule);
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::string_view multiplier_rule = "must be a finite number of at least 1";
constexpr std::string_view growth_rule =
    "must be exponential with a decorrelated jitter, which grows by itself";
constexpr relent::delay_list seventeen{1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s};

INSTANTIATE_TEST_SUITE_P(
    table, backoff_problem,
    testing::Values(
        problem_row{"negative_base", {.base = -1ns}, "backoff.base", "must not be negative"},
        problem_row{"negative_cap", {.cap = -1ns}, "backoff.cap", "must not be negative"},
        problem_row{"cap_below_base", {.base = 2s, .cap = 1s}, "backoff.cap", "must not be below base"},
        problem_row{"cap_below_a_delay",
                    {.cap = 4s, .growth = growth::list, .delays = {5s, 1s}},
                    "backoff.cap",
                    "must not be below the longest of the delays"},
        problem_row{"shrinking", {.multiplier = 0.99}, "backoff.multiplier", multiplier_rule},
        problem_row{"infinite_growth", {.multiplier = infinite}, "backoff.multiplier", multiplier_rule},
        problem_row{"no_number", {.multiplier = not_a_number}, "backoff.multiplier", multiplier_rule},
        problem_row{"two_growths",
                    {.jitter = jitter::decorrelated, .growth = growth::linear},
                    "backoff.growth",
                    growth_rule},
        problem_row{"two_growths_v2",
                    {.jitter = jitter::decorrelated_v2, .growth = growth::constant},
                    "backoff.growth",
                    growth_rule},
        problem_row{"increment_without_linear",
                    {.increment = 1s},
                    "backoff.increment",
                    "must be absent unless growth is linear"},
        problem_row{
            "ratio_below_0", {.jitter_ratio = -0.1}, "backoff.jitter_ratio", "must be between 0 and 1"},
        problem_row{
            "ratio_above_1", {.jitter_ratio = 1.1}, "backoff.jitter_ratio", "must be between 0 and 1"},
        problem_row{"ratio_no_number",
                    {.jitter_ratio = not_a_number},
                    "backoff.jitter_ratio",
                    "must be between 0 and 1"},
        problem_row{"delays_without_list",
                    {.delays = {1s}},
                    "backoff.delays",
                    "must be absent unless growth is list"},
        problem_row{"list_without_delays",
                    {.growth = growth::list},
                    "backoff.delays",
                    "must not be empty if growth is list"},
        problem_row{"too_many_delays",
                    {.growth = growth::list, .delays = seventeen},
                    "backoff.delays",
                    "must be at most 16"},
        problem_row{"negative_delays",
                    {.growth = growth::list, .delays = {1s, -1s, -2s}},
                    "backoff.delays",
                    "must not be negative"},
        problem_row{"negative_second_base",
                    {.rate_limited_base = -1ns},
                    "backoff.rate_limited_base",
                    "must not be negative"},
        problem_row{"second_base_above_cap",
                    {.rate_limited_base = 11s},
                    "backoff.rate_limited_base",
                    "must not be above cap"},
        problem_row{"second_base_with_list",
                    {.growth = growth::list, .delays = {1s}, .rate_limited_base = 1s},
                    "backoff.rate_limited_base",
                    "must be absent if growth is list"}),
    id_of<problem_row>);

TEST(backoff_problems, are_all_reported_at_once_in_the_order_of_the_fields) {
  const relent::problem_list found =
      problems(backoff_options{.base = -1s, .cap = -2s, .multiplier = 0, .jitter_ratio = 2});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].field, "backoff.base");
  EXPECT_EQ(found[1].field, "backoff.cap");
  EXPECT_EQ(found[2].field, "backoff.multiplier");
  EXPECT_EQ(found[3].field, "backoff.jitter_ratio");
}

static_assert(problems(backoff_options{}).empty());
static_assert(problems(backoff_options{.base = 0ns, .cap = 0ns}).empty());
static_assert(problems(backoff_options{.growth = growth::linear, .increment = -1s}).empty());
static_assert(problems(backoff_options{.growth = growth::list, .delays = {0s, 10s}}).empty());
static_assert(
    problems(backoff_options{.multiplier = 1, .jitter_ratio = 1, .rate_limited_base = 10s}).empty());

TEST(backoff_problems, leave_every_wait_between_zero_and_the_cap) {
  relent::random_stream random{5};
  const backoff_options wrong[] = {
      {.base = -1s},
      {.cap = -1s},
      {.base = 20s, .cap = 1s},
      {.base = 20s, .cap = 1s, .jitter = jitter::decorrelated},
      {.base = 20s, .cap = 1s, .jitter = jitter::decorrelated_v2},
      {.multiplier = not_a_number},
      {.multiplier = -2},
      {.multiplier = infinite},
      {.jitter = jitter::ratio, .jitter_ratio = not_a_number},
      {.jitter = jitter::ratio, .jitter_ratio = -7},
      {.jitter = jitter::ratio, .jitter_ratio = 7},
      {.growth = growth::list},
      {.growth = growth::list, .delays = {-1s}},
  };
  for (const backoff_options& options : wrong) {
    backoff_memory memory;
    for (std::uint32_t retry = 0; retry < 70; ++retry) {
      const duration wait = relent::next_wait(options, retry, memory, random);
      ASSERT_GE(wait, 0s) << &options - wrong;
      ASSERT_LE(wait, std::max<duration>(options.cap, 0s)) << &options - wrong;
    }
  }
}

// ---- values and names --------------------------------------------------------------------------------

static_assert(sizeof(backoff_memory) == 8 && std::is_trivially_copyable_v<backoff_memory>);
static_assert(std::is_trivially_copyable_v<backoff_options>);

TEST(backoff_names, read_back_as_what_they_name) {
  for (int i = 0; i < relent::jitter_count; ++i) {
    const auto kind = static_cast<jitter>(i);
    EXPECT_EQ(relent::jitter_from(relent::to_string(kind)), kind);
  }
  for (int i = 0; i < relent::growth_count; ++i) {
    const auto kind = static_cast<growth>(i);
    EXPECT_EQ(relent::growth_from(relent::to_string(kind)), kind);
  }
  EXPECT_EQ(relent::jitter_from("Full"), std::nullopt);
  EXPECT_EQ(relent::growth_from(""), std::nullopt);
}

TEST(delay_list, keeps_sixteen_and_says_that_there_were_more) {
  relent::delay_list delays;
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(delays.add(i * 1s));
  EXPECT_FALSE(delays.too_long());
  EXPECT_FALSE(delays.add(16s));
  EXPECT_TRUE(delays.too_long());
  EXPECT_EQ(delays.size(), 16U);
  EXPECT_EQ(delays[15], 15s);
}

TEST(delay_list, equals_a_list_of_the_same_delays) {
  constexpr relent::delay_list delays{1s, 2s};
  EXPECT_EQ(delays, (relent::delay_list{1s, 2s}));
  EXPECT_NE(delays, (relent::delay_list{1s, 2s, 2s}));
  EXPECT_NE(delays, (relent::delay_list{2s, 1s}));
}

}  // namespace
