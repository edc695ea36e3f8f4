// SPDX-License-Identifier: Apache-2.0
// A policy is checked when it is made, and all its problems are told at once. What does not compile:
// tests/compile_fail. The rules of its backoff: backoff_test.cpp.
#include <relent/policy.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::fault_kind;
using relent::policy;
using relent::policy_options;

std::string what(const policy_options& options) {
  try {
    static_cast<void>(policy(options));
    return "";
  } catch (const relent::options_error& error) {
    return error.what();
  }
}

TEST(policy, has_the_defaults_that_the_documentation_promises) {
  constexpr policy defaults;
  EXPECT_EQ(defaults->max_attempts, 3U);
  EXPECT_EQ(defaults->deadline, 30s);
  EXPECT_FALSE(defaults->attempt_timeout.has_value());
  EXPECT_EQ(defaults->least_attempt_time, 0s);
  EXPECT_EQ(defaults->backoff.base, 100ms);
  EXPECT_EQ(defaults->backoff.cap, 10s);
  EXPECT_EQ(defaults->backoff.multiplier, 2);
  EXPECT_EQ(defaults->backoff.jitter, relent::jitter::full);
  EXPECT_EQ(defaults->retry_on, relent::default_retry_on);
  EXPECT_TRUE(defaults->no_effect_on.empty());
  EXPECT_EQ(defaults->server_error_retries, 1U);
  EXPECT_EQ(defaults->max_server_delay, 5min);
  EXPECT_EQ(defaults->server_delay_spread, 0.1);
  EXPECT_EQ(defaults->nested, relent::nesting::single_attempt);
  EXPECT_EQ(defaults, relent::default_policy);
  EXPECT_TRUE(problems(policy_options{}).empty());
}

TEST(policy, is_a_constant_if_its_options_are) {
  constexpr policy gentle{{.max_attempts = 4, .deadline = 5s, .backoff = {.base = 50ms, .cap = 2s}}};
  static_assert(gentle->max_attempts == 4 && gentle->backoff.cap == 2s);
  EXPECT_EQ(gentle.options().deadline, 5s);
}

TEST(policy, is_made_from_options_in_every_way_that_reads_well) {
  const policy_options options{.max_attempts = 7};
  const policy braces{options};
  const policy parentheses(options);
  const policy converted = options;
  policy assigned;
  assigned = options;
  for (const policy& one : {braces, parentheses, converted, assigned, policy{{.max_attempts = 7}}}) {
    EXPECT_EQ(one->max_attempts, 7U);
    EXPECT_EQ(one, braces);
  }
  EXPECT_NE(braces, policy());
}

TEST(policy, is_checked_in_every_way_of_making_it) {
  const policy_options impossible{.max_attempts = 0};
  EXPECT_THROW(static_cast<void>(policy{impossible}), relent::options_error);
  EXPECT_THROW(static_cast<void>(policy(impossible)), relent::options_error);
  EXPECT_THROW([[maybe_unused]] const policy converted = impossible, relent::options_error);
  EXPECT_THROW((static_cast<void>(policy{{.max_attempts = 0}})), relent::options_error);
  const std::vector<policy_options> list{impossible};
  EXPECT_THROW(std::vector<policy>(list.begin(), list.end()), relent::options_error);
}

struct rule_row {
  const char* id;
  policy_options options;
  const char* message;
};

const rule_row rules[] = {
    {"no_attempts", {.max_attempts = 0}, "max_attempts must be at least 1: it counts the first attempt too"},
    {"deadline_zero", {.deadline = 0s}, "deadline must be above zero"},
    {"deadline_negative", {.deadline = -1s}, "deadline must be above zero"},
    {"attempt_timeout_zero", {.attempt_timeout = 0s}, "attempt_timeout must be above zero"},
    {"attempt_timeout_negative", {.attempt_timeout = -1ns}, "attempt_timeout must be above zero"},
    {"least_attempt_time_negative", {.least_attempt_time = -1ns}, "least_attempt_time must not be negative"},
    {"a_rule_of_the_backoff", {.backoff = {.base = 2s, .cap = 1s}}, "backoff.cap must not be below base"},
    {"retries_cancelled",
     {.retry_on = {fault_kind::timeout, fault_kind::cancelled}},
     "retry_on must not hold cancelled: our own stop is never retried"},
    {"server_error_retries",
     {.server_error_retries = 8},
     "server_error_retries must be 0 to 7, or absent for no limit of its own"},
    {"max_server_delay_negative", {.max_server_delay = -1s}, "max_server_delay must not be negative"},
    {"spread_negative", {.server_delay_spread = -0.1}, "server_delay_spread must be a ratio from 0 to 1"},
    {"spread_as_percent", {.server_delay_spread = 10}, "server_delay_spread must be a ratio from 0 to 1"},
    {"spread_not_a_number",
     {.server_delay_spread = std::numeric_limits<double>::quiet_NaN()},
     "server_delay_spread must be a ratio from 0 to 1"},
};

class policy_rule : public testing::TestWithParam<rule_row> {};

TEST_P(policy_rule, names_the_option_and_what_would_be_right) {
  EXPECT_EQ(what(GetParam().options), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(every, policy_rule, testing::ValuesIn(rules),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(policy, accepts_the_ends_of_every_range) {
  EXPECT_EQ(what({.max_attempts = 1,
                  .deadline = 1ns,
                  .attempt_timeout = 1ns,
                  .backoff = {.base = 0s, .cap = 0s},
                  .retry_on = {},
                  .server_error_retries = 0,
                  .max_server_delay = 0s,
                  .server_delay_spread = 0}),
            "");
  EXPECT_EQ(what({.max_attempts = std::numeric_limits<std::uint32_t>::max(),
                  .deadline = relent::max_duration,
                  .backoff = {.base = relent::max_duration, .cap = relent::max_duration},
                  .server_error_retries = 7,
                  .max_server_delay = relent::max_duration,
                  .server_delay_spread = 1}),
            "");
}

TEST(policy, tells_all_its_problems_at_once) {
  const policy_options options{.max_attempts = 0,
                               .deadline = 0s,
                               .attempt_timeout = 0s,
                               .least_attempt_time = -1s,
                               .backoff = {.base = -1s, .cap = -2s, .multiplier = 0},
                               .retry_on = {fault_kind::cancelled},
                               .server_error_retries = 99,
                               .max_server_delay = -1s,
                               .server_delay_spread = 2};
  const relent::problem_list found = problems(options);
  std::vector<std::string_view> fields;
  for (const relent::problem& one : found) fields.push_back(one.field);
  EXPECT_EQ(fields, (std::vector<std::string_view>{"max_attempts", "deadline", "attempt_timeout",
                                                   "least_attempt_time", "backoff.base", "backoff.cap",
                                                   "backoff.multiplier", "retry_on", "server_error_retries",
                                                   "max_server_delay", "server_delay_spread"}));
  try {
    static_cast<void>(policy(options));
    FAIL() << "accepted";
  } catch (const relent::options_error& error) {
    EXPECT_EQ(error.problems().size(), found.size());
    const std::string text = error.what();
    for (const relent::problem& one : found)
      EXPECT_NE(text.find(std::string(one.field) + " " + std::string(one.rule)), std::string::npos)
          << one.field;
  }
}

}  // namespace
