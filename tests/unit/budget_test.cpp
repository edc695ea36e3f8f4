// SPDX-License-Identifier: Apache-2.0
// Options, and what the token and the throttle budget grant, refuse and give back, one thread at a time. The
// ratio budget is in ratio_budget_test.cpp, the quotas of the AWS SDKs in aws_budget_test.cpp, threads in
// budget_threads_test.cpp, laws in law/budget_law.cpp.
#include <relent/budget.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace relent {
namespace {

using namespace std::chrono_literals;

constexpr time_point start{100s};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

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

std::vector<std::string> fields(const budget_options& options) {
  std::vector<std::string> names;
  for (const problem& p : problems(options)) names.emplace_back(p.field);
  return names;
}

// Options

static_assert(budget_options{} == budget_options{token_budget{}});
static_assert(budget_options{}.kind() == budget_kind::token);
static_assert(budget_options{ratio_budget{}}.kind() == budget_kind::ratio);
static_assert(budget_options{throttle_budget{}}.kind() == budget_kind::throttle);
static_assert(budget::none().kind() == budget_kind::none);
static_assert(budget::none() != budget_options{});
static_assert(budget_options{token_budget{.capacity = 5}} != budget_options{});
static_assert(budget_options{ratio_budget{.reserve = 1}} != budget_options{ratio_budget{}});
TEST(budget, the_defaults_and_the_presets_have_no_problems) {
  for (const budget_options& options :
       {budget_options{}, budget_options{token_budget::aws_standard()},
        budget_options{token_budget::aws_2026()}, budget_options{ratio_budget{}},
        budget_options{throttle_budget{}}, budget::none()})
    EXPECT_TRUE(problems(options).empty());
}

TEST(budget, names_every_wrong_option_at_once) {
  using names = std::vector<std::string>;
  EXPECT_EQ(fields(token_budget{.capacity = 0, .success_credit = -1, .retry_cost = nan}),
            (names{"budget.capacity", "budget.success_credit", "budget.retry_cost"}));
  EXPECT_EQ(fields(token_budget{.timeout_cost = 0.0, .rate_limited_cost = infinity}),
            (names{"budget.timeout_cost", "budget.rate_limited_cost"}));
  EXPECT_EQ(fields(throttle_budget{.capacity = 1000.001, .success_credit = 0.0009}),
            (names{"budget.capacity", "budget.success_credit"}));
  EXPECT_EQ(fields(ratio_budget{.ratio = nan}), names{"budget.ratio"});
}

TEST(budget, takes_a_window_from_one_second_to_sixty_and_no_negative_ratio) {  // F1
  for (const duration window : {0s, 61s, -1s}) EXPECT_FALSE(problems(ratio_budget{.window = window}).empty());
  for (const duration window : {1s, 60s}) EXPECT_TRUE(problems(ratio_budget{.window = window}).empty());
  EXPECT_FALSE(problems(ratio_budget{.ratio = -1}).empty());
  EXPECT_TRUE(problems(ratio_budget{.ratio = 2}).empty());
}

TEST(budget, is_not_made_from_wrong_options) {
  try {
    const budget wrong(ratio_budget{.ratio = -1, .window = 61s});
    FAIL() << "made";
  } catch (const options_error& error) {
    EXPECT_STREQ(error.what(),
                 "budget.ratio must be 0 or from 0.000001 to 1000; budget.window must be from 1s to 60s");
  }
}

TEST(budget, reads_time_only_if_it_is_of_the_ratio_kind) {
  EXPECT_TRUE(budget(ratio_budget{}).reads_time());
  EXPECT_FALSE(budget(token_budget{}).reads_time());
  EXPECT_FALSE(budget(throttle_budget{}).reads_time());
  EXPECT_FALSE(budget(budget::none()).reads_time());
}

// None

TEST(budget, none_grants_every_retry_and_counts_nothing) {  // F3, ours
  budget b(budget::none());
  b.failed(start);
  EXPECT_EQ(grants(b, 1000), 1000);
  EXPECT_EQ(b.balance(start), infinity);
  EXPECT_EQ(b.refusals(), 0U);
}

// Token

TEST(token_budget, grants_ten_retries_and_refuses_the_eleventh_by_default) {
  budget b;
  EXPECT_EQ(grants(b, 11), 10);
  EXPECT_EQ(b.refusals(), 1U);
  EXPECT_EQ(b.balance(start), 0);
}

TEST(token_budget, grants_one_more_retry_after_ten_successes) {
  budget b;
  grants(b, 10);
  for (int i = 0; i < 9; ++i) b.succeeded(start);
  EXPECT_FALSE(take(b));
  b.succeeded_after_retry(fault_kind::reset, start);
  EXPECT_TRUE(take(b));
  EXPECT_FALSE(take(b));
}

TEST(token_budget, refuses_the_retry_that_would_overdraw_and_changes_nothing) {
  budget b(token_budget{.capacity = 2.5});
  EXPECT_EQ(grants(b, 3), 2);
  EXPECT_EQ(b.balance(start), 0.5);
}

TEST(token_budget, never_rises_above_its_capacity) {
  budget b(token_budget{.capacity = 1, .success_credit = 0.3});
  b.succeeded(start);
  EXPECT_EQ(b.balance(start), 1);
  take(b);
  for (int i = 0; i < 4; ++i) b.succeeded(start);
  EXPECT_EQ(b.balance(start), 1);
}

TEST(token_budget, ignores_requests_and_failures) {
  budget b;
  b.requested(start);
  b.failed(start);
  EXPECT_EQ(b.balance(start), 10);
}

TEST(token_budget, gives_back_what_a_retry_that_never_started_has_cost) {
  budget b(token_budget{.timeout_cost = 4, .rate_limited_cost = 2});
  for (const fault_kind kind : {fault_kind::timeout, fault_kind::rate_limited, fault_kind::overloaded,
                                fault_kind::reset, fault_kind::server_error}) {
    EXPECT_TRUE(b.try_take(kind, start));
    EXPECT_LT(b.balance(start), 10);
    b.give_back(kind, start);
    EXPECT_EQ(b.balance(start), 10);
  }
}

TEST(token_budget, rounds_a_credit_down_and_a_cost_up_to_thousandths) {
  budget b(token_budget{.capacity = 10, .success_credit = 1.0 / 3, .retry_cost = 1.0 / 3});
  EXPECT_EQ(grants(b, 100), 29);  // 10 / 0.334
  EXPECT_NEAR(b.balance(start), 0.314, 1e-9);
  b.succeeded(start);
  EXPECT_NEAR(b.balance(start), 0.647, 1e-9);
}

TEST(token_budget, counts_a_decimal_fraction_exactly_where_binary_has_none) {
  budget b(token_budget{.capacity = 0.3, .success_credit = 0.001, .retry_cost = 0.1});
  EXPECT_EQ(grants(b, 4), 3);
  for (int i = 0; i < 100; ++i) b.succeeded(start);
  EXPECT_EQ(grants(b, 2), 1);
}

// Throttle (gRFC A6)

/// A failed attempt whose retry is asked for, in the engine's order.
bool fail_and_ask(budget& b) {
  b.failed(start);
  return take(b);
}

TEST(throttle_budget, charges_four_failures_and_stops_the_fifth_at_half) {
  budget b(throttle_budget{});
  for (const double left : {9, 8, 7, 6}) {
    EXPECT_TRUE(fail_and_ask(b));
    EXPECT_EQ(b.balance(start), left);
  }
  EXPECT_FALSE(fail_and_ask(b));
  EXPECT_EQ(b.balance(start), 5);
  EXPECT_EQ(b.refusals(), 1U);
}

/// How many successes it takes from `level` of ten tokens until the next failure is retried.
int successes_needed_from(int level) {
  for (int successes = 0;; ++successes) {
    budget b(throttle_budget{});
    for (int i = level; i < 10; ++i) b.failed(start);
    for (int i = 0; i < successes; ++i) b.succeeded(start);
    if (fail_and_ask(b)) return successes;
  }
}

TEST(throttle_budget, needs_eleven_successes_from_half_and_sixty_one_from_empty) {
  EXPECT_EQ(successes_needed_from(5), 11);
  EXPECT_EQ(successes_needed_from(0), 61);
}

TEST(throttle_budget, never_falls_below_zero) {
  budget b(throttle_budget{.capacity = 1.5});
  b.failed(start);
  b.failed(start);
  EXPECT_EQ(b.balance(start), 0);
}

TEST(throttle_budget, ignores_digits_of_the_credit_after_the_third_decimal) {
  budget b(throttle_budget{.success_credit = 0.5466});
  b.failed(start);
  b.succeeded_after_retry(fault_kind::reset, start);
  EXPECT_NEAR(b.balance(start), 9.546, 1e-9);
}

TEST(throttle_budget, neither_takes_for_a_retry_nor_gives_back_for_one) {
  budget b(throttle_budget{});
  EXPECT_EQ(grants(b, 100), 100);
  b.failed(start);
  b.give_back(fault_kind::reset, start);
  EXPECT_EQ(b.balance(start), 9);
}

TEST(throttle_budget, follows_grpc_through_twelve_calls_to_a_flaky_server) {
  // Ten tokens, half a token for a success, four attempts; the server answers these requests and fails the others.
  const auto answers = [](int n) {
    return n == 0 || n == 3 || n == 6 || (n >= 10 && n <= 14) || n == 16 || n == 18;
  };
  struct outcome {
    bool ok;
    int last_request;
    double tokens;
  };
  const outcome expected[] = {{true, 0, 10}, {true, 3, 8.5},  {true, 6, 7},  {false, 8, 5},
                              {false, 9, 4}, {true, 10, 4.5}, {true, 11, 5}, {true, 12, 5.5},
                              {true, 13, 6}, {true, 14, 6.5}, {true, 16, 6}, {false, 17, 5}};
  budget b(throttle_budget{.success_credit = 0.5});
  int next_request = 0;
  for (const outcome& call : expected) {
    int attempt = 1;
    bool ok = answers(next_request++);
    while (!ok && (b.failed(start), attempt < 4) && take(b)) {
      ++attempt;
      ok = answers(next_request++);
    }
    if (ok) attempt == 1 ? b.succeeded(start) : b.succeeded_after_retry(fault_kind::unreachable, start);
    EXPECT_EQ(ok, call.ok);
    EXPECT_EQ(next_request - 1, call.last_request);
    EXPECT_NEAR(b.balance(start), call.tokens, 1e-9) << call.last_request;
  }
}

// Reconfiguring

TEST(budget, keeps_the_filled_fraction_when_it_is_reconfigured) {
  budget b(token_budget{.capacity = 100});
  grants(b, 25);
  b.reconfigure(token_budget{.capacity = 10, .success_credit = 2, .retry_cost = 5});
  EXPECT_EQ(b.balance(start), 7.5);
  EXPECT_TRUE(take(b));
  EXPECT_EQ(b.balance(start), 2.5);
  b.succeeded(start);
  EXPECT_EQ(b.balance(start), 4.5);
}

TEST(budget, stays_full_or_empty_when_it_is_reconfigured) {
  budget b(throttle_budget{.capacity = 3});
  b.reconfigure(throttle_budget{.capacity = 1000});
  EXPECT_EQ(b.balance(start), 1000);
  for (int i = 0; i < 1000; ++i) b.failed(start);
  b.reconfigure(throttle_budget{.capacity = 7});
  EXPECT_EQ(b.balance(start), 0);
}

TEST(budget, applies_a_new_ratio_to_what_the_window_holds) {
  budget b(ratio_budget{});
  request(b, 100);
  EXPECT_EQ(grants(b, 20), 10);
  b.reconfigure(ratio_budget{.ratio = 0.2, .reserve = 1});
  EXPECT_EQ(b.balance(start), 11);
  b.reconfigure(ratio_budget{.ratio = 0});
  EXPECT_EQ(b.balance(start), 0);
}

TEST(budget, refuses_to_become_another_kind_or_to_take_wrong_options) {
  budget b(token_budget{});
  grants(b, 4);
  EXPECT_THROW(b.reconfigure(ratio_budget{}), options_error);
  EXPECT_THROW(b.reconfigure(budget::none()), options_error);
  EXPECT_THROW(b.reconfigure(token_budget{.capacity = -1}), options_error);
  EXPECT_EQ(b.balance(start), 6);
  budget unlimited(budget::none());
  EXPECT_THROW(unlimited.reconfigure(token_budget{}), options_error);
  EXPECT_NO_THROW(unlimited.reconfigure(budget::none()));
}

TEST(budget, refuses_another_window) {
  budget b(ratio_budget{.window = 10s + 3ns});
  EXPECT_NO_THROW(b.reconfigure(ratio_budget{.window = 10s + 3ns}));
  EXPECT_THROW(b.reconfigure(ratio_budget{.window = 20s}), options_error);
}

}  // namespace
}  // namespace relent
