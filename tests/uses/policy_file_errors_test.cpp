// SPDX-License-Identifier: Apache-2.0
// What is wrong with a policy file: everything at once, each with its place, its field and what would be right.
#include <relent/policy_file/policy_file.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace {

using relent::policy_file;
using relent::policy_file_error;

/// What parsing says, empty if nothing.
std::string complaint(const std::string& text) {
  try {
    policy_file::parse(text, "f");
  } catch (const policy_file_error& error) {
    return error.what();
  }
  return {};
}

struct row {
  const char* id;
  std::string keys;  ///< of the table [policy.p], in line 2
  const char* said;  ///< behind "f:2:"
  friend void PrintTo(const row& one, std::ostream* out) { *out << one.id; }
};

class policy_file_key : public testing::TestWithParam<row> {};

TEST_P(policy_file_key, is_refused_with_its_place_and_what_would_be_right) {
  EXPECT_EQ(complaint("[policy.p]\n" + GetParam().keys + "\n"), "f:2:" + std::string(GetParam().said));
}

const auto name_of = [](const auto& info) { return std::string(info.param.id); };

INSTANTIATE_TEST_SUITE_P(
    unknown, policy_file_key,
    testing::Values(
        row{"misspelt", "max_atempts = 4",
            "1: policy.p.max_atempts is not known here: did you mean \"max_attempts\"?"},
        row{"misspelt_table", "bakoff = {}",
            "1: policy.p.bakoff is not known here: did you mean \"backoff\"?"},
        row{"misspelt_within", "  backoff = { bse = \"1s\" }",
            "15: policy.p.backoff.bse is not known here: did you mean \"base\"?"},
        row{"misspelt_dotted", "breaker.open_fro = \"1s\"",
            "9: policy.p.breaker.open_fro is not known here: did you mean \"open_for\"?"},
        row{"unlike_any", "sender_limit = { zzzzzz = 1 }",
            "18: policy.p.sender_limit.zzzzzz is not known here: write beta, scale, smoothing, time_bucket, "
            "min_rate or "
            "min_capacity"},
        row{"of_another_kind", "budget = { kind = \"ratio\", capacity = 5 }",
            "28: policy.p.budget.capacity belongs to the kind \"token\", and this is a budget of kind "
            "\"ratio\""},
        row{"of_no_kind", "budget = { capacty = 5 }",
            "12: policy.p.budget.capacty is not known in a budget of kind \"token\": did you mean "
            "\"capacity\"?"},
        row{"control_characters", "\"a\\u001b[31m\" = 5",
            "1: policy.p.\"a\\u001B[31m\" is not known here: write "
            "inherit, max_attempts, deadline, attempt_timeout, least_attempt_time, retry_on, no_effect_on, "
            "server_error_retries, max_server_delay, server_delay_spread, nested, backoff, budget, breaker, "
            "sender_limit or command"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    types, policy_file_key,
    testing::Values(
        row{"bare_number", "deadline = 10",
            "12: policy.p.deadline has no unit: write \"10s\" or \"10ms\" in place of 10"},
        row{"bare_fraction", "deadline = 1.5",
            "12: policy.p.deadline has no unit: write \"1.5s\" or \"1.5ms\" in place of 1.5"},
        row{"no_unit_in_text", "deadline = \"10\"",
            "12: policy.p.deadline \"10\" has no unit: write 250ms, 10s or 2m"},
        row{"time_of_day", "deadline = 10:00:00",
            "12: policy.p.deadline must be a duration, as in \"250ms\", \"10s\" or \"2m\"; it is a date or "
            "time"},
        row{"number_in_quotes", "max_attempts = \"4\"",
            "16: policy.p.max_attempts must be a number without quotes: write 4"},
        row{"fraction", "max_attempts = 4.0",
            "16: policy.p.max_attempts must be a whole number, at least 1; it is 4.0"},
        row{"negative", "max_attempts = -1",
            "16: policy.p.max_attempts must be a whole number, at least 1; it is -1"},
        row{"huge", "max_attempts = 4294967296",
            "16: policy.p.max_attempts must be at most 4294967295; it is 4294967296"},
        row{"word_for_a_number", "server_error_retries = \"none\"",
            "24: policy.p.server_error_retries must be a whole number, 0 to 7, or \"unlimited\"; it is "
            "\"none\""},
        row{"not_a_number", "backoff.multiplier = nan",
            "22: policy.p.backoff.multiplier must be a finite number; it is nan"},
        row{"infinite", "server_delay_spread = -inf",
            "23: policy.p.server_delay_spread must be a finite number; it is -inf"},
        row{"unknown_word", "backoff.jitter = \"ful\"",
            "18: policy.p.backoff.jitter has the unknown word \"ful\": did you mean \"full\"?"},
        row{"words_told", "nested = \"x\"",
            "10: policy.p.nested has the unknown word \"x\": write single_attempt or retry"},
        row{"no_word", "nested = true",
            "10: policy.p.nested must be one of \"single_attempt\", \"retry\"; it is true"},
        row{"flag_in_quotes", "command.invert = \"true\"",
            "18: policy.p.command.invert must be true or false; it is \"true\""},
        row{"no_list", "retry_on = \"timeout\"",
            "12: policy.p.retry_on must be a list, as in [\"timeout\", 503]; it is \"timeout\""},
        row{"no_table", "backoff = \"1s\"",
            "11: policy.p.backoff must be a table, as in backoff = { base = … }; it is \"1s\""},
        row{"no_breaker", "breaker = true",
            "11: policy.p.breaker must be a table, as in breaker = { failures = … }, or false for none; it "
            "is true"},
        row{"no_budget", "budget = \"none\"",
            "10: policy.p.budget must be a table, as in budget = { kind = \"none\" }; it is \"none\""}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    lists, policy_file_key,
    testing::Values(
        row{"unknown_kind", "retry_on = [\"reset\", \"tiemout\"]",
            "22: policy.p.retry_on has the unknown kind \"tiemout\": did you mean \"timeout\"?"},
        row{"permanent_status", "retry_on = [404]",
            "13: policy.p.retry_on has 404: the same request fails again with that status; use some of "
            "401 408 409 421 425 429 500 502 503 504"},
        row{"no_failure", "retry_on = [200]", "13: policy.p.retry_on has 200, which is no failure"},
        row{"no_status", "no_effect_on = [42]", "17: policy.p.no_effect_on has 42, which is no HTTP status"},
        row{"own_stop", "retry_on = [\"cancelled\"]",
            "1: policy.p.retry_on must not hold cancelled: our own stop is never retried"},
        row{"delay_without_unit", "backoff = { growth = \"list\", delays = [\"1s\", 2] }",
            "46: policy.p.backoff.delays has no unit: write \"2s\" or \"2ms\" in place of 2"},
        row{"success_as_failure", "command.retry_on = [1, 0]",
            "24: policy.p.command.retry_on has exit code 0, which is a success"},
        row{"code_too_large", "command.stop_on = [256]",
            "20: policy.p.command.stop_on has 256: exit codes go from 0 to 255"},
        row{"unknown_signal", "command.retry_on = \"1,SIGTREM\"",
            "20: policy.p.command.retry_on has an unknown word 'SIGTREM': did you mean SIGTERM?"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    rules, policy_file_key,
    testing::Values(row{"none", "max_attempts = 0",
                        "1: policy.p.max_attempts must be at least 1: it counts the first attempt too"},
                    row{"of_two_keys", "backoff = { base = \"5s\", cap = \"1s\" }",
                        "26: policy.p.backoff.cap must not be below base"},
                    row{"of_a_key_and_a_default", "backoff = { base = \"1m\" }",
                        "13: policy.p.backoff.cap must not be below base"},
                    row{"of_a_table", "breaker = { open_for = \"10m\" }",
                        "13: policy.p.breaker.max_open_for must not be below open_for"},
                    row{"negative_length", "backoff.increment = \"-1s\"",
                        "9: policy.p.backoff.increment must be absent unless growth is linear"},
                    row{"budget", "budget = { kind = \"ratio\", window = \"2m\" }",
                        "28: policy.p.budget.window must be from 1s to 60s"}),
    name_of);

TEST(policy_file_errors, are_all_told_in_one_go_by_place) {
  EXPECT_EQ(complaint(R"([policy.default]
deadline = 10
backoff = { base = "20x", cap = "1ms", jitter = "ful" }
[policy.payments]
max_attempts = 0
command.until_output = "(a"
[policy.search]
max_atempts = 3
)"),
            R"(f:2:12: policy.default.deadline has no unit: write "10s" or "10ms" in place of 10
f:3:20: policy.default.backoff.base "20x" has an unknown unit: use ns, us, ms, s, m, h or d
f:3:49: policy.default.backoff.jitter has the unknown word "ful": did you mean "full"?
f:5:1: policy.payments.max_attempts must be at least 1: it counts the first attempt too
f:6:24: policy.payments.command.until_output must be a regular expression as grep -E takes it: )" +
                relent::regex_error_in("(a") + R"(
f:8:1: policy.search.max_atempts is not known here: did you mean "max_attempts"?)");
}

TEST(policy_file_errors, of_an_inherited_value_are_told_once) {
  EXPECT_EQ(complaint("[policy.default]\nmax_attempts = 0\n[policy.a]\n[policy.b]\ndeadline = \"1s\"\n"),
            "f:2:1: policy.default.max_attempts must be at least 1: it counts the first attempt too");
}

TEST(policy_file_errors, are_told_at_the_key_that_does_not_go_with_what_is_inherited) {
  EXPECT_EQ(complaint("[policy.default]\nbackoff.cap = \"1s\"\n[policy.a]\nbackoff.base = \"2s\"\n"),
            "f:4:9: policy.a.backoff.cap must not be below base");
}

TEST(policy_file_errors, hold_place_and_field_apart) {
  try {
    policy_file::parse("[policy.\"my shop\"]\ndeadline = 1\nnested = 2\n");
    FAIL() << "nothing was refused";
  } catch (const policy_file_error& error) {
    ASSERT_EQ(error.problems().size(), 2U);
    EXPECT_EQ(error.problems()[0].line, 2U);
    EXPECT_EQ(error.problems()[0].column, 12U);
    EXPECT_EQ(error.problems()[0].field, "policy.\"my shop\".deadline");
    EXPECT_EQ(error.problems()[1].line, 3U);
  }
}

struct whole {
  const char* id;
  std::string text;
  const char* said;
  friend void PrintTo(const whole& one, std::ostream* out) { *out << one.id; }
};

class whole_policy_file : public testing::TestWithParam<whole> {};

TEST_P(whole_policy_file, is_refused) { EXPECT_EQ(complaint(GetParam().text), GetParam().said); }

INSTANTIATE_TEST_SUITE_P(
    shapes, whole_policy_file,
    testing::Values(whole{"no_prefix", "[payments]\n",
                          "f:1:2: payments is not known here: policies are tables called policy.NAME, so "
                          "write [policy.payments]"},
                    whole{"misspelt_prefix", "[polcy.payments]\n",
                          "f:1:2: polcy is not known here: did you mean \"policy\"?"},
                    whole{"key_at_the_top", "deadline = \"1s\"\n",
                          "f:1:1: deadline is not known here: policies are tables called policy.NAME"},
                    whole{"policy_is_a_number", "policy = 5\n",
                          "f:1:1: policy must be a table of policies, as in [policy.payments]; it is 5"},
                    whole{"key_without_policy", "[policy]\ndeadline = \"1s\"\n",
                          "f:2:1: policy.deadline must be a table with the options of a policy, as in "
                          "[policy.payments]; it is \"1s\""},
                    whole{"no_name", "[policy.\"\"]\n",
                          "f:1:9: policy.\"\" must have a name that is not empty"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    inheritance, whole_policy_file,
    testing::Values(
        whole{"nobody", "[policy.a]\ninherit = \"bse\"\n[policy.base]\n",
              "f:2:11: policy.a.inherit names \"bse\", which is no policy of this file: did you mean "
              "\"base\"?"},
        whole{"no_profile", "[policy.a]\ninherit = \"profile:shh\"\n",
              "f:2:11: policy.a.inherit names \"shh\", which is no ready profile: did you mean \"ssh\"?"},
        whole{"no_text", "[policy.a]\ninherit = 5\n",
              "f:2:11: policy.a.inherit must be the name of a policy, in quotes; it is 5"},
        whole{"itself", "[policy.a]\ninherit = \"a\"\n",
              "f:2:11: policy.a.inherit comes back to where it began: policy.a inherits from this one"},
        whole{"circle", "[policy.a]\ninherit = \"b\"\n[policy.b]\ninherit = \"a\"\n",
              "f:4:11: policy.b.inherit comes back to where it began: policy.a inherits from this one"},
        whole{"circle_over_default", "[policy.default]\ninherit = \"a\"\n[policy.a]\n",
              "f:3:9: policy.a.inherit comes back to where it began: policy.default inherits from this one"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    toml, whole_policy_file,
    testing::Values(
        whole{"twice", "[policy.a]\nnested = \"retry\"\nnested = \"retry\"\n",
              "f:3:10: this is no TOML: error while parsing key-value pair: cannot redefine "
              "existing string 'nested'"},
        whole{"unfinished", "a = [1",
              "f:1:7: this is no TOML: error while parsing array: encountered end-of-file"},
        whole{"many_dots", "[policy.a]\n" + std::string(300, '.') + "\n",
              "f:2:257: this has more dots in a line than any policy needs"},
        whole{"letters_without_quotes", "[policy.\"ä\"]\n# ä\nnested = \u201cretry\u201d\n",
              "f:3:10: this is no TOML: outside quotes there may be plain ASCII only"},
        whole{
            "header_without_a_key", "[@a]\n",
            "f:1:2: this is no TOML: error while parsing key: expected bare key starting character or string "
            "delimiter, saw '@'"},
        whole{"large", std::string((1U << 20U) + 1, '\n'),
              "f: is larger than 1 MiB, which no policy file needs to be"}),
    name_of);

TEST(policy_file_errors, of_broken_text_have_a_place_within_it) {
  for (const std::string& text :
       {std::string("[policy.\xff]\n"), std::string("a = \"\0\"\n", 8), std::string("="),
        "a = " + std::string(100, '[') + "\n", std::string("a = 99999999999999999999\n"),
        std::string("\xef\xbb\xbf\xc3"), std::string("a = {b = 1\n"), std::string("a=\"\\ud800\"")}) {
    try {
      policy_file::parse(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const policy_file_error& error) {
      ASSERT_EQ(error.problems().size(), 1U);
      EXPECT_EQ(error.problems()[0].line, 1U);
      EXPECT_GE(error.problems()[0].column, 1U);
      EXPECT_LE(error.problems()[0].column, text.size() + 1);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

TEST(policy_file_errors, come_also_from_a_chain_that_is_too_long) {
  std::string text = "[policy.p0]\n";
  for (int i = 1; i <= 40; ++i)
    text = "[policy.p" + std::to_string(i) + "]\ninherit = \"p" + std::to_string(i - 1) + "\"\n" + text;
  EXPECT_NE(complaint(text).find("goes over more than 32 policies"), std::string::npos);
}

}  // namespace
