// SPDX-License-Identifier: Apache-2.0
// `relent run --budget`: processes of the tool that share one budget.
#include "tool_process.hpp"

#include <cli/budget_file.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace {

using relent::test::finished;
using relent::test::run_script;
using relent::test::run_tool;
using relent::test::tool_process;
using testing::ElementsAre;
using testing::HasSubstr;

struct run_with_budget : testing::Test {
  relent::test::scratch_folder scratch;
  run_with_budget() { ::setenv("XDG_STATE_HOME", scratch.file("state").c_str(), 1); }
  static double left() { return relent::cli::budget_file::look("x").value().budget().balance({}); }
};

TEST_F(run_with_budget, shares_ten_retries_between_all_that_fail_together) {
  std::vector<std::unique_ptr<tool_process>> tools;
  for (int i = 0; i < 8; ++i)
    tools.push_back(std::make_unique<tool_process>(
        run_script({"--budget", "x", "--base", "1ms", "--max-attempts", "4"}, "echo attempt; exit 7")));
  int attempts = 0;
  for (const auto& tool : tools) {
    const finished end = tool->finish();
    EXPECT_TRUE(end.exited_with(7));
    for (const char c : end.out) attempts += c == '\n' ? 1 : 0;
  }
  EXPECT_EQ(attempts, 8 + 10);
  EXPECT_DOUBLE_EQ(left(), 0);
}

TEST_F(run_with_budget, gives_a_tenth_back_for_a_success_and_says_when_it_is_empty) {
  ASSERT_TRUE(run_tool({"run", "--budget", "x", "--base", "1ms", "--max-attempts", "11", "--", "false"})
                  .exited_with(1));
  EXPECT_DOUBLE_EQ(left(), 0);
  EXPECT_THAT(run_tool({"run", "--budget", "x", "--", "false"}).told(),
              ElementsAre("relent: attempt 1 of 3: exit code 1; giving up: the retry budget is empty"));
  ASSERT_TRUE(run_tool({"run", "--budget", "x", "--", "true"}).exited_with(0));
  EXPECT_DOUBLE_EQ(left(), 0.1);
}

TEST_F(run_with_budget, runs_nothing_with_a_budget_that_cannot_be_used) {
  relent::cli::budget_file::open("x", {});
  std::ofstream(scratch.file("state/relent/budgets/x"), std::ios::trunc) << "?";
  const finished end = run_tool(run_script({"--budget", "x"}, "echo ran"));
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_EQ(end.out, "");
  EXPECT_THAT(end.err, HasSubstr("is cut short; remove it, or start anew with: relent budget x --reset"));
}

TEST_F(run_with_budget, gives_the_token_back_when_a_signal_ends_the_wait) {
  tool_process tool({"run", "--budget", "x", "--base", "10s", "--jitter", "none", "--", "false"});
  ASSERT_TRUE(tool.wait_for_message("retrying in 10s"));
  EXPECT_DOUBLE_EQ(left(), 9);
  tool.signal(SIGTERM);
  EXPECT_TRUE(tool.finish().died_of(SIGTERM));
  EXPECT_DOUBLE_EQ(left(), 10);
}

}  // namespace
