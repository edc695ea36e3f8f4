// SPDX-License-Identifier: Apache-2.0
// `relent run` and the environment: what the command finds there, and what a `relent run` inside another
// one makes of it.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string in_seconds(double from_now) { return std::to_string(wall_seconds() + from_now); }

/// As inside an attempt of a `relent run` that has so much time left.
std::function<void()> inside_another(const std::string& deadline) {
  return [deadline] {
    with_variable("RELENT_ATTEMPT", "2")();
    if (!deadline.empty()) with_variable("RELENT_DEADLINE", deadline)();
    with_variable("RELENT_IDEMPOTENCY_KEY", "the-outer-key")();
  };
}

TEST(run_environment, has_the_number_of_the_attempt) {
  const finished end = run_tool(run_script({"--base", "0ms", "--max-attempts", "4"},
                                           "echo $RELENT_ATTEMPT/$RELENT_MAX_ATTEMPTS; exit 1"));
  EXPECT_EQ(end.out, "1/4\n2/4\n3/4\n4/4\n");
}

TEST(run_environment, has_one_key_for_all_attempts_and_another_for_each_run) {
  std::set<std::string> keys;
  for (int i = 0; i < 3; ++i) {
    const auto lines =
        lines_of(run_tool(run_script({"--base", "0ms"}, "echo $RELENT_IDEMPOTENCY_KEY; exit 1")).out);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_THAT(lines, Each(lines.front()));
    EXPECT_GE(lines.front().size(), 32U);
    keys.insert(lines.front());
  }
  EXPECT_EQ(keys.size(), 3U);
}

TEST(run_environment, has_the_instant_at_which_the_attempt_is_cut) {
  const double before = wall_seconds();
  const finished own = run_tool(run_script({"--attempt-timeout", "90s"}, "echo $RELENT_DEADLINE"));
  EXPECT_NEAR(std::stod(own.out), before + 90, 5);
  const finished of_the_call =
      run_tool(run_script({"--attempt-timeout", "90s", "--deadline", "30s"}, "echo $RELENT_DEADLINE"));
  EXPECT_NEAR(std::stod(of_the_call.out), before + 30, 5);
  const finished none = run_tool(run_script({"--deadline", "none"}, "echo \"<$RELENT_DEADLINE>\""));
  EXPECT_EQ(none.out, "<>\n");
  const finished by_default = run_tool(run_script({}, "echo $RELENT_DEADLINE"));
  EXPECT_NEAR(std::stod(by_default.out), before + 3600, 20);
}

TEST(run_environment, keeps_all_other_variables_as_they_are) {
  const finished end = run_tool({"run", "--", "sh", "-c", "echo \"$ODD\"; echo $PATH"},
                                with_variable("ODD", "a=b c\td 'e' \"f\" $g"));
  EXPECT_THAT(end.out, HasSubstr("a=b c\td 'e' \"f\" $g\n/"));
}

TEST(run_nesting, makes_a_single_attempt_inside_another_and_says_so) {
  const finished end = run_tool(
      run_script({"--base", "0ms"}, "echo $RELENT_ATTEMPT/$RELENT_MAX_ATTEMPTS; exit 4"), inside_another(""));
  EXPECT_TRUE(end.exited_with(4));
  EXPECT_EQ(end.out, "1/1\n");
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 1: exit code 4; giving up: an enclosing relent run "
                          "does the retrying"));
}

TEST(run_nesting, real_runs_do_not_multiply) {
  const std::string tool = RELENT_TOOL;
  const finished end = run_tool({"run", "--base", "0ms", "--", tool, "run", "--base", "0ms", "--", tool,
                                 "run", "--base", "0ms", "--", "sh", "-c", "echo ran; exit 4"});
  EXPECT_TRUE(end.exited_with(4));
  EXPECT_EQ(end.out, "ran\nran\nran\n");
}

TEST(run_nesting, retries_all_the_same_if_told_so) {
  const std::string tool = RELENT_TOOL;
  const finished end = run_tool({"run", "--base", "0ms", "--max-attempts", "2", "--", tool, "run", "--nested",
                                 "retry", "--base", "0ms", "--", "sh", "-c", "echo $RELENT_ATTEMPT; exit 4"});
  EXPECT_EQ(end.out, "1\n2\n3\n1\n2\n3\n");
}

TEST(run_nesting, keeps_the_deadline_of_the_outer_run) {
  const long long begin = now_ms();
  const finished end =
      run_tool({"run", "--kill-after", "50ms", "--", "sleep", "60"}, inside_another(in_seconds(0.5)));
  EXPECT_LT(now_ms() - begin, 5000);
  EXPECT_TRUE(end.exited_with(124));
  EXPECT_THAT(end.err, HasSubstr("attempt 1 of 1: cut off by the deadline of"));
  EXPECT_THAT(end.err, Not(HasSubstr("deadline of 1h")));
}

TEST(run_nesting, keeps_the_deadline_of_the_outer_run_when_it_has_none_itself) {
  const finished end = run_tool({"run", "--deadline", "none", "--kill-after", "50ms", "--", "sleep", "60"},
                                inside_another(in_seconds(0.5)));
  EXPECT_TRUE(end.exited_with(124)) << end.status;
  EXPECT_THAT(end.err, HasSubstr("attempt 1 of 1: cut off by the deadline of"));
  EXPECT_THAT(end.err, Not(HasSubstr("deadline of 1h")));
}

TEST(run_nesting, tells_the_command_the_nearer_deadline) {
  const double before = wall_seconds();
  const auto outer = inside_another(in_seconds(20));
  const finished nearer_outer = run_tool(run_script({}, "echo $RELENT_DEADLINE"), outer);
  EXPECT_NEAR(std::stod(nearer_outer.out), before + 20, 3);
  const finished nearer_own = run_tool(run_script({"--deadline", "10s"}, "echo $RELENT_DEADLINE"), outer);
  EXPECT_NEAR(std::stod(nearer_own.out), before + 10, 3);
}

TEST(run_nesting, does_not_begin_when_the_outer_deadline_has_passed) {
  const finished end = run_tool(run_script({}, "echo ran"), inside_another(in_seconds(-5)));
  EXPECT_TRUE(end.exited_with(124)) << end.status;
  EXPECT_EQ(end.out, "");
  EXPECT_EQ(end.told().size(), 1U) << end.err;
  EXPECT_THAT(end.err, Not(HasSubstr("deadline of 1h")));
}

TEST(run_nesting, keeps_the_outer_deadline_also_when_it_retries) {
  const long long begin = now_ms();
  const finished end =
      run_tool(run_script({"--nested", "retry", "--base", "1ms", "--max-attempts", "1000000"}, "exit 4"),
               inside_another(in_seconds(0.5)));
  EXPECT_LT(now_ms() - begin, 5000);
  EXPECT_TRUE(end.exited_with(4) || end.exited_with(124)) << end.status;
  EXPECT_THAT(end.err, HasSubstr("deadline"));
}

TEST(run_nesting, derives_its_key_from_the_outer_one) {
  const auto key = [](const char* word) {
    return run_tool({"run", "--", "sh", "-c", "echo $RELENT_IDEMPOTENCY_KEY", word}, inside_another("")).out;
  };
  EXPECT_EQ(key("a"), key("a"));
  EXPECT_NE(key("a"), key("b"));
  EXPECT_EQ(key("a").find("the-outer-key"), std::string::npos);
}

TEST(run_nesting, sends_the_same_key_in_each_attempt_of_the_outer_run) {
  const finished end = run_tool({"run", "--base", "0ms", "--", RELENT_TOOL, "run", "--", "sh", "-c",
                                 "echo $RELENT_IDEMPOTENCY_KEY; exit 1"});
  const auto keys = lines_of(end.out);
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_THAT(keys, Each(keys.front()));
}

TEST(run_nesting, ignores_what_makes_no_sense_and_says_so) {
  const finished attempt = run_tool(run_script({"--base", "0ms"}, "echo $RELENT_ATTEMPT; exit 1"),
                                    with_variable("RELENT_ATTEMPT", "many"));
  EXPECT_EQ(attempt.out, "1\n2\n3\n");
  EXPECT_THAT(attempt.err, HasSubstr("RELENT_ATTEMPT: 'many' is not the number of an attempt: ignored"));
  for (const char* deadline : {"soon", "nan", "inf", "12:30", "1e", " 5"}) {
    const finished end = run_tool(run_script({}, "echo ran"), inside_another(deadline));
    EXPECT_EQ(end.out, "ran\n") << deadline;
    EXPECT_THAT(end.err, HasSubstr(std::string("RELENT_DEADLINE: '") + deadline + "'"));
  }
  for (const char* far : {"1e300", "99999999999999999999"})
    EXPECT_EQ(run_tool(run_script({}, "echo ran"), inside_another(far)).out, "ran\n") << far;
  EXPECT_EQ(run_tool({"run", "--quiet", "--", "true"}, with_variable("RELENT_ATTEMPT", "many")).err, "");
}

TEST(run_nesting, does_not_send_a_key_that_could_not_be_a_header) {
  for (const std::string& key : {std::string("two words"), std::string("a\nb"), std::string(300, 'k')}) {
    const finished end = run_tool(run_script({}, "echo $RELENT_IDEMPOTENCY_KEY"), [&] {
      inside_another("")();
      with_variable("RELENT_IDEMPOTENCY_KEY", key)();
    });
    EXPECT_EQ(lines_of(end.out).size(), 1U);
    EXPECT_EQ(end.out.find(key), std::string::npos);
  }
}

}  // namespace
