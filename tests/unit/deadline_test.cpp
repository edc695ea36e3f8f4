// SPDX-License-Identifier: Apache-2.0
// How deadlines combine, and what still fits before them.
#include <relent/deadline.hpp>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using relent::attempt_deadline;
using relent::deadline_from;
using relent::duration;
using relent::fits_before;
using relent::no_deadline;
using relent::time_point;

constexpr time_point at(duration since_origin) { return time_point{since_origin}; }
constexpr time_point now = at(1000s);

TEST(deadline, lies_its_length_from_now) { EXPECT_EQ(deadline_from(now, 5s, no_deadline), at(1005s)); }

TEST(deadline, of_a_call_without_one_is_the_outer_one) {
  EXPECT_EQ(deadline_from(now, {}, no_deadline), no_deadline);
  EXPECT_EQ(deadline_from(now, {}, at(1003s)), at(1003s));
}

TEST(deadline, never_lies_after_the_outer_one) {
  EXPECT_EQ(deadline_from(now, 5s, at(1003s)), at(1003s));
  EXPECT_EQ(deadline_from(now, 2s, at(1003s)), at(1002s));
  EXPECT_EQ(deadline_from(now, 5s, at(990s)), at(990s)) << "an outer one that has passed stays passed";
}

TEST(deadline, nests_to_the_earliest_of_all) {
  const time_point outer = deadline_from(now, 10s, no_deadline);
  const time_point middle = deadline_from(now + 1s, 3s, outer);
  const time_point inner = deadline_from(now + 2s, 30s, middle);
  EXPECT_EQ(inner, at(1004s));
}

TEST(deadline, beyond_the_end_of_time_is_none) {
  EXPECT_EQ(deadline_from(now, relent::max_duration, no_deadline), no_deadline);
}

TEST(deadline, is_far_enough_for_an_attempt_with_the_least_time_left) {
  EXPECT_TRUE(fits_before(at(1005s), at(1004s), 1s));
  EXPECT_FALSE(fits_before(at(1005s), at(1004s), 1s + 1ns));
  EXPECT_TRUE(fits_before(at(1005s), at(1005s) - 1ns, 0s));
}

TEST(deadline, leaves_no_room_at_or_after_itself) {
  EXPECT_FALSE(fits_before(at(1005s), at(1005s), 0s));
  EXPECT_FALSE(fits_before(at(1005s), at(1006s), 0s));
}

TEST(deadline, that_is_none_has_room_for_everything) {
  EXPECT_TRUE(fits_before(no_deadline, now, relent::max_duration));
  EXPECT_TRUE(fits_before(no_deadline, no_deadline, 1s));
}

TEST(deadline, of_an_attempt_is_its_timeout_or_what_is_left) {
  EXPECT_EQ(attempt_deadline(at(1005s), now, 2s), at(1002s));
  EXPECT_EQ(attempt_deadline(at(1005s), at(1004s), 2s), at(1005s));
  EXPECT_EQ(attempt_deadline(at(1005s), now, {}), at(1005s));
  EXPECT_EQ(attempt_deadline(no_deadline, now, 2s), at(1002s));
  EXPECT_EQ(attempt_deadline(no_deadline, now, {}), no_deadline);
}

}  // namespace
