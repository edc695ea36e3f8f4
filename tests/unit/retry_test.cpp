// SPDX-License-Identifier: Apache-2.0
// What a caller of relent::retry relies on: results, exceptions, attempts, keys, wrapping.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_operation.hpp>
#include <relent/testing/scripted_random.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::fault_kind;
using relent::stop_reason;
using relent::testing::manual_clock;
using relent::testing::scripted_operation;
using relent::testing::scripted_random;
using relent::testing::succeeds;

constexpr relent::policy three_tries{{.max_attempts = 3, .backoff = {.jitter = relent::jitter::none}}};

struct db_busy : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct retry : ::testing::Test {
  manual_clock clock;
  relent::report report;
  relent::call_options options{.report = &report, .classify = relent::retry_on<db_busy>, .clock = &clock};
};

TEST_F(retry, returns_what_the_first_successful_attempt_returned) {
  int calls = 0;
  const auto text = relent::retry(
      three_tries, [&] { return ++calls < 3 ? throw db_busy("locked") : std::string("row"); }, options);
  EXPECT_EQ(text, "row");
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(clock.waits(), (std::vector<relent::duration>{100ms, 200ms}));
}

TEST_F(retry, needs_no_options_at_all) {
  EXPECT_EQ(relent::retry([] { return 42; }), 42);
}

TEST_F(retry, rethrows_the_very_exception_of_the_last_attempt) {
  const std::exception* thrown = nullptr;
  int calls = 0;
  try {
    relent::retry(
        three_tries,
        [&]() -> int {
          try {
            throw db_busy("try " + std::to_string(++calls));
          } catch (const db_busy& error) {
            thrown = &error;
            throw;
          }
        },
        options);
    FAIL() << "nothing was thrown";
  } catch (const db_busy& last) {
    EXPECT_EQ(&last, thrown);
    EXPECT_STREQ(last.what(), "try 3");
  }
  EXPECT_EQ(report.stop, stop_reason::attempts);
}

TEST_F(retry, throws_exceptions_of_any_type_unchanged) {
  EXPECT_THROW(relent::retry([]() -> int { throw 7; }, options), int);
  EXPECT_EQ(report.stop, stop_reason::permanent);
}

TEST_F(retry, does_not_repeat_an_exception_that_nobody_classified) {
  int calls = 0;
  EXPECT_THROW(relent::retry(
                   three_tries,
                   [&] {
                     ++calls;
                     throw std::logic_error("bug");
                   },
                   options),
               std::logic_error);
  EXPECT_EQ(calls, 1);
  EXPECT_NE(to_line(report).find("relent_fault"), std::string::npos);
}

TEST_F(retry, a_classifier_that_throws_has_said_nothing) {
  options.classify = [](const std::exception_ptr& exception) -> std::optional<relent::fault> {
    std::rethrow_exception(exception);
  };
  EXPECT_THROW(relent::retry(
                   three_tries, [] { throw db_busy("locked"); }, options),
               db_busy);
  EXPECT_EQ(report.stop, stop_reason::permanent);
}

TEST_F(retry, gives_back_the_last_failed_value_unchanged) {
  scripted_operation refusing{relent::fault{.kind = fault_kind::unreachable},
                              relent::fault{.kind = fault_kind::rejected}};
  const auto result = relent::retry(three_tries, std::ref(refusing), options);
  EXPECT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, fault_kind::rejected);
  EXPECT_EQ(refusing.calls(), 2);
}

TEST_F(retry, a_value_after_an_exception_is_the_result) {
  int calls = 0;
  EXPECT_EQ(relent::retry(
                three_tries,
                [&] {
                  if (++calls == 1) throw db_busy("locked");
                  return std::error_code{};
                },
                options),
            std::error_code{});
}

TEST_F(retry, an_exception_after_a_failed_value_is_the_result) {
  int calls = 0;
  EXPECT_THROW(relent::retry(
                   three_tries,
                   [&]() -> std::error_code {
                     if (++calls == 3) throw db_busy("locked");
                     return std::make_error_code(std::errc::connection_refused);
                   },
                   options),
               db_busy);
}

TEST_F(retry, carries_results_that_can_only_be_moved) {
  const auto result = relent::retry(
      three_tries, [] { return std::make_unique<int>(5); }, options);
  EXPECT_EQ(*result, 5);
}

TEST_F(retry, carries_references) {
  int there = 1;
  int& result = relent::retry(
      three_tries, [&]() -> int& { return there; }, options);
  EXPECT_EQ(&result, &there);
}

TEST_F(retry, runs_operations_that_return_nothing) {
  int calls = 0;
  relent::retry(
      three_tries,
      [&] {
        if (++calls < 2) throw db_busy("locked");
      },
      options);
  EXPECT_EQ(calls, 2);
}

TEST_F(retry, destroys_the_result_of_every_failed_attempt) {
  struct failing {
    std::shared_ptr<int> token;
    bool has_value() const { return false; }
    relent::fault error() const { return {.kind = fault_kind::unreachable}; }
  };
  const auto token = std::make_shared<int>();
  {
    const auto last = relent::retry(
        three_tries, [&] { return failing{token}; }, options);
    EXPECT_EQ(token.use_count(), 2) << "one here, one in the result";
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(retry, tells_the_operation_about_its_attempt) {
  std::vector<std::string> seen;
  relent::retry(
      relent::policy{{.max_attempts = 2,
                      .deadline = 10s,
                      .attempt_timeout = 4s,
                      .backoff = {.jitter = relent::jitter::none}}},
      [&](relent::attempt attempt) {
        seen.push_back(std::to_string(attempt.number()) + (attempt.is_retry() ? " again" : "") +
                       (attempt.previous_fault()
                            ? " after " + std::string(to_string(attempt.previous_fault()->kind))
                            : ""));
        EXPECT_EQ(attempt.time_left(), 4s);
        clock.advance(3s);
        EXPECT_EQ(attempt.time_left(), 1s);
        EXPECT_FALSE(attempt.stop().requested());
        return attempt.number() == 1 ? std::make_error_code(std::errc::timed_out) : std::error_code{};
      },
      options);
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "2 again after timeout"}));
}

TEST_F(retry, gives_an_attempt_no_more_than_what_is_left_of_the_deadline) {
  relent::retry(
      relent::policy{{.deadline = 10s, .attempt_timeout = 8s}},
      [&](relent::attempt attempt) {
        if (attempt.number() == 1) {
          clock.advance(5s);
          return std::make_error_code(std::errc::timed_out);
        }
        EXPECT_LE(attempt.time_left(), 5s);
        return std::error_code{};
      },
      options);
}

TEST_F(retry, an_attempt_without_deadline_has_all_the_time_there_is) {
  relent::retry(
      relent::policy{{.deadline = std::nullopt}},
      [](relent::attempt attempt) {
        EXPECT_EQ(attempt.time_left(), relent::max_duration);
        EXPECT_EQ(attempt.deadline(), relent::no_deadline);
      },
      options);
}

TEST_F(retry, a_deadline_of_the_call_tightens_that_of_the_policy) {
  options.deadline = 2s;
  relent::retry([](relent::attempt attempt) { EXPECT_EQ(attempt.time_left(), 2s); }, options);
  options.deadline = 2min;
  relent::retry([](relent::attempt attempt) { EXPECT_EQ(attempt.time_left(), 30s); }, options);
}

TEST_F(retry, the_idempotency_key_is_one_for_all_attempts_and_another_for_the_next_call) {
  std::vector<std::string> keys;
  const auto call = [&] {
    relent::retry(
        three_tries,
        [&](relent::attempt attempt) {
          keys.emplace_back(attempt.idempotency_key());
          if (!attempt.is_retry()) throw db_busy("locked");
        },
        options);
  };
  call();
  call();
  ASSERT_EQ(keys.size(), 4U);
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(keys[2], keys[3]);
  EXPECT_NE(keys[0], keys[2]);
  EXPECT_EQ(keys[0].size(), 36U);
}

TEST_F(retry, the_callers_own_key_is_used_as_it_is) {
  options.idempotency_key = "order-42";
  relent::retry([](relent::attempt attempt) { EXPECT_EQ(attempt.idempotency_key(), "order-42"); }, options);
}

TEST_F(retry, refuses_a_key_that_no_header_could_carry) {
  options.idempotency_key = "order 42";
  int calls = 0;
  EXPECT_THROW(relent::retry([&] { ++calls; }, options), std::invalid_argument);
  EXPECT_EQ(calls, 0);
}

TEST_F(retry, an_unsafe_operation_is_repeated_only_after_faults_without_effect) {
  options.repeat = relent::repeat::only_if_no_effect;
  scripted_operation charge{relent::fault{.kind = fault_kind::unreachable},
                            relent::fault{.kind = fault_kind::reset}};
  relent::retry(three_tries, std::ref(charge), options);
  EXPECT_EQ(charge.calls(), 2);
  EXPECT_EQ(report.stop, stop_reason::unsafe);
}

TEST_F(retry, asking_for_the_key_makes_an_unsafe_operation_repeatable) {
  options.repeat = relent::repeat::only_if_no_effect;
  int calls = 0;
  relent::retry(
      three_tries,
      [&](relent::attempt attempt) {
        ++calls;
        EXPECT_FALSE(attempt.idempotency_key().empty());
        return std::make_error_code(std::errc::connection_reset);
      },
      options);
  EXPECT_EQ(calls, 3);
}

TEST_F(retry, makes_no_attempt_once_cancelled) {
  std::stop_source source;
  source.request_stop();
  options.stop = source.get_token();
  int calls = 0;
  try {
    relent::retry([&] { ++calls; }, options);
    FAIL() << "nothing was thrown";
  } catch (const relent::refused& refusal) {
    EXPECT_EQ(refusal.reason(), stop_reason::cancelled);
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(to_line(report), "refused before the first attempt: the call was cancelled");
}

TEST_F(retry, makes_no_further_attempt_when_cancelled_during_one) {
  std::stop_source source;
  options.stop = source.get_token();
  scripted_operation busy{relent::fault{.kind = fault_kind::overloaded}};
  const auto result = relent::retry(
      three_tries,
      [&] {
        source.request_stop();
        return busy();
      },
      options);
  EXPECT_EQ(result.error().kind, fault_kind::overloaded) << "the real error is kept";
  EXPECT_EQ(report.stop, stop_reason::cancelled);
  EXPECT_TRUE(clock.waits().empty());
}

TEST_F(retry, a_success_is_a_success_even_when_cancelled_meanwhile) {
  std::stop_source source;
  options.stop = source.get_token();
  EXPECT_EQ(relent::retry(
                [&] {
                  source.request_stop();
                  return 1;
                },
                options),
            1);
}

TEST_F(retry, the_published_example_waits_1500_and_200_ms) {
  scripted_random random{0.5};
  options.random = &random;
  const relent::policy published{
      {.max_attempts = 5, .backoff = {.base = 200ms, .cap = 10s}, .server_delay_spread = 0}};
  scripted_operation service{relent::fault{.kind = fault_kind::overloaded, .server_delay = 1500ms},
                             relent::fault{.kind = fault_kind::overloaded}, succeeds};
  EXPECT_TRUE(relent::retry(published, std::ref(service), options).has_value());
  EXPECT_EQ(service.calls(), 3);
  EXPECT_EQ(clock.waits(), (std::vector<relent::duration>{1500ms, 200ms}));

  scripted_operation missing{relent::fault{.kind = fault_kind::rejected}};
  relent::retry(published, std::ref(missing), options);
  EXPECT_EQ(missing.calls(), 1);
}

TEST_F(retry, a_success_reads_the_clock_only_if_there_is_a_deadline) {
  options.report = nullptr;
  relent::retry(
      relent::policy{{.deadline = std::nullopt}}, [] {}, options);
  EXPECT_EQ(clock.reads(), 0U);
  relent::retry(
      relent::policy{{.deadline = 1s}}, [] {}, options);
  EXPECT_EQ(clock.reads(), 1U);
}

TEST_F(retry, draws_no_random_number_on_the_success_path) {
  scripted_random random{0.5};
  options.random = &random;
  relent::retry([] {}, options);
  EXPECT_EQ(random.used(), 0U);
}

TEST_F(retry, a_clock_that_never_moves_is_found_out_instead_of_looping_for_ever) {
  struct : relent::clock {
    relent::time_point now() noexcept override { return {}; }
    void wait_until(relent::time_point, const relent::stop_handle&) noexcept override {}
  } stuck;
  options.clock = &stuck;
  EXPECT_THROW(relent::retry(
                   three_tries, [] { throw db_busy("locked"); }, options),
               std::logic_error);
}

TEST_F(retry, wraps_a_function_into_one_of_the_same_signature) {
  int calls = 0;
  relent::dependency service{{.policy = three_tries, .clock = &clock}};
  auto wrapped = relent::retrying(service, [&](int a, const std::string& b, std::unique_ptr<int>& c) {
    if (++calls < 2) throw std::system_error(std::make_error_code(std::errc::connection_reset));
    return a / std::stoi(b) + *c;
  });
  auto one = std::make_unique<int>(1);
  EXPECT_EQ(wrapped(6, "3", one), 3);
  EXPECT_EQ(calls, 2);
}

TEST_F(retry, a_wrapped_function_owns_its_policy) {
  auto wrapped = relent::retrying(relent::policy{{.backoff = {.base = 0ms}}}, [](int& calls) {
    return std::make_error_code(++calls < 3 ? std::errc::timed_out : std::errc{});
  });
  int calls = 0;
  EXPECT_FALSE(wrapped(calls));
  EXPECT_EQ(calls, 3);
}

TEST_F(retry, max_attempts_1_never_retries) {
  scripted_operation busy{relent::fault{.kind = fault_kind::overloaded}};
  relent::retry(relent::policy{{.max_attempts = 1}}, std::ref(busy), options);
  EXPECT_EQ(busy.calls(), 1);
  EXPECT_EQ(report.stop, stop_reason::attempts);
}

}  // namespace
