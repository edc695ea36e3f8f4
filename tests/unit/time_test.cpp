// SPDX-License-Identifier: Apache-2.0
// Arithmetic on instants and lengths at the ends of their ranges. Laws: tests/law/time_law.cpp.
#include <relent/time.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace std::chrono_literals;
using relent::duration;
using relent::end_of_time;
using relent::max_duration;
using relent::saturate;
using relent::saturating_add;
using relent::time_between;
using relent::time_point;

constexpr time_point beginning_of_time = time_point::min();
constexpr time_point at(duration since_origin) { return time_point{since_origin}; }

TEST(time, adds_lengths_and_stops_at_the_longest) {
  EXPECT_EQ(saturating_add(2s, 3ms), 2003ms);
  EXPECT_EQ(saturating_add(max_duration, 0ns), max_duration);
  EXPECT_EQ(saturating_add(max_duration - 1ns, 1ns), max_duration);
  EXPECT_EQ(saturating_add(max_duration, 1ns), max_duration);
  EXPECT_EQ(saturating_add(max_duration, max_duration), max_duration);
}

TEST(time, adds_a_length_to_an_instant_and_stops_at_the_end_of_time) {
  EXPECT_EQ(saturating_add(at(2s), 3ms), at(2003ms));
  EXPECT_EQ(saturating_add(at(-2s), 3s), at(1s));
  EXPECT_EQ(saturating_add(end_of_time - 1ns, 1ns), end_of_time);
  EXPECT_EQ(saturating_add(end_of_time - 1ns, 2ns), end_of_time);
  EXPECT_EQ(saturating_add(end_of_time, max_duration), end_of_time);
  EXPECT_EQ(saturating_add(at(0ns), max_duration), end_of_time);
  EXPECT_EQ(saturating_add(at(1ns), max_duration), end_of_time);
}

TEST(time, adds_to_the_first_instant_without_overflow) {
  EXPECT_EQ(saturating_add(beginning_of_time, 0ns), beginning_of_time);
  EXPECT_EQ(saturating_add(beginning_of_time, max_duration), at(-1ns));
}

TEST(time, is_never_negative_between_two_instants) {
  EXPECT_EQ(time_between(at(5s), at(7s)), 2s);
  EXPECT_EQ(time_between(at(7s), at(5s)), 0ns);
  EXPECT_EQ(time_between(at(7s), at(7s)), 0ns);
  EXPECT_EQ(time_between(end_of_time, beginning_of_time), 0ns);
}

TEST(time, between_two_instants_is_at_most_the_longest_length) {
  EXPECT_EQ(time_between(beginning_of_time, end_of_time), max_duration);
  EXPECT_EQ(time_between(at(-1ns), end_of_time), max_duration);
  EXPECT_EQ(time_between(at(0ns), end_of_time), max_duration);
  EXPECT_EQ(time_between(at(1ns), end_of_time), max_duration - 1ns);
  EXPECT_EQ(time_between(beginning_of_time, at(-2ns)), max_duration - 1ns);
}

TEST(time, turns_floating_point_into_a_length_between_zero_and_the_longest) {
  using limits = std::numeric_limits<double>;
  EXPECT_EQ(saturate(1.5e9), 1500ms);
  EXPECT_EQ(saturate(0.999), 0ns);
  EXPECT_EQ(saturate(-1), 0ns);
  EXPECT_EQ(saturate(-limits::infinity()), 0ns);
  EXPECT_EQ(saturate(limits::quiet_NaN()), 0ns);
  EXPECT_EQ(saturate(limits::infinity()), max_duration);
  EXPECT_EQ(saturate(limits::max()), max_duration);
  EXPECT_EQ(saturate(0x1p63), max_duration);
  EXPECT_EQ(saturate(0x1.fffffffffffffp62), duration{9223372036854774784});
}

static_assert(saturating_add(at(1s), max_duration) == end_of_time, "usable in constants");

}  // namespace
