// SPDX-License-Identifier: Apache-2.0
// What the keys of a policy file mean, and which policy inherits what.
#include <relent/policy_file/policy_file.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace {

using namespace std::chrono_literals;
using namespace relent;

named_policy only(std::string_view keys) {
  return policy_file::parse("[policy.p]\n" + std::string(keys)).at("p");
}

TEST(policy_file, gives_ready_values) {
  const policy_file file = policy_file::parse(R"(
[policy.payments]
max_attempts    = 4
deadline        = "10s"
attempt_timeout = "2s"
backoff         = { base = "100ms", cap = "5s", jitter = "full" }
retry_on        = ["unreachable", "timeout", "reset", "rate_limited", "overloaded", 502, 504]
budget          = { kind = "token", capacity = 10, success_credit = 0.1 }
breaker         = { failures = 5, open_for = "10s" }
)");
  const named_policy expected{
      .name = "payments",
      .policy = policy_options{.max_attempts = 4,
                               .deadline = 10s,
                               .attempt_timeout = 2s,
                               .backoff = {.base = 100ms, .cap = 5s},
                               .retry_on = {fault_kind::unreachable, fault_kind::timeout, fault_kind::reset,
                                            fault_kind::rate_limited, fault_kind::overloaded,
                                            fault_kind::bad_gateway}},
      .budget = token_budget{},
      .breaker = breaker_options{.failures = 5, .open_for = 10s}};
  EXPECT_EQ(file.at("payments"), expected);
}

TEST(policy_file, gives_the_options_of_a_dependency) {
  const named_policy policy =
      only("budget = { kind = \"ratio\", ratio = 0.2 }\nbreaker = {}\nsender_limit = {}\n");
  const dependency_options options = policy.dependency();
  EXPECT_EQ(options.name, "p");
  EXPECT_EQ(options.policy, policy.policy);
  EXPECT_EQ(options.budget, budget_options(ratio_budget{.ratio = 0.2}));
  EXPECT_EQ(options.breaker, optional(breaker_options{}));
  EXPECT_EQ(options.sender_limit, optional(sender_limit_options{}));
  const dependency payments{policy.dependency()};
  EXPECT_NE(payments.breaker(), nullptr);
}

TEST(policy_file, without_a_word_has_the_defaults) {
  EXPECT_EQ(only(""), named_policy{.name = "p"});
  EXPECT_TRUE(policy_file::parse("").policies().empty());
  EXPECT_TRUE(policy_file::parse("# nothing\n[policy]\n").policies().empty());
}

TEST(policy_file, keeps_the_order_of_its_policies) {
  const policy_file file =
      policy_file::parse("policy.bee = {}\n[policy.zebra]\n[policy.\"my ant\"]\n[policy.default]\n");
  std::string names;
  for (const named_policy& each : file.policies()) names += each.name + ";";
  EXPECT_EQ(names, "bee;zebra;my ant;default;");
}

TEST(policy_file, names_the_nearest_policy_when_one_is_asked_for_that_it_has_not) {
  const policy_file file = policy_file::parse("[policy.payments]\n[policy.search]\n", "shop.toml");
  EXPECT_EQ(file.find("payment"), nullptr);
  const auto message = [&file](std::string_view name) -> std::string {
    try {
      file.at(name);
    } catch (const std::out_of_range& error) {
      return error.what();
    }
    return "found";
  };
  EXPECT_EQ(message("search"), "found");
  EXPECT_EQ(message("paymnts"), "shop.toml has no policy 'paymnts': did you mean payments?");
  EXPECT_EQ(message("users"), "shop.toml has no policy 'users': it has payments, search");
  EXPECT_THROW(policy_file::parse("").at("x"), std::out_of_range);
}

TEST(policy_file, takes_any_letters_within_quotes_and_comments) {
  const policy_file file = policy_file::parse(
      "[policy.\"bücher\"] # größer\ncommand.until_output = \"\"\"ä\\\"ö\"\"\"\"\n"
      "command.retry_on_output = \'\'\'é\'\'\'\' # é\n[policy.\'ß\']\n[policy.\"a\\\"ä\"]\n");
  ASSERT_EQ(file.policies().size(), 3U);
  EXPECT_EQ(file.at("bücher").command.until_output, "ä\"ö\"");
  EXPECT_EQ(file.at("bücher").command.retry_on_output, "é\'");
  EXPECT_NE(file.find("ß"), nullptr);
  EXPECT_NE(file.find("a\"ä"), nullptr);
}

// --- values

TEST(policy_file, takes_statuses_for_the_kinds_that_they_stand_for) {
  EXPECT_EQ(only("retry_on = [408, 504]").policy->retry_on, fault_set{fault_kind::timeout});
  EXPECT_EQ(only("retry_on = [421, 425]").policy->retry_on, fault_set{fault_kind::not_processed});
  EXPECT_EQ(only("retry_on = [409]").policy->retry_on, fault_set{fault_kind::conflict});
  EXPECT_EQ(only("retry_on = [401]").policy->retry_on, fault_set{fault_kind::unauthenticated});
  const fault_set trusted{fault_kind::rate_limited, fault_kind::overloaded, fault_kind::server_error,
                          fault_kind::bad_gateway};
  EXPECT_EQ(only("no_effect_on = [429, 503, 500, 502]").policy->no_effect_on, trusted);
  EXPECT_TRUE(only("retry_on = []").policy->retry_on.empty());
}

TEST(policy_file, takes_away_what_is_optional_by_a_word) {
  const named_policy bare = only(R"(
deadline = "none"
server_error_retries = "unlimited"
breaker = { failures = "none", failure_ratio = 0.5 }
)");
  EXPECT_FALSE(bare.policy->deadline || bare.policy->server_error_retries);
  EXPECT_FALSE(bare.breaker->failures);
}

TEST(policy_file, reads_the_waits) {
  const backoff_options linear =
      only(R"(backoff = { growth = "linear", base = "10s", increment = "-1s500ms" })").policy->backoff;
  EXPECT_EQ(linear.increment, optional(duration(-1500ms)));
  const delay_list delays{1s, 2s, 5s};
  EXPECT_EQ(only(R"(backoff = { growth = "list", delays = ["1s", "2s", "5s"] })").policy->backoff.delays,
            delays);
  EXPECT_EQ(only(R"(backoff = { growth = "list", delays = "1s,2s,5s" })").policy->backoff.delays, delays);
}

TEST(policy_file, reads_the_kinds_of_budgets) {
  EXPECT_EQ(only("budget.kind = \"none\"").budget, budget::none());
  EXPECT_EQ(only("budget.kind = \"aws_standard\"").budget, budget_options(token_budget::aws_standard()));
  EXPECT_EQ(only("budget.kind = \"aws_2026\"").budget, budget_options(token_budget::aws_2026()));
  EXPECT_EQ(only("budget = { kind = \"throttle\", capacity = 20 }").budget,
            budget_options(throttle_budget{.capacity = 20}));
  EXPECT_EQ(only("budget = { kind = \"ratio\", window = \"30s\", min_retries = 5, reserve = 1 }").budget,
            budget_options(ratio_budget{.window = 30s, .min_retries = 5, .reserve = 1}));
  token_budget doubled = token_budget::aws_standard();
  doubled.capacity = 1000;
  EXPECT_EQ(only("budget = { capacity = 1000, kind = \"aws_standard\" }").budget, budget_options(doubled));
}

TEST(policy_file, reads_the_rules_for_commands) {
  const command_rules rules = only(R"(
[policy.p.command]
retry_on = [1, 75, "100-120", "SIGSEGV", "timeout"]
stop_on = "2,HUP"
retry_on_output = 'lock|50[0-9]'
until_output = "ready"
invert = true
successes = 3
kill_after = "500ms"
)")
                                  .command;
  const command_rules expected{
      .retry_on =
          attempt_ends().add_code(1).add_code(75).add_codes(100, 120).add_signal(SIGSEGV).add_timeout(),
      .stop_on = attempt_ends().add_code(2).add_signal(SIGHUP),
      .retry_on_output = "lock|50[0-9]",
      .until_output = "ready",
      .invert = true,
      .successes = 3,
      .kill_after = 500ms};
  EXPECT_EQ(rules, expected);
}

// --- who inherits what

TEST(policy_inheritance, goes_key_by_key) {
  const policy_file file = policy_file::parse(R"(
[policy.payments]
backoff.cap = "20s"
breaker.open_for = "1m"
[policy.default]
max_attempts = 7
backoff = { base = "1s", jitter = "equal" }
breaker = { failures = 9 }
command = { retry_on = "1" }
)");
  const named_policy& payments = file.at("payments");
  EXPECT_EQ(payments.policy->max_attempts, 7U);
  EXPECT_EQ(payments.policy->backoff, (backoff_options{.base = 1s, .cap = 20s, .jitter = jitter::equal}));
  EXPECT_EQ(payments.breaker, optional(breaker_options{.failures = 9, .open_for = 1min}));
  EXPECT_EQ(payments.command.retry_on, attempt_ends().add_code(1));
  EXPECT_EQ(file.at("default").policy->backoff.cap, 10s);
}

TEST(policy_inheritance, can_be_taken_back) {
  const policy_file file = policy_file::parse(R"(
[policy.default]
attempt_timeout = "5s"
breaker = { failures = 9 }
sender_limit = {}
command = { retry_on = "1", retry_on_output = "x" }
[policy.bare]
attempt_timeout = "none"
breaker = false
sender_limit = false
command = { retry_on = "all", retry_on_output = false }
[policy.fresh]
inherit = "none"
)");
  EXPECT_EQ(file.at("bare"), named_policy{.name = "bare"});
  EXPECT_EQ(file.at("fresh"), named_policy{.name = "fresh"});
}

TEST(policy_inheritance, of_a_budget_ends_where_its_kind_does) {
  const policy_file file = policy_file::parse(R"(
[policy.default]
budget = { kind = "token", capacity = 50, retry_cost = 2 }
[policy.same]
budget = { kind = "token", retry_cost = 3 }
[policy.unsaid]
budget = { retry_cost = 3 }
[policy.other]
budget = { kind = "throttle" }
[policy.preset]
budget = { kind = "aws_standard" }
)");
  EXPECT_EQ(file.at("same").budget, budget_options(token_budget{.capacity = 50, .retry_cost = 3}));
  EXPECT_EQ(file.at("unsaid").budget, file.at("same").budget);
  EXPECT_EQ(file.at("other").budget, budget_options(throttle_budget{}));
  EXPECT_EQ(file.at("preset").budget, budget_options(token_budget::aws_standard()));
}

TEST(policy_inheritance, may_come_from_any_policy_of_the_file) {
  const policy_file file = policy_file::parse(R"(
[policy.c]
inherit = "b"
[policy.b]
inherit = "a"
max_attempts = 5
[policy.a]
deadline = "1m"
[policy.default]
attempt_timeout = "1s"
)");
  EXPECT_EQ(file.at("c").policy, (policy{{.max_attempts = 5, .deadline = 1min, .attempt_timeout = 1s}}));
}

TEST(policy_inheritance, may_come_from_a_ready_profile) {
  const policy_file file = policy_file::parse("[policy.p]\ninherit = \"profile:ssh\"\nmax_attempts = 9\n");
  EXPECT_EQ(file.at("p").policy->max_attempts, 9U);
  EXPECT_EQ(file.at("p").command.retry_on, attempt_ends().add_code(255));
}

TEST(policy_inheritance, begins_from_the_base_when_there_is_no_default) {
  const named_policy base{.name = "for commands", .policy = policy_options{.deadline = 1h}};
  EXPECT_EQ(policy_file::parse("[policy.p]\n", "x", base).at("p").policy->deadline, optional(duration(1h)));
  const policy_file file = policy_file::parse("[policy.p]\n[policy.default]\nmax_attempts = 2\n", "x", base);
  EXPECT_EQ(file.at("p").policy, (policy{{.max_attempts = 2, .deadline = 1h}}));
}

}  // namespace
