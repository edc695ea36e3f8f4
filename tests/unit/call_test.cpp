// SPDX-License-Identifier: Apache-2.0
// What a dependency adds to a call: budget, breaker, refresh hook, counters, observers.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_operation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::fault_kind;
using relent::stop_reason;
using relent::testing::manual_clock;
using relent::testing::scripted_operation;
using relent::testing::succeeds;

constexpr relent::policy hundred_tries{
    {.max_attempts = 101, .deadline = std::nullopt, .backoff = {.base = std::chrono::milliseconds{0}}}};

struct dependency_call : ::testing::Test {
  manual_clock clock;
  scripted_operation down{relent::fault{.kind = fault_kind::unreachable}};
  scripted_operation up{succeeds};
};

TEST_F(dependency_call, the_budget_bounds_the_retries_of_all_calls_together) {
  relent::dependency service{
      {.policy = hundred_tries, .budget = relent::token_budget{.capacity = 2}, .clock = &clock}};
  relent::report report;
  service.call(std::ref(down), {.report = &report});
  EXPECT_EQ(down.calls(), 3);
  EXPECT_EQ(report.stop, stop_reason::budget);
  service.call(std::ref(down));
  EXPECT_EQ(down.calls(), 4) << "nothing was left";
  EXPECT_EQ(service.counters().stopped_for(stop_reason::budget), 2U);
}

TEST_F(dependency_call, a_ratio_budget_grants_its_reserve_and_counts_exhaustion_once) {
  relent::dependency service{
      {.policy = hundred_tries,
       .budget = relent::ratio_budget{.ratio = 0, .window = 20s, .min_retries = 0, .reserve = 20},
       .clock = &clock}};
  service.call(std::ref(down));
  EXPECT_EQ(service.counters().retries, 20U);
  EXPECT_EQ(service.budget().refusals(), 1U);
}

TEST_F(dependency_call, a_fault_that_is_not_retried_asks_the_budget_nothing) {
  relent::dependency service{{.policy = hundred_tries, .clock = &clock}};
  scripted_operation missing{relent::fault{.kind = fault_kind::rejected}};
  service.call(std::ref(missing));
  EXPECT_EQ(service.budget().refusals(), 0U);
  EXPECT_DOUBLE_EQ(service.budget().balance(clock.now()), 10);
}

TEST_F(dependency_call, two_dependencies_can_share_one_budget) {
  relent::budget shared{relent::token_budget{.capacity = 3}};
  relent::dependency search{{.policy = hundred_tries, .shared_budget = &shared, .clock = &clock}};
  relent::dependency prices{{.policy = hundred_tries, .shared_budget = &shared, .clock = &clock}};
  search.call(std::ref(down));
  prices.call(std::ref(down));
  EXPECT_EQ(search.counters().retries + prices.counters().retries, 3U);
}

TEST_F(dependency_call, an_open_breaker_refuses_the_call_before_its_first_attempt) {
  relent::dependency service{{.policy = relent::policy{{.max_attempts = 1}},
                              .breaker = {{.failures = 2, .open_for = 10s, .open_for_jitter = 0}},
                              .clock = &clock}};
  service.call(std::ref(down));
  service.call(std::ref(down));
  EXPECT_THROW(service.call(std::ref(down)), relent::refused);
  EXPECT_EQ(down.calls(), 2);
  clock.advance(10s);
  EXPECT_TRUE(service.call(std::ref(up)).has_value());
}

TEST_F(dependency_call, an_answer_that_is_no_success_still_proves_the_dependency_healthy) {
  relent::dependency service{
      {.policy = relent::policy{{.max_attempts = 1}}, .breaker = {{.failures = 2}}, .clock = &clock}};
  scripted_operation missing{relent::fault{.kind = fault_kind::rejected}};
  for (int i = 0; i < 100; ++i) service.call(std::ref(missing));
  EXPECT_EQ(service.breaker()->current(clock.now()), relent::breaker::state::closed);
}

TEST_F(dependency_call, the_refresh_hook_runs_once_and_costs_neither_attempt_nor_token) {
  int renewed = 0;
  relent::dependency service{
      {.budget = relent::token_budget{.capacity = 1}, .refresh = [&] { ++renewed; }, .clock = &clock}};
  scripted_operation expired{relent::fault{.kind = fault_kind::unauthenticated}, succeeds};
  std::vector<std::uint32_t> numbers;
  const auto result = service.call([&](relent::attempt attempt) {
    numbers.push_back(attempt.number());
    return expired();
  });
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(renewed, 1);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_DOUBLE_EQ(service.budget().balance(clock.now()), 1);
  EXPECT_TRUE(clock.waits().empty());
}

TEST_F(dependency_call, credentials_that_are_refused_again_are_not_renewed_again) {
  int renewed = 0;
  relent::dependency service{{.refresh = [&] { ++renewed; }, .clock = &clock}};
  scripted_operation expired{relent::fault{.kind = fault_kind::unauthenticated}};
  EXPECT_FALSE(service.call(std::ref(expired)).has_value());
  EXPECT_EQ(renewed, 1);
  EXPECT_EQ(expired.calls(), 2);
}

TEST_F(dependency_call, a_refresh_hook_that_fails_leaves_the_real_error) {
  relent::dependency service{
      {.refresh = []() -> void { throw std::runtime_error("no token server"); }, .clock = &clock}};
  scripted_operation expired{relent::fault{.kind = fault_kind::unauthenticated}};
  EXPECT_EQ(service.call(std::ref(expired)).error().kind, fault_kind::unauthenticated);
  EXPECT_EQ(expired.calls(), 1);
}

TEST_F(dependency_call, counts_on_which_attempt_calls_succeeded) {
  relent::dependency service{{.policy = hundred_tries, .clock = &clock}};
  service.call(std::ref(up));
  service.call(std::ref(up));
  scripted_operation third{relent::fault{.kind = fault_kind::timeout},
                           relent::fault{.kind = fault_kind::reset}, succeeds};
  service.call(std::ref(third));
  const relent::counter_values counted = service.counters();
  EXPECT_EQ(counted.first_try(), 2U);
  EXPECT_EQ(counted.succeeded_on[2], 1U);
  EXPECT_EQ(counted.retries, 2U);
  EXPECT_EQ(counted.faults_of(fault_kind::timeout), 1U);
  EXPECT_EQ(counted.calls(), 3U);
  EXPECT_EQ(counted.attempts(), 5U);
}

struct listener : relent::observer {
  std::vector<std::string> heard;
  void on_event(const relent::event& what) override {
    std::string line = std::string(what.dependency) + " ";
    switch (what.kind) {
      case relent::event_kind::attempt:
        line += "attempt " + std::to_string(what.attempt) +
                (what.fault ? " " + std::string(to_string(what.fault->kind)) : " ok");
        break;
      case relent::event_kind::retry:
        line += "retry in " + std::to_string(what.wait / 1ms) + "ms " + std::string(to_string(what.source));
        break;
      case relent::event_kind::held_back:
        line += "held back " + std::to_string(what.wait / 1ms) + "ms";
        break;
      case relent::event_kind::outcome: line += "outcome " + std::string(outcome_name(what)); break;
    }
    if (!what.error_text.empty()) line += " (" + std::string(what.error_text) + ")";
    heard.push_back(line);
  }
};

TEST_F(dependency_call, observers_hear_every_attempt_every_retry_and_one_outcome) {
  listener ears;
  relent::dependency service{
      {.name = "db",
       .policy = relent::policy{{.max_attempts = 2, .backoff = {.jitter = relent::jitter::none}}},
       .observers = {&ears},
       .clock = &clock}};
  service.call([] { return std::error_code{}; });
  service.call([] { return std::make_error_code(std::errc::connection_reset); });
  EXPECT_EQ(ears.heard, (std::vector<std::string>{
                            "db attempt 1 ok",
                            "db outcome first_try",
                            "db attempt 1 reset (Connection reset by peer)",
                            "db retry in 100ms backoff (Connection reset by peer)",
                            "db attempt 2 reset (Connection reset by peer)",
                            "db outcome attempts (Connection reset by peer)",
                        }));
}

TEST_F(dependency_call, an_observer_that_throws_breaks_nothing) {
  struct : relent::observer {
    void on_event(const relent::event&) override { throw std::runtime_error("observer"); }
  } rude;
  listener ears;
  relent::dependency service{{.observers = {&rude, &ears}, .clock = &clock}};
  EXPECT_EQ(service.call([] { return 3; }), 3);
  EXPECT_EQ(ears.heard.size(), 2U);
}

TEST_F(dependency_call, says_once_what_its_clients_exceptions_mean) {
  struct busy {};
  struct gone {};
  relent::dependency service{{.policy = hundred_tries, .clock = &clock, .classify = relent::retry_on<busy>}};
  int calls = 0;
  EXPECT_EQ(service.call([&] { return ++calls < 3 ? throw busy() : calls; }), 3);
  calls = 0;
  EXPECT_THROW(service.call([&] { ++calls < 3 ? throw gone() : void(); }), gone);
  service.call([&] { ++calls < 3 ? throw gone() : void(); }, {.classify = relent::retry_on<gone>});
  EXPECT_EQ(calls, 3) << "a call may say more";
}

TEST_F(dependency_call, a_throttled_dependency_slows_its_senders_down) {
  listener ears;
  relent::dependency service{{.policy = hundred_tries,
                              .budget = relent::budget::none(),
                              .sender_limit = relent::sender_limit_options{},
                              .observers = {&ears},
                              .clock = &clock}};
  scripted_operation throttling{relent::fault{.kind = fault_kind::rate_limited},
                                relent::fault{.kind = fault_kind::rate_limited}, succeeds};
  relent::report report;
  service.call(std::ref(throttling), {.report = &report});
  service.call(std::ref(up), {.report = &report});
  EXPECT_GT(report.waited, 0s) << "the rate was cut, so this first attempt had to wait";
  EXPECT_EQ(report.waited, clock.waits().back());
  EXPECT_TRUE(std::any_of(ears.heard.begin(), ears.heard.end(),
                          [](const std::string& line) { return line.starts_with(" held back"); }));
  EXPECT_EQ(service.counters().retries, 2U) << "being held back is no retry";
}

}  // namespace
