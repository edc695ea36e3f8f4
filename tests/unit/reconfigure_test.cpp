// SPDX-License-Identifier: Apache-2.0
// Changing a dependency that is in use: what changes, what stays, what is refused. Under threads:
// reconfigure_threads_test.cpp.
#include <relent/dependency.hpp>
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_operation.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace {

using namespace std::chrono_literals;
using relent::dependency;
using relent::dependency_options;
using relent::fault_kind;
using relent::policy;
using relent::ratio_budget;
using relent::throttle_budget;
using relent::token_budget;
using relent::testing::manual_clock;
using relent::testing::scripted_operation;

constexpr policy tries(std::uint32_t count) {
  return policy{{.max_attempts = count, .deadline = relent::nullopt, .backoff = {.base = 0ns}}};
}

/// What reconfigure says of options that it refuses; empty if it takes them.
std::string what(dependency& changed, const dependency_options& options) {
  try {
    changed.reconfigure(options);
    return "";
  } catch (const relent::options_error& error) {
    return error.what();
  }
}

struct reconfigured_dependency : testing::Test {
  manual_clock clock;
  scripted_operation down{relent::fault{.kind = fault_kind::unreachable}};
};

TEST_F(reconfigured_dependency, gives_later_calls_the_new_policy) {
  dependency service{{.policy = tries(2), .clock = &clock}};
  service.call(std::ref(down));
  EXPECT_EQ(down.calls(), 2);
  service.reconfigure(tries(4));
  EXPECT_EQ(service.policy(), tries(4));
  service.call(std::ref(down));
  EXPECT_EQ(down.calls(), 2 + 4);
  service.call(std::ref(down), {.repeat = relent::repeat::allowed});
  EXPECT_EQ(down.calls(), 2 + 4 + 4) << "with options of the call's own too";
}

TEST_F(reconfigured_dependency, takes_a_policy_or_options_written_on_the_spot) {
  dependency service{{.clock = &clock}};
  service.reconfigure({{.max_attempts = 7}});
  EXPECT_EQ(service.policy()->max_attempts, 7U);
  service.reconfigure(relent::policy_options{.max_attempts = 8});
  EXPECT_EQ(service.policy()->max_attempts, 8U);
  service.reconfigure({.policy = {{.max_attempts = 9}}});
  EXPECT_EQ(service.policy()->max_attempts, 9U);
}

TEST_F(reconfigured_dependency, lets_a_call_under_way_end_by_the_policy_it_began_with) {
  dependency service{{.policy = tries(3), .clock = &clock}};
  int made = 0;
  const auto operation = [&] {
    if (++made == 1) service.reconfigure(tries(6));
    return relent::testing::scripted_result(relent::fault{.kind = fault_kind::unreachable});
  };
  service.call(operation);
  EXPECT_EQ(made, 3);
  service.call(operation);
  EXPECT_EQ(made, 3 + 6);
}

TEST_F(reconfigured_dependency, keeps_every_policy_that_somebody_may_refer_to) {
  dependency service{{.policy = tries(1)}};
  const policy& first = service.policy();
  service.reconfigure(tries(2));
  const policy& second = service.policy();
  for (std::uint32_t n = 3; n < 100; ++n) service.reconfigure(tries(n));
  EXPECT_EQ(first, tries(1));
  EXPECT_EQ(second, tries(2));
}

TEST_F(reconfigured_dependency, does_not_grow_by_a_policy_that_it_had_before) {
  dependency service{{.policy = tries(1)}};
  const policy* const first = &service.policy();
  service.reconfigure(tries(1));
  EXPECT_EQ(&service.policy(), first);
  service.reconfigure(tries(2));
  const policy* const second = &service.policy();
  service.reconfigure(tries(3));
  service.reconfigure(tries(2));
  EXPECT_EQ(&service.policy(), second);
  service.reconfigure(tries(1));
  EXPECT_EQ(&service.policy(), first);
}

TEST_F(reconfigured_dependency, keeps_the_filled_fraction_of_its_budget) {
  dependency service{{.policy = tries(6), .budget = token_budget{.capacity = 10}, .clock = &clock}};
  service.call(std::ref(down));
  EXPECT_DOUBLE_EQ(service.budget().balance(clock.now()), 5);
  service.reconfigure({.policy = tries(6), .budget = token_budget{.capacity = 100, .retry_cost = 2}});
  EXPECT_DOUBLE_EQ(service.budget().balance(clock.now()), 50);
  service.call(std::ref(down));
  EXPECT_DOUBLE_EQ(service.budget().balance(clock.now()), 50 - 5 * 2);
}

TEST_F(reconfigured_dependency, keeps_the_state_of_its_breaker) {
  dependency service{{.breaker = {{.failures = 5}}, .clock = &clock}};
  service.breaker()->force_open(clock.now(), 10s);
  service.reconfigure({.breaker = {{.failures = 2, .open_for = 1min}}});
  EXPECT_EQ(service.breaker()->current(clock.now()), relent::breaker::state::open);
  EXPECT_EQ(service.breaker()->open_until(), clock.now() + 10s);
  service.breaker()->force_closed();
  service.call(std::ref(down));
  EXPECT_EQ(down.calls(), 2) << "it opens at the second failure now";
  EXPECT_EQ(service.breaker()->current(clock.now()), relent::breaker::state::open);
}

TEST_F(reconfigured_dependency, leaves_alone_what_is_no_rule) {
  dependency service{{.name = "payments", .refresh = [] {}, .clock = &clock}};
  service.reconfigure({.name = "other", .policy = tries(5)});
  EXPECT_EQ(service.name(), "payments");
  EXPECT_TRUE(service.refresh());
  EXPECT_EQ(service.clock(), &clock);
  EXPECT_EQ(service.policy(), tries(5));
}

TEST_F(reconfigured_dependency, with_a_shared_budget_leaves_that_one_to_its_owner) {
  relent::budget shared{token_budget{.capacity = 4}};
  dependency service{{.policy = tries(2), .shared_budget = &shared, .clock = &clock}};
  EXPECT_EQ(what(service, {.policy = tries(5), .budget = ratio_budget{}, .shared_budget = &shared}), "");
  EXPECT_EQ(service.policy(), tries(5));
  EXPECT_DOUBLE_EQ(shared.balance(clock.now()), 4);
  EXPECT_EQ(what(service, {.policy = tries(6)}),
            "shared_budget must stay as it was when the dependency was made");
  EXPECT_EQ(service.policy(), tries(5));
}

/// Something that cannot be changed at run time.
struct refusal {
  const char* id;
  dependency_options made;
  dependency_options wanted;
  const char* says;
  friend void PrintTo(const refusal& row, std::ostream* out) { *out << row.id; }
};

class unchangeable_option : public testing::TestWithParam<refusal> {};

TEST_P(unchangeable_option, is_refused_and_nothing_has_changed) {
  const refusal& row = GetParam();
  dependency service(row.made);
  dependency_options wanted = row.wanted;
  wanted.policy = tries(9);
  EXPECT_EQ(what(service, wanted), row.says);
  EXPECT_EQ(service.policy(), row.made.policy);
  EXPECT_EQ(what(service, row.made), "") << "what it was made from can always be had again";
}

relent::budget other_budget{token_budget{}};

INSTANTIATE_TEST_SUITE_P(
    table, unchangeable_option,
    testing::Values(refusal{"another_kind_of_budget",
                            {},
                            {.budget = ratio_budget{}},
                            "budget.kind must stay as it was when the dependency was made"},
                    refusal{"no_budget_any_more",
                            {.budget = throttle_budget{}},
                            {.budget = relent::budget::none()},
                            "budget.kind must stay as it was when the dependency was made"},
                    refusal{"another_ratio_window",
                            {.budget = ratio_budget{.window = 10s}},
                            {.budget = ratio_budget{.window = 20s}},
                            "budget.window must stay as it was when the dependency was made"},
                    refusal{"a_breaker_more",
                            {},
                            {.breaker = relent::breaker_options{}},
                            "breaker must not be given to a dependency made without one"},
                    refusal{"a_breaker_less",
                            {.breaker = relent::breaker_options{}},
                            {},
                            "breaker must not be taken away from a dependency that has one"},
                    refusal{"a_sender_limit_more",
                            {},
                            {.sender_limit = relent::sender_limit_options{}},
                            "sender_limit must stay as it was when the dependency was made"},
                    refusal{"another_sender_limit",
                            {.sender_limit = relent::sender_limit_options{}},
                            {.sender_limit = relent::sender_limit_options{.beta = 0.5}},
                            "sender_limit must stay as it was when the dependency was made"},
                    refusal{"a_shared_budget",
                            {},
                            {.shared_budget = &other_budget},
                            "shared_budget must stay as it was when the dependency was made"},
                    refusal{"a_wrong_budget",
                            {},
                            {.budget = token_budget{.capacity = 0}},
                            "budget.capacity must be from 0.001 to 1000000"}),
    [](const auto& info) { return std::string(info.param.id); });

TEST_F(reconfigured_dependency, changes_neither_policy_nor_budget_for_a_wrong_breaker) {
  dependency service{{.policy = tries(2),
                      .budget = token_budget{.capacity = 10},
                      .breaker = {{.failures = 64, .of_last = 64}},
                      .clock = &clock}};
  const std::string said = what(service, {.policy = tries(3),
                                          .budget = token_budget{.capacity = 1000},
                                          .breaker = {{.failures = 0, .probes = 0}}});
  EXPECT_NE(said.find("breaker.failures"), std::string::npos) << said;
  EXPECT_NE(said.find("breaker.probes"), std::string::npos) << "all problems at once: " << said;
  EXPECT_EQ(service.policy(), tries(2));
  EXPECT_DOUBLE_EQ(service.budget().balance(clock.now()), 10);
}

}  // namespace
