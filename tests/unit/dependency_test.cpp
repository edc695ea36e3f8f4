// SPDX-License-Identifier: Apache-2.0
// Making a dependency, and the parts of its options. How its calls run: call_test.cpp.
#include <relent/dependency.hpp>
#include <relent/retry.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace {

using namespace std::chrono_literals;
using relent::dependency;
using relent::dependency_options;
using relent::observer_list;
using relent::refresh_hook;

struct silent : relent::observer {
  void on_event(const relent::event&) override {}
};

std::string what(const dependency_options& options) {
  try {
    const dependency made(options);
    return "";
  } catch (const relent::options_error& error) {
    return error.what();
  }
}

static_assert(!std::is_copy_constructible_v<dependency> && !std::is_move_constructible_v<dependency>,
              "calls refer to it");

TEST(dependency, has_a_budget_and_no_breaker_unless_told_otherwise) {
  dependency plain;
  EXPECT_EQ(plain.name(), "");
  EXPECT_EQ(plain.policy(), relent::default_policy);
  EXPECT_EQ(plain.breaker(), nullptr);
  EXPECT_EQ(plain.counters().calls(), 0U);
  EXPECT_TRUE(plain.observers().empty());
  EXPECT_FALSE(plain.refresh());
  ASSERT_NE(plain.shared().budget, nullptr);
  EXPECT_EQ(plain.shared().budget, &plain.budget());
  EXPECT_EQ(plain.shared().breaker, nullptr);
  EXPECT_EQ(plain.shared().sender_limit, nullptr);
  EXPECT_FALSE(plain.shared().can_refresh);
}

TEST(dependency, owns_what_its_options_ask_for) {
  silent one;
  dependency payments{{.name = "payments",
                       .policy = {{.max_attempts = 5}},
                       .breaker = {{.failures = 5}},
                       .sender_limit = relent::sender_limit_options{},
                       .refresh = [] {},
                       .observers = {&one}}};
  EXPECT_EQ(payments.name(), "payments");
  EXPECT_EQ(payments.policy()->max_attempts, 5U);
  EXPECT_NE(payments.breaker(), nullptr);
  EXPECT_EQ(payments.shared().breaker, payments.breaker());
  EXPECT_NE(payments.shared().sender_limit, nullptr);
  EXPECT_TRUE(payments.shared().can_refresh);
  EXPECT_EQ(payments.observers().size(), 1U);
}

TEST(dependency, uses_a_shared_budget_in_place_of_its_own) {
  relent::budget shared{relent::token_budget{}};
  dependency one{{.shared_budget = &shared}};
  dependency other{{.shared_budget = &shared}};
  EXPECT_EQ(&one.budget(), &shared);
  EXPECT_EQ(&other.budget(), &shared);
}

TEST(dependency, tells_the_problems_of_all_its_parts_at_once) {
  dependency_options options;
  options.budget = relent::token_budget{.capacity = 0};
  options.breaker = relent::breaker_options{.failures = 0};
  options.sender_limit = relent::sender_limit_options{.beta = 7};
  options.observers = {nullptr};
  const relent::problem_list found = problems(options);
  EXPECT_GE(found.size(), 4U);
  const std::string text = what(options);
  EXPECT_NE(text.find("budget."), std::string::npos) << text;
  EXPECT_NE(text.find("breaker."), std::string::npos) << text;
  EXPECT_NE(text.find("sender_limit."), std::string::npos) << text;
  EXPECT_NE(text.find("observers must be at most 8, and none of them null"), std::string::npos) << text;
}

TEST(dependency, has_no_problems_by_default) {
  EXPECT_TRUE(problems(dependency_options{}).empty());
  EXPECT_EQ(what({.breaker = relent::breaker_options{}}), "");
}

TEST(dependency, checks_its_policy_where_that_is_made) {
  EXPECT_THROW(static_cast<void>(dependency_options{.policy = {{.max_attempts = 0}}}), relent::options_error);
}

TEST(observer_list, keeps_its_order) {
  silent first;
  silent second;
  const observer_list list{&first, &second};
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list.begin()[0], &first);
  EXPECT_EQ(list.begin()[1], &second);
  EXPECT_EQ(list.end() - list.begin(), 2);
  EXPECT_TRUE(list.complete());
  EXPECT_TRUE(observer_list{}.empty());
}

TEST(observer_list, notes_what_it_could_not_take) {
  silent one;
  EXPECT_TRUE((observer_list{&one, &one, &one, &one, &one, &one, &one, &one}.complete())) << "eight fit";
  const observer_list nine{&one, &one, &one, &one, &one, &one, &one, &one, &one};
  EXPECT_EQ(nine.size(), 8U);
  EXPECT_FALSE(nine.complete());
  const observer_list with_null{&one, nullptr};
  EXPECT_EQ(with_null.size(), 1U);
  EXPECT_FALSE(with_null.complete());
  EXPECT_EQ(what({.observers = nine}), "observers must be at most 8, and none of them null");
}

TEST(refresh_hook, without_a_hook_never_renews) {
  const refresh_hook none;
  EXPECT_FALSE(none);
  EXPECT_FALSE(none());
}

TEST(refresh_hook, renews_unless_it_says_that_it_did_not) {
  EXPECT_TRUE(refresh_hook([] {})());
  EXPECT_TRUE(refresh_hook([] { return true; })());
  EXPECT_FALSE(refresh_hook([] { return false; })());
}

TEST(refresh_hook, that_throws_has_not_renewed) {
  EXPECT_FALSE(refresh_hook([] { throw std::runtime_error("no token"); })());
  EXPECT_FALSE(refresh_hook([]() -> bool { throw 42; })());
}

TEST(refresh_hook, takes_a_function_and_a_callable_by_reference) {
  static int calls = 0;
  calls = 0;
  struct by_function {
    static void renew() { ++calls; }
  };
  EXPECT_TRUE(refresh_hook(by_function::renew)());
  EXPECT_TRUE(refresh_hook(&by_function::renew)());
  const auto lambda = [] { ++calls; };
  EXPECT_TRUE(refresh_hook(lambda)());
  EXPECT_EQ(calls, 3);
}

// Counts how often it runs, in a place that copies share; the place is released with the last copy.
class counting_hook {
 public:
  bool operator()() {
    ++*runs_;
    return true;
  }
  std::weak_ptr<int> runs() const { return runs_; }

 private:
  std::shared_ptr<int> runs_ = std::make_shared<int>(0);
};

TEST(refresh_hook, copies_and_moves_as_a_value) {
  std::weak_ptr<int> runs;
  {
    counting_hook counting;
    runs = counting.runs();
    refresh_hook one = counting;
    refresh_hook two = one;
    refresh_hook three = std::move(one);
    EXPECT_FALSE(one);    // NOLINT(bugprone-use-after-move): it says what is left
    EXPECT_FALSE(one());  // NOLINT(clang-analyzer-cplusplus.Move)
    EXPECT_TRUE(two() && three());
    EXPECT_EQ(*runs.lock(), 2);
    one = three;
    three = refresh_hook();
    EXPECT_TRUE(one());
    EXPECT_FALSE(three);
    const refresh_hook& itself = one;
    one = itself;
    EXPECT_TRUE(one());
    EXPECT_EQ(*runs.lock(), 4);
    refresh_hook copy_of_none = three;
    EXPECT_FALSE(copy_of_none());
  }
  EXPECT_TRUE(runs.expired()) << "every copy was destroyed";
}

}  // namespace
