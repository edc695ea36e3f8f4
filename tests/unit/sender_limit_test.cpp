// SPDX-License-Identifier: Apache-2.0
// The sender limit: its arithmetic against the figures of the AWS SDKs' adaptive mode, and what callers meet.
#include <relent/impl/sender_limit_arithmetic.ipp>
#include <relent/sender_limit.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace relent {
namespace {

using namespace std::chrono_literals;

time_point at(double seconds) { return time_point{duration{std::llround(seconds * 1e9)}}; }

constexpr double exact = 1e-12;

// The curve

TEST(cubic_rate, c1_reaches_the_old_rate_again_after_the_cube_root_of_what_was_cut) {
  EXPECT_NEAR(detail::cubic_rate(0.7, 0.4, at(0), 10).plateau(), 1.9574338205844317, exact);
}

TEST(cubic_rate, c2_is_cut_to_beta_of_the_rate_and_remembers_the_rate) {
  detail::cubic_rate curve(0.7, 0.4, at(0));
  EXPECT_NEAR(curve.throttled(8, at(1)), 5.6, exact);
  EXPECT_NEAR(curve.plateau(), 1.8171205928321397, exact);
  EXPECT_EQ(curve.rate_before_cut(), 8);
}

TEST(cubic_rate, c3_is_continuous_at_the_cut) {
  detail::cubic_rate curve(0.6, 0.4, at(0));
  EXPECT_NEAR(curve.throttled(10, at(3)), 6, exact);
  EXPECT_NEAR(curve.succeeded(at(3)), 6, exact);
}

TEST(cubic_rate, c4_climbs_to_the_old_rate_stays_near_it_and_goes_beyond) {
  const detail::cubic_rate curve(0.7, 0.4, at(5), 10);
  const double expected[] = {7.0,
                             9.64893600966,
                             10.000030849917364,
                             10.453284520772092,
                             13.408697022224185,
                             21.26626835427364,
                             36.425998516920465};
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(curve.succeeded(at(5 + i)), expected[i], 1e-11) << i;
}

// Some SDKs' tests expect other numbers after the cuts (4.67, 4.77, 6.01, 10.79), which come out only if the
// rate to return to is set to the rate after the cut. These are what the algorithm itself does.
TEST(cubic_rate, c5b_returns_to_the_rate_before_the_last_cut) {
  detail::cubic_rate curve(0.7, 0.4, at(5), 10);
  EXPECT_NEAR(curve.succeeded(at(5)), 7, exact);
  const double reached = curve.succeeded(at(6));
  EXPECT_NEAR(reached, 9.64893600966, 1e-11);
  const double cut = curve.throttled(reached, at(7));
  EXPECT_NEAR(cut, 6.754255206761999, exact);
  EXPECT_NEAR(curve.throttled(cut, at(8)), 4.727978644733399, exact);
  const double expected[] = {6.606547753887045, 6.763279816944947, 7.598174833907107, 11.511232804774523};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(curve.succeeded(at(9 + i)), expected[i], 1e-11) << i;
}

// The measured rate

TEST(rate_meter, c6_measures_one_event_in_the_first_second) {
  detail::rate_meter meter(500ms, 0.8, at(0));
  meter.count(at(1));
  EXPECT_NEAR(meter.rate(), 0.8, exact);
}

TEST(rate_meter, c7_shows_a_time_bucket_when_it_is_over) {
  detail::rate_meter meter(500ms, 0.8, at(0));
  for (const double t : {0.1, 0.2, 0.3, 0.4, 0.49}) {
    meter.count(at(t));
    EXPECT_EQ(meter.rate(), 0) << t;
  }
  meter.count(at(0.5));
  EXPECT_NEAR(meter.rate(), 9.6, exact);
}

TEST(rate_meter, measures_alike_before_and_after_the_clocks_origin) {
  detail::rate_meter meter(500ms, 0.8, at(-2));
  meter.count(at(-1.75));
  EXPECT_EQ(meter.rate(), 0);
  meter.count(at(-1));
  EXPECT_NEAR(meter.rate(), 1.6, exact);
}

// The whole

struct adaptive_row {
  double time;
  bool throttled;
  double measured;
  double fill;
};

TEST(sender_limit, c8_follows_the_sdks_through_two_throttlings) {
  const adaptive_row rows[] = {
      {0.2, false, 0, 0.5},
      {0.4, false, 0, 0.5},
      {0.6, false, 4.8, 0.5},
      {0.8, false, 4.8, 0.5},
      {1.0, false, 4.16, 0.5},
      {1.2, false, 4.16, 0.6912},
      {1.4, false, 4.16, 1.0976},
      {1.6, false, 5.632, 1.6384},
      {1.8, false, 5.632, 2.3328},
      {2.0, true, 4.3264, 3.02848},
      {2.2, false, 4.3264, 3.486639},
      {2.4, false, 4.3264, 3.821874},
      {2.6, false, 5.66528, 4.053386},
      {2.8, false, 5.66528, 4.200373},
      {3.0, false, 4.333056, 4.282037},
      {3.2, true, 4.333056, 2.997426},
      {3.4, false, 4.333056, 3.452226},
  };
  sender_limit limit;
  EXPECT_EQ(limit.acquire(at(0)), 0s);
  for (const adaptive_row& row : rows) {
    row.throttled ? limit.throttled(at(row.time)) : limit.succeeded(at(row.time));
    EXPECT_NEAR(limit.measured_rate(), row.measured, 1e-6) << row.time;
    EXPECT_NEAR(limit.fill_rate(), row.fill, 1e-6) << row.time;
    EXPECT_EQ(limit.enabled(), row.time >= 2.0) << row.time;
  }
}

TEST(sender_limit, is_off_until_the_first_throttling) {
  sender_limit limit;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(limit.acquire(at(1)), 0s);
  EXPECT_FALSE(limit.enabled());
  limit.throttled(at(1));
  EXPECT_TRUE(limit.enabled());
  EXPECT_GT(limit.acquire(at(1)), 0s);
}

/// Throttled before anything was measured: half an attempt per second, and nothing saved up.
void slow_down(sender_limit& limit) {
  limit.throttled(at(0));
  ASSERT_EQ(limit.fill_rate(), 0.5);
  ASSERT_EQ(limit.capacity(), 0);
}

TEST(sender_limit, says_how_long_until_an_attempt_may_go_and_takes_nothing) {
  sender_limit limit;
  slow_down(limit);
  EXPECT_EQ(limit.acquire(at(0.1)), 1900ms);
  EXPECT_NEAR(limit.capacity(), 0.05, exact);
}

TEST(sender_limit, gives_callers_who_ask_together_one_wait_and_lets_one_of_them_go) {
  sender_limit limit;
  slow_down(limit);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(limit.acquire(at(0.1)), 1900ms);
  int gone = 0;
  for (int i = 0; i < 10; ++i) gone += limit.acquire(at(2.1)) == 0s ? 1 : 0;
  EXPECT_EQ(gone, 1);
  EXPECT_GE(limit.capacity(), 0);
}

TEST(sender_limit, lets_a_caller_go_who_waited_exactly_as_long_as_it_was_told) {
  for (double rate = 0.5; rate < 5000; rate *= 1.37) {
    detail::token_flow flow(rate, 1, at(0));
    time_point now = at(0.0001);
    for (int i = 0; i < 20; ++i) {
      const duration wait = flow.take(now);
      now += wait;
      if (wait > 0s) {
        EXPECT_EQ(flow.take(now), 0s) << rate;
      }
      EXPECT_GE(flow.level(), 0) << rate;
    }
  }
}

TEST(sender_limit, ignores_a_shortfall_of_less_than_a_nanosecond) {
  detail::token_flow flow(0.5, 1, at(0));
  EXPECT_EQ(flow.take(at(2) - 1ns), 1ns);
  EXPECT_EQ(flow.take(at(2)), 0s);
  EXPECT_EQ(flow.level(), 0);
  detail::token_flow fast(3, 1, at(0));  // a third of a second is no whole number of nanoseconds
  EXPECT_EQ(fast.take(time_point{333'333'333ns}), 0s);
  EXPECT_EQ(fast.level(), 0);
}

TEST(sender_limit, saves_up_no_more_than_a_second_of_attempts) {
  detail::token_flow flow(0.5, 1, at(0));
  flow.set_rate(4, at(0));
  int gone = 0;
  while (flow.take(at(3600)) == 0s) ++gone;
  EXPECT_EQ(gone, 4);
}

TEST(sender_limit, never_lets_more_through_than_twice_the_measured_rate) {
  sender_limit limit;
  for (int i = 0; i <= 10; ++i) limit.succeeded(at(i * 0.5));
  limit.throttled(at(5.5));
  for (int i = 0; i < 600; ++i) limit.succeeded(at(6 + i));
  EXPECT_NEAR(limit.measured_rate(), 1, 1e-6);
  EXPECT_NEAR(limit.fill_rate(), 2, 1e-6);
}

TEST(sender_limit, stands_still_when_time_runs_backwards) {
  sender_limit limit;
  slow_down(limit);
  EXPECT_EQ(limit.acquire(at(1)), 1s);
  EXPECT_EQ(limit.acquire(at(-3600)), 1s);
  limit.succeeded(at(-3600));
  limit.throttled(at(-7200));
  EXPECT_EQ(limit.acquire(at(1)), 1s);
  EXPECT_EQ(limit.acquire(at(2)), 0s);
}

TEST(sender_limit, stays_finite_at_the_ends_of_time) {
  sender_limit limit;
  limit.throttled(time_point::min());
  limit.succeeded(end_of_time);
  EXPECT_TRUE(std::isfinite(limit.fill_rate()));
  EXPECT_EQ(limit.acquire(end_of_time), 0s);
  EXPECT_GT(limit.acquire(end_of_time), 0s);
}

TEST(sender_limit, names_every_wrong_option_at_once) {
  EXPECT_TRUE(problems(sender_limit_options{}).empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const sender_limit_options wrong{
      .beta = 1, .scale = 0, .smoothing = nan, .time_bucket = 0s, .min_rate = -1, .min_capacity = 0.5};
  std::vector<std::string> fields;
  for (const problem& p : problems(wrong)) fields.emplace_back(p.field);
  EXPECT_EQ(fields, (std::vector<std::string>{"sender_limit.beta", "sender_limit.scale",
                                              "sender_limit.smoothing", "sender_limit.time_bucket",
                                              "sender_limit.min_rate", "sender_limit.min_capacity"}));
  EXPECT_THROW(sender_limit{wrong}, options_error);
}

TEST(sender_limit, lets_one_thread_go_for_each_token) {
  sender_limit limit;
  slow_down(limit);
  std::vector<int> gone(4, 0);
  std::vector<std::thread> threads;
  for (int& mine : gone)
    threads.emplace_back([&limit, &mine] {
      for (int i = 1; i <= 1000; ++i) mine += limit.acquire(at(i)) == 0s ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  // Half a token a second, over a thousand seconds; what flows while the bucket is full is lost.
  const int sum = gone[0] + gone[1] + gone[2] + gone[3];
  EXPECT_LE(sum, 500);
  EXPECT_GE(sum, 1);
}

}  // namespace
}  // namespace relent
