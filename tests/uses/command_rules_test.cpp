// SPDX-License-Identifier: Apache-2.0
// What is wrong with the rules for commands, and with regular expressions.
#include <relent/policy_file/command_rules.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace {

using namespace std::chrono_literals;
using relent::command_rules;
using relent::regex_error_in;

TEST(command_rules, have_no_problems_as_they_come) { EXPECT_TRUE(problems(command_rules{}).empty()); }

TEST(command_rules, have_every_problem_told_at_once) {
  const auto found = problems(
      command_rules{.retry_on_output = "(", .until_output = "[", .successes = 0, .kill_after = -1ns});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].field, "command.retry_on_output");
  EXPECT_EQ(found[1].field, "command.until_output");
  EXPECT_EQ(found[2].field, "command.successes");
  EXPECT_EQ(found[3].field, "command.kill_after");
}

TEST(regular_expressions, are_extended_ones) {
  for (const char* good :
       {"", "a|b", "(timed|time) ?out", "^E: [0-9]{3}$", "[]a]{2,3}", "[^]]", "\\(5\\)", "a{0,255}",
        "HTTP/[12](\\.[01])? 50[0-9]", "[[:space:]]+", "(a+|b+)+c*+", "([0-9]+\\.)+"})
    EXPECT_EQ(regex_error_in(good), "") << good;
}

TEST(regular_expressions, that_do_not_compile_say_why) {
  for (const char* bad : {"(", "[a", "a{2,1}", "x{1", "*a)(", "[[:nosuch:]]"})
    EXPECT_NE(regex_error_in(bad), "") << bad;
}

struct hopeless {
  const char* id;
  std::string expression;
  const char* error;
  friend void PrintTo(const hopeless& row, std::ostream* out) { *out << row.id; }
};

class hopeless_expression : public testing::TestWithParam<hopeless> {};

TEST_P(hopeless_expression, is_refused_before_it_takes_the_memory) {
  EXPECT_EQ(regex_error_in(GetParam().expression), GetParam().error);
}

constexpr const char* too_many = "its repetitions multiply to more than can be matched";

INSTANTIATE_TEST_SUITE_P(
    expressions, hopeless_expression,
    testing::Values(hopeless{"zero_byte", std::string("a\0b", 3), "it holds a zero byte"},
                    hopeless{"long", std::string(2001, 'a'), "it is longer than 2000 bytes"},
                    hopeless{"one_number", "(abc){32767}", too_many},
                    hopeless{"nested", "(((a{200}){200}){200})", too_many},
                    hopeless{"stacked", "a{200}{200}{200}", too_many},
                    hopeless{"many_pluses", "a" + std::string(40, '+'), too_many},
                    hopeless{"nested_pluses",
                             std::string(40, '(') + "a" +
                                 [] {
                                   std::string ends;
                                   for (int i = 0; i < 40; ++i) ends += ")+";
                                   return ends;
                                 }(),
                             too_many},
                    hopeless{"open_end", "((a{200,}){200,}){200,}", too_many},
                    hopeless{"behind_a_bracket", "([]({]{200}){200}", too_many}),
    [](const auto& info) { return std::string(info.param.id); });

}  // namespace
