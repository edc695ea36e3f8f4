// SPDX-License-Identifier: Apache-2.0
// A dependency that is reconfigured while threads call it: every call sees one policy from its first attempt to
// its end, and the budget's tokens are neither lost nor made. Short enough for the thread sanitizer.
#include <relent/dependency.hpp>
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::dependency;
using relent::dependency_options;
using relent::policy;

constexpr int thread_count = 3;
constexpr std::uint32_t least_turns = 200;
constexpr std::uint32_t calls_per_turn = 8;  // of each thread, at most
constexpr double capacity = 1e6;
constexpr std::uint32_t most_attempts = 9;

/// The policy of number n, all of whose rules say n: an attempt may take n hours, and there are n attempts.
policy of_number(std::uint32_t n) {
  return policy{{.max_attempts = n,
                 .deadline = relent::nullopt,
                 .attempt_timeout = std::chrono::hours{n},
                 .backoff = {.base = 0ns}}};
}

/// Fails each time, and remembers by which policies its attempts were made.
struct witness {
  relent::time_point start;
  std::uint32_t attempts = 0;
  std::uint32_t first_number = 0;
  bool mixed = false;

  int operator()(const relent::attempt& current) {
    const auto number = static_cast<std::uint32_t>((current.deadline() - start) / 1h);
    if (++attempts == 1) first_number = number;
    mixed = mixed || number != first_number;
    std::this_thread::yield();  // so that the other side has its turn within a call
    return 0;
  }
  bool saw_one_policy() const { return !mixed && attempts == first_number; }
};

/// A fault that is retried, and does not speak against the dependency's health.
struct always_aborted {
  relent::optional<relent::fault> operator()(int) const noexcept {
    return relent::fault{.kind = relent::fault_kind::aborted};
  }
};

/// Cancels the call of its thread, where there is one to cancel, when a retry was granted and paid for.
struct canceller final : relent::observer {
  static thread_local std::stop_source* of_this_thread;
  void on_event(const relent::event& what) override {
    if (what.kind == relent::event_kind::retry && of_this_thread != nullptr) of_this_thread->request_stop();
  }
};
thread_local std::stop_source* canceller::of_this_thread = nullptr;

/// What the threads saw.
struct totals {
  std::atomic<std::uint32_t> calls{0};
  std::atomic<int> mixed{0};
  std::atomic<std::uint32_t> numbers{0};  // bit n: a call went by policy n
  std::atomic<std::int64_t> retries{0};
};

void make_calls(dependency& service, relent::time_point start, const std::atomic<std::uint32_t>& turns,
                totals& sums) {
  for (std::uint32_t made = 0; turns.load() < least_turns;) {
    if (made >= calls_per_turn * (turns.load() + 1)) {
      std::this_thread::yield();  // the other side shall keep up
      continue;
    }
    witness seen{start};
    auto operation = relent::classified(std::ref(seen), always_aborted{});
    if (made++ % 4 == 3) {
      std::stop_source stop;
      canceller::of_this_thread = &stop;
      service.call(operation, {.stop = stop.get_token()});
      canceller::of_this_thread = nullptr;
      if (seen.mixed) sums.mixed.fetch_add(1);
    } else {
      service.call(operation);
      if (!seen.saw_one_policy()) sums.mixed.fetch_add(1);
    }
    sums.retries.fetch_add(seen.attempts - 1);
    sums.numbers.fetch_or(1U << seen.first_number);
    sums.calls.fetch_add(1);
  }
}

TEST(reconfigured_dependency_under_threads, shows_each_call_one_policy_and_keeps_the_tokens) {
  relent::testing::manual_clock clock;
  canceller cancels;
  // What alternates of the budget and the breaker is no rule that these faults meet.
  const auto options = [&](std::uint32_t n) {
    return dependency_options{
        .policy = of_number(n),
        .budget = relent::token_budget{.capacity = capacity, .success_credit = 0, .timeout_cost = 1.0 * n},
        .breaker = relent::breaker_options{
            .failures = n, .failure_ratio = 1, .window = std::chrono::seconds{10 * n}}};
  };
  dependency_options made = options(1);
  made.observers = {&cancels};
  made.clock = &clock;
  dependency service(made);

  totals sums;
  std::atomic<std::uint32_t> turns{0};
  std::atomic<int> running{thread_count};
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t)
    threads.emplace_back([&] {
      make_calls(service, clock.now(), turns, sums);
      running.fetch_sub(1);
    });
  for (; running.load() > 0; ++turns) {
    const std::uint32_t n = 1 + turns % most_attempts;
    if (turns % 2 == 0)
      service.reconfigure(of_number(n));
    else
      service.reconfigure(options(n));
    // Half of the calls that the threads may make by now: they come neither all before nor all after.
    while (sums.calls.load() < calls_per_turn * thread_count / 2 * (turns.load() + 1) && running.load() > 0)
      std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(sums.mixed.load(), 0);
  EXPECT_NE(sums.numbers.load() & (sums.numbers.load() - 1), 0U) << "all calls went by the same policy";
  EXPECT_GT(service.counters().stopped_for(relent::stop_reason::cancelled), 0U) << "none was given back";
  EXPECT_EQ(service.counters().retries, static_cast<std::uint64_t>(sums.retries.load()));
  EXPECT_DOUBLE_EQ(service.budget().balance(clock.now()),
                   capacity - static_cast<double>(sums.retries.load()));
}

TEST(reconfigured_dependency_under_threads, follows_one_of_the_wishes_that_came_together_whole) {
  const auto options = [](std::uint32_t n) {
    return dependency_options{.policy = of_number(n), .budget = relent::token_budget{.capacity = 10.0 * n}};
  };
  for (int round = 0; round < 200; ++round) {
    dependency service(options(1));
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (std::uint32_t n = 2; n < 4; ++n)
      threads.emplace_back([&, n] {
        ready.fetch_add(1);
        while (ready.load() < 2) std::this_thread::yield();
        service.reconfigure(options(n));
      });
    for (std::thread& thread : threads) thread.join();
    const std::uint32_t won = service.policy()->max_attempts;
    EXPECT_DOUBLE_EQ(service.budget().balance({}), 10.0 * won);
  }
}

}  // namespace
