// SPDX-License-Identifier: Apache-2.0
// The counters of a dependency: exact under threads, with a histogram of the attempt that succeeded.
#include <relent/counters.hpp>

#include <gtest/gtest.h>

#include <latch>
#include <limits>
#include <thread>
#include <vector>

namespace {

using relent::counter_values;
using relent::counters;
using relent::fault_kind;
using relent::stop_reason;

TEST(counters, begin_at_zero) {
  const counter_values values = counters().read();
  EXPECT_EQ(values.calls(), 0U);
  EXPECT_EQ(values.attempts(), 0U);
  EXPECT_EQ(values.retries, 0U);
}

TEST(counters, count_the_attempt_on_which_calls_succeeded) {
  counters counting;
  for (int i = 0; i < 3; ++i) counting.succeeded(1);
  counting.succeeded(2);
  counting.succeeded(15);
  const counter_values values = counting.read();
  EXPECT_EQ(values.first_try(), 3U);
  EXPECT_EQ(values.after_retry(), 2U);
  EXPECT_EQ(values.succeeded_on[1], 1U);
  EXPECT_EQ(values.succeeded_on[14], 1U);
  EXPECT_EQ(values.succeeded_on[15], 0U);
  EXPECT_EQ(values.calls(), 5U);
}

TEST(counters, put_all_late_successes_into_the_last_entry) {
  counters counting;
  counting.succeeded(16);
  counting.succeeded(17);
  counting.succeeded(std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(counting.read().succeeded_on[15], 3U);
  EXPECT_EQ(counting.read().after_retry(), 3U);
}

TEST(counters, count_each_stop_reason_by_itself) {
  counters counting;
  for (int i = 0; i < relent::stop_reason_count; ++i)
    for (int n = 0; n <= i; ++n) counting.stopped(static_cast<stop_reason>(i));
  const counter_values values = counting.read();
  for (int i = 0; i < relent::stop_reason_count; ++i)
    EXPECT_EQ(values.stopped_for(static_cast<stop_reason>(i)), static_cast<std::uint64_t>(i + 1));
  EXPECT_EQ(values.calls(), 66U);
  EXPECT_EQ(values.attempts(), 0U) << "a refused call makes none";
}

TEST(counters, count_each_fault_kind_by_itself) {
  counters counting;
  for (int i = 0; i < relent::fault_kind_count; ++i)
    for (int n = 0; n <= i; ++n) counting.attempt_failed(static_cast<fault_kind>(i));
  const counter_values values = counting.read();
  for (int i = 0; i < relent::fault_kind_count; ++i)
    EXPECT_EQ(values.faults_of(static_cast<fault_kind>(i)), static_cast<std::uint64_t>(i + 1));
  EXPECT_EQ(values.attempts(), 105U);
  EXPECT_EQ(values.calls(), 0U) << "a failed attempt is not the end of a call";
}

TEST(counters, add_up_to_attempts_and_calls) {
  counters counting;
  counting.attempt_failed(fault_kind::timeout);
  counting.retried();
  counting.succeeded(2);
  counting.attempt_failed(fault_kind::rejected);
  counting.stopped(stop_reason::permanent);
  const counter_values values = counting.read();
  EXPECT_EQ(values.calls(), 2U);
  EXPECT_EQ(values.attempts(), 3U);
  EXPECT_EQ(values.retries, 1U);
}

TEST(counters, of_two_dependencies_are_apart) {
  counters one;
  counters other;
  one.succeeded(1);
  EXPECT_EQ(one.read().calls(), 1U);
  EXPECT_EQ(other.read().calls(), 0U);
}

TEST(counters, are_exact_under_more_threads_than_stripes_and_readable_all_the_while) {
  constexpr std::size_t threads = 20;
  constexpr std::uint64_t rounds = 10'000;
  counters counting;
  std::latch start(threads);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t)
    running.emplace_back([&] {
      start.arrive_and_wait();
      for (std::uint64_t i = 0; i < rounds; ++i) {
        counting.succeeded(static_cast<std::uint32_t>(i % 20 + 1));
        counting.attempt_failed(fault_kind::timeout);
        counting.retried();
        counting.stopped(stop_reason::budget);
      }
    });
  std::uint64_t last = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t now = counting.read().retries;
    EXPECT_GE(now, last) << "a count never goes back";
    last = now;
  }
  for (std::thread& one : running) one.join();
  const counter_values values = counting.read();
  EXPECT_EQ(values.first_try(), threads * rounds / 20);
  EXPECT_EQ(values.after_retry(), threads * rounds / 20 * 19);
  EXPECT_EQ(values.succeeded_on[15], threads * rounds / 20 * 5);
  EXPECT_EQ(values.faults_of(fault_kind::timeout), threads * rounds);
  EXPECT_EQ(values.stopped_for(stop_reason::budget), threads * rounds);
  EXPECT_EQ(values.retries, threads * rounds);
}

}  // namespace
