// SPDX-License-Identifier: Apache-2.0
// The steady clock of the system: the only tests that wait in real time, as briefly as they can.
#include <relent/retry.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

namespace {

using namespace std::chrono_literals;
using relent::stop_handle;
using relent::time_point;

time_point now() { return relent::steady_clock().now(); }

TEST(real_time_clock, runs_with_the_steady_clock_of_the_standard_library) {
  const auto before = std::chrono::steady_clock::now().time_since_epoch();
  const auto between = now().time_since_epoch();
  const auto after = std::chrono::steady_clock::now().time_since_epoch();
  EXPECT_LE(before, between);
  EXPECT_LE(between, after);
}

TEST(real_time_clock, reads_the_calendar_for_identifiers) {
  const auto before = std::chrono::system_clock::now();
  const auto between = relent::steady_clock().wall_now();
  EXPECT_LE(before - 1s, between);
  EXPECT_GE(before + 1min, between);
}

TEST(real_time_clock, returns_at_once_for_an_instant_that_has_passed) {
  const time_point start = now();
  relent::steady_clock().wait_until(start - 1h, {});
  relent::steady_clock().wait_until(start, {});
  relent::steady_clock().wait_until(start - 1h, std::stop_source().get_token());
  relent::steady_clock().wait_until(time_point::min(), {});
  EXPECT_LT(now() - start, 1s);
}

TEST(real_time_clock, waits_to_the_end_and_not_much_longer) {
  const std::stop_source never;
  for (const stop_handle& stop :
       {stop_handle(), stop_handle(never.get_token()), stop_handle(std::stop_token())}) {
    const time_point end = now() + 5ms;
    while (now() < end) relent::steady_clock().wait_until(end, stop);
    EXPECT_GE(now(), end);
    EXPECT_LT(now(), end + 1s);
  }
}

TEST(real_time_clock, returns_at_once_if_stop_was_requested_before) {
  std::stop_source source;
  source.request_stop();
  const time_point start = now();
  relent::steady_clock().wait_until(start + 1h, source.get_token());
  EXPECT_LT(now() - start, 1s);
}

// The thread may or may not have begun to wait when the stop comes; either way it has to return at once.
relent::duration from_stop_to_return() {
  std::stop_source source;
  std::atomic<bool> started{false};
  time_point returned;
  std::thread waiting([&] {
    started = true;
    started.notify_one();
    relent::steady_clock().wait_until(now() + 1h, source.get_token());
    returned = now();
  });
  started.wait(false);
  std::this_thread::yield();
  const time_point requested = now();
  source.request_stop();
  waiting.join();
  return returned - requested;
}

TEST(real_time_clock, is_woken_by_a_stop_within_two_milliseconds) {
  std::array<relent::duration, 21> took{};
  for (relent::duration& one : took) one = from_stop_to_return();
  std::sort(took.begin(), took.end());
  EXPECT_LT(took[took.size() / 2], 2ms) << "the slowest took " << took.back().count() << " ns";
}

TEST(real_time_clock, lets_a_call_end_while_it_waits_for_its_retry) {
  std::stop_source source;
  std::thread stopper;
  const relent::policy slow{
      {.deadline = std::nullopt, .backoff = {.base = 1h, .cap = 1h, .jitter = relent::jitter::none}}};
  time_point requested;
  const std::error_code got = relent::retry(
      slow,
      [&] {
        stopper = std::thread([&] {
          requested = now();
          source.request_stop();
        });
        return std::make_error_code(std::errc::connection_refused);
      },
      relent::call_options{.stop = source.get_token()});
  const time_point returned = now();
  stopper.join();
  EXPECT_EQ(got, std::errc::connection_refused) << "the last error, not the stop";
  EXPECT_LT(returned - requested, 1s);
}

}  // namespace
