// SPDX-License-Identifier: Apache-2.0
// What the ratio budget grants, refuses and forgets as its window moves on, one thread at a time.
#include <relent/budget.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace relent {
namespace {

using namespace std::chrono_literals;

constexpr time_point start{100s};

bool take(budget& b, time_point now = start) { return b.try_take(fault_kind::reset, now); }

/// How many of `tries` retries are granted.
int grants(budget& b, int tries, time_point now = start) {
  int granted = 0;
  for (int i = 0; i < tries; ++i) granted += take(b, now) ? 1 : 0;
  return granted;
}

void request(budget& b, int times, time_point now = start) {
  for (int i = 0; i < times; ++i) b.requested(now);
}

TEST(ratio_budget, grants_three_retries_without_a_request_by_default) {
  budget b(ratio_budget{});
  EXPECT_EQ(grants(b, 5), 3);
}

TEST(ratio_budget, grants_the_greater_of_the_floor_and_the_ratio_not_their_sum) {
  budget b(ratio_budget{});
  request(b, 40);
  EXPECT_EQ(grants(b, 10), 4);
}

TEST(ratio_budget, that_is_all_zero_never_grants) {  // F2
  budget b(ratio_budget{.ratio = 0, .min_retries = 0});
  EXPECT_EQ(b.balance(start), 0);
  b.requested(start);
  EXPECT_EQ(b.balance(start), 0);
  EXPECT_FALSE(take(b));
}

class ratio_budget_of_any_ratio : public testing::TestWithParam<double> {};

TEST_P(ratio_budget_of_any_ratio, grants_its_share_of_ten_thousand_requests) {  // F4
  budget b(ratio_budget{.ratio = GetParam(), .min_retries = 0});
  int granted = 0;
  for (int i = 0; i < 10000; ++i) {
    b.requested(start);
    if (take(b))
      ++granted;
    else
      EXPECT_EQ(b.balance(start), 0);
  }
  EXPECT_NEAR(granted, std::trunc(10000 * GetParam()), 1);
}

INSTANTIATE_TEST_SUITE_P(F4, ratio_budget_of_any_ratio,
                         testing::Values(.1, .5, .25, .75, .99, .999, .9999, .01, .001, .0001),
                         [](const auto& row) {
                           return "ratio_of_" + std::to_string(std::lround(row.param * 1e4)) +
                                  "_in_ten_thousand";
                         });

TEST(ratio_budget, may_allow_more_retries_than_requests) {  // F5
  budget b(ratio_budget{.ratio = 2, .min_retries = 0});
  EXPECT_FALSE(take(b));
  request(b, 10000);
  EXPECT_EQ(b.balance(start), 20000);
}

struct reserve_row {
  const char* id;
  double ratio;
  duration window;
  int granted;  // of 10000 pairs of a request and a try, in one instant
};

class ratio_budget_with_a_reserve_of_ten : public testing::TestWithParam<reserve_row> {};

TEST_P(ratio_budget_with_a_reserve_of_ten, grants_it_on_top_of_the_ratio) {
  budget b(
      ratio_budget{.ratio = GetParam().ratio, .window = GetParam().window, .min_retries = 0, .reserve = 10});
  EXPECT_EQ(b.balance(start), 10);
  int granted = 0;
  for (int i = 0; i < 10000; ++i) {
    b.requested(start);
    granted += take(b) ? 1 : 0;
  }
  EXPECT_EQ(granted, GetParam().granted);
}

INSTANTIATE_TEST_SUITE_P(F, ratio_budget_with_a_reserve_of_ten,
                         testing::Values(reserve_row{"F6", 0, 1s, 10}, reserve_row{"F7", 0, 2s, 10},
                                         reserve_row{"F8", .1, 1s, 1010}, reserve_row{"F9", .5, 2s, 5010}),
                         [](const auto& row) { return row.param.id; });

struct window_step {
  duration after;  // since the step before
  int requests;
  int tries;
  int granted;
};

struct window_row {
  const char* id;
  double ratio;
  std::uint32_t reserve;
  std::vector<window_step> steps;
};

class ratio_budget_with_a_window_of_one_second : public testing::TestWithParam<window_row> {};

TEST_P(ratio_budget_with_a_window_of_one_second, pays_only_with_requests_that_lie_in_it) {
  budget b(
      ratio_budget{.ratio = GetParam().ratio, .window = 1s, .min_retries = 0, .reserve = GetParam().reserve});
  time_point now = start;
  for (const window_step& step : GetParam().steps) {
    now += step.after;
    request(b, step.requests, now);
    EXPECT_EQ(grants(b, step.tries, now), step.granted) << (now - start) / 1ms << " ms";
  }
}

INSTANTIATE_TEST_SUITE_P(
    W, ratio_budget_with_a_window_of_one_second,
    testing::Values(window_row{"W1", 1, 0, {{0s, 0, 1, 0}}},                 //
                    window_row{"W2", 1, 0, {{0s, 1, 0, 0}, {3s, 0, 1, 0}}},  //
                    window_row{"W3", .5, 0, {{0s, 2, 0, 0}, {901ms, 0, 1, 1}}},
                    window_row{"W4",
                               .5,
                               0,
                               {{0s, 2, 0, 0},
                                {901ms, 0, 1, 1},
                                {2001ms, 1, 0, 0},
                                {301ms, 1, 0, 0},
                                {801ms, 1, 2, 1}}},  // the first has expired, the other two pay
                    window_row{"W5", 1, 5, {{0s, 0, 6, 5}}},
                    // Exact ratios, not rounded to one retry per so many requests.
                    window_row{"W6a", .6, 0, {{0s, 10, 20, 6}}}, window_row{"W6b", .75, 0, {{0s, 10, 20, 7}}},
                    window_row{"W6c", .9, 0, {{0s, 10, 20, 9}}},
                    window_row{"W7a", .3, 0, {{0s, 100, 200, 30}}},
                    window_row{"W7b", .4, 0, {{0s, 100, 200, 40}}}),
    [](const auto& row) { return row.param.id; });

TEST(ratio_budget, counts_an_event_for_nine_tenths_of_the_window_and_forgets_it_after_the_whole) {
  budget b(ratio_budget{.ratio = 1, .min_retries = 0});
  b.requested(start);
  EXPECT_EQ(b.balance(start + 9999ms), 1);
  EXPECT_EQ(b.balance(start + 10s), 0);
  b.requested(start + 11999ms);  // at the end of its slot
  EXPECT_EQ(b.balance(start + 20999ms), 1);
  EXPECT_EQ(b.balance(start + 21s), 0);
}

TEST(ratio_budget, gets_its_floor_again_when_the_retries_have_left_the_window) {
  budget b(ratio_budget{});
  EXPECT_EQ(grants(b, 5), 3);
  EXPECT_EQ(grants(b, 5, start + 9s), 0);
  EXPECT_EQ(grants(b, 5, start + 10s), 3);
}

TEST(ratio_budget, forgets_everything_when_idle_however_long) {
  // Any number of slots that a narrow counter could take for none at all.
  for (int bits = 4; bits <= 36; ++bits) {
    budget b(ratio_budget{.ratio = 1, .window = 1s, .min_retries = 1});
    request(b, 50);
    EXPECT_EQ(grants(b, 20), 20);
    const time_point later = start + 100ms * (std::int64_t{1} << bits);
    EXPECT_EQ(b.balance(later), 1) << bits;
    EXPECT_EQ(grants(b, 5, later), 1) << bits;
  }
}

TEST(ratio_budget, stands_still_when_time_runs_backwards) {
  budget b(ratio_budget{.ratio = 1, .min_retries = 0});
  b.requested(start + 5s);
  EXPECT_EQ(b.balance(start - 1h), 1);
  b.requested(start - 1h);  // counts as if it came at start + 5s
  EXPECT_EQ(grants(b, 3, start), 2);
  EXPECT_EQ(b.balance(start + 14s), 0);
  EXPECT_EQ(grants(b, 3, start + 16s), 0);  // requests and retries alike are gone
  b.requested(time_point{-1h});
  EXPECT_EQ(grants(b, 3, time_point::min()), 1);
}

TEST(ratio_budget, lives_at_both_ends_of_time) {
  budget b(ratio_budget{.window = 1s});
  EXPECT_EQ(grants(b, 5, time_point::min()), 3);
  EXPECT_EQ(grants(b, 5, end_of_time), 3);
}

TEST(ratio_budget, gives_back_a_retry_that_never_started) {
  budget b(ratio_budget{});
  EXPECT_EQ(grants(b, 5), 3);
  b.give_back(fault_kind::reset, start + 4s);
  EXPECT_EQ(b.balance(start + 4s), 1);
  EXPECT_EQ(grants(b, 5, start + 4s), 1);
  EXPECT_EQ(b.balance(start + 10s), 2);  // the two of the beginning are gone, that at 4 s counts on
}

TEST(ratio_budget, gives_back_nothing_that_has_left_the_window) {
  budget b(ratio_budget{});
  EXPECT_EQ(grants(b, 3), 3);
  b.give_back(fault_kind::reset, start + 10s);
  EXPECT_EQ(grants(b, 5, start + 10s), 3);
}

TEST(ratio_budget, never_holds_a_retry_too_few_when_one_of_several_is_given_back) {
  budget b(ratio_budget{});
  EXPECT_TRUE(take(b, start));
  EXPECT_TRUE(take(b, start + 8s));
  EXPECT_TRUE(take(b, start + 8s));
  b.give_back(fault_kind::reset, start + 8s);  // whichever of the three it was
  EXPECT_EQ(b.balance(start + 8s), 1);
  EXPECT_LE(b.balance(start + 10s), 1);  // at least two of them may still count
}

TEST(ratio_budget, ignores_failures_and_successes) {
  budget b(ratio_budget{});
  b.failed(start);
  b.succeeded(start);
  b.succeeded_after_retry(fault_kind::timeout, start);
  EXPECT_EQ(b.balance(start), 3);
}

}  // namespace
}  // namespace relent
