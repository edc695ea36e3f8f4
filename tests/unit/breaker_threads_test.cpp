// SPDX-License-Identifier: Apache-2.0
// The breaker under threads; the thread sanitizer watches.
#include "breaker_trial.hpp"

#include <relent/impl/breaker_window.ipp>

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::breaker;
using relent::breaker_options;
using relent::time_point;
using relent::test::breaker_trial;

constexpr int threads = 8;

template <class Work>
void on_all_threads(Work work) {
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back([&work, i] { work(i); });
}

TEST(breaker_threads, probes_in_flight_never_exceed_the_permitted_number) {
  constexpr std::uint32_t probes = 3;
  breaker_trial trial({.failures = 1, .probes = probes, .successes_to_close = 100'000});
  trial.play("F");
  trial.wait_until_half_open();
  std::atomic<std::uint32_t> in_flight{0};
  std::atomic<std::uint32_t> most{0};
  std::atomic<int> admitted{0};
  on_all_threads([&](int) {
    for (int i = 0; i < 20'000; ++i) {
      const auto permit = trial.breaker.admit(trial.now);
      if (!permit) continue;
      const std::uint32_t seen = in_flight.fetch_add(1) + 1;
      for (std::uint32_t known = most; seen > known && !most.compare_exchange_weak(known, seen);) {
      }
      admitted.fetch_add(1);
      std::this_thread::yield();
      in_flight.fetch_sub(1);
      trial.breaker.abandoned(*permit, trial.now);
    }
  });
  EXPECT_GT(admitted, 0);
  EXPECT_LE(most, probes);
  for (std::uint32_t i = 0; i < probes; ++i) EXPECT_TRUE(trial.ask()) << "a permit was lost";
  EXPECT_FALSE(trial.ask());
}

TEST(breaker_threads, the_ramp_is_never_ahead_of_the_successes) {
  for (int round = 0; round < 50; ++round) {
    breaker_trial trial({.failures = 1, .probes = 1, .successes_to_close = 100'000});
    trial.play("F");
    trial.wait_until_half_open();
    std::atomic<std::uint32_t> in_flight{0};
    std::atomic<std::uint32_t> successes{0};
    std::atomic<int> violations{0};
    on_all_threads([&](int) {
      for (int i = 0; i < 20; ++i) {
        const auto permit = trial.breaker.admit(trial.now);
        if (!permit) continue;
        const std::uint32_t seen = in_flight.fetch_add(1) + 1;
        const std::uint32_t reported = successes.load();  // read after: never less than at the admission
        if (reported < 4 && seen > 1U << reported) violations.fetch_add(1);
        std::this_thread::yield();
        successes.fetch_add(1);
        in_flight.fetch_sub(1);
        trial.breaker.succeeded(*permit, trial.now);
      }
    });
    EXPECT_EQ(violations, 0);
  }
}

TEST(breaker_threads, of_all_who_ask_at_the_end_of_the_open_time_exactly_the_permitted_number_is_admitted) {
  constexpr int rounds = 200;
  breaker_trial trial(
      {.failures = 1, .open_for = 1s, .open_for_jitter = 0, .open_for_multiplier = 1, .probes = 2});
  std::atomic<int> admitted{0};
  std::atomic<int> wrong{0};
  const auto next_round = [&]() noexcept {
    if (admitted.exchange(0) != 2) wrong.fetch_add(1);
    trial.breaker.force_open(trial.now, 1s);
    trial.now += 1s;
  };
  trial.breaker.force_open(trial.now, 0s);
  std::barrier round_ends(threads, next_round);
  on_all_threads([&](int) {
    for (int round = 0; round < rounds; ++round) {
      if (trial.ask()) admitted.fetch_add(1);
      round_ends.arrive_and_wait();
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(breaker_threads, the_window_loses_no_call) {
  relent::detail::rate_window<10> window(10s);
  on_all_threads([&](int thread) {
    for (int i = 0; i < 10'000; ++i) window.add(i % 4 == 0, time_point{(thread + i) % 10 * 1s});
  });
  const auto [calls, failures] = window.sum(time_point{9s});
  EXPECT_EQ(calls, 80'000U);
  EXPECT_EQ(failures, 20'000U);
}

TEST(breaker_threads, everything_at_once_leaves_a_breaker_that_works) {
  const breaker_options options{.failures = 4,
                                .of_last = 8,
                                .failure_ratio = 0.4,
                                .min_calls = 10,
                                .open_for = 1ms,
                                .max_open_for = 5ms,
                                .probe_timeout = 10ms};
  breaker shared(options);
  std::atomic<std::int64_t> micros{0};
  on_all_threads([&](int thread) {
    relent::random_stream luck(static_cast<std::uint64_t>(thread));
    for (int i = 0; i < 5'000; ++i) {
      const time_point now{std::chrono::microseconds{micros.fetch_add(10)}};
      const std::uint64_t dice = luck.next() % 64;
      if (dice == 0) shared.force_open(now, 1ms);
      if (dice == 1) shared.force_closed();
      if (dice == 2) shared.reconfigure(options);
      static_cast<void>(shared.admits_by(now));
      static_cast<void>(shared.current(now));
      static_cast<void>(shared.open_until());
      if (const auto permit = shared.admit(now)) {
        if (dice % 3 == 0) shared.failed(*permit, now, luck);
        if (dice % 3 == 1) shared.succeeded(*permit, now);
        if (dice % 3 == 2) shared.abandoned(*permit, now);
      }
    }
  });
  const time_point later{std::chrono::microseconds{micros.load()} + 1s};
  for (int i = 0; i < 3; ++i) shared.succeeded(shared.admit(later).value(), later);
  EXPECT_EQ(shared.current(later), breaker::state::closed);
  EXPECT_GT(shared.openings(), 0U);
}

}  // namespace
