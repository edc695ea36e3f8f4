// SPDX-License-Identifier: Apache-2.0
// `relent demo`: shows two failures and a success, and leaves nothing behind.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <regex>
#include <string>

namespace {

using namespace relent::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

TEST(demo, shows_a_refusal_a_hang_and_a_success_and_leaves_nothing_behind) {
  const scratch_folder folder;
  const std::string path = folder.file("");
  const long long begin = now_ms();
  const finished end = run_tool({"demo"}, [&] { ::setenv("TMPDIR", path.c_str(), 1); });
  EXPECT_LT(now_ms() - begin, 6000);
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_THAT(end.out, HasSubstr("  " RELENT_TOOL " run --base 600ms --attempt-timeout 1s -- "));
  EXPECT_THAT(end.out, HasSubstr("relent run --help"));
  EXPECT_THAT(
      end.told(),
      ElementsAre(MatchesRegex("relent: attempt 1 of 3: exit code 7; retrying in .*s \\(backoff\\)"),
                  MatchesRegex("relent: attempt 2 of 3: timed out after 1s; retrying in .*s \\(backoff\\)"),
                  "relent: attempt 3 of 3: succeeded"));
  EXPECT_TRUE(folder.empty());
}

TEST(demo, leaves_nothing_behind_when_interrupted) {
  const scratch_folder folder;
  const std::string path = folder.file("");
  tool_process tool({"demo"}, [&] { ::setenv("TMPDIR", path.c_str(), 1); });
  ASSERT_TRUE(tool.wait_for_output("waiting for an answer"));
  tool.signal(SIGINT);
  EXPECT_TRUE(tool.finish().died_of(SIGINT));
  EXPECT_TRUE(folder.empty());
}

TEST(demo, shows_a_command_line_that_begins_anew_each_time) {
  const scratch_folder folder;
  const std::string counter = folder.file("counter");
  for (int i = 0; i < 2; ++i) {
    const finished end = run_tool(
        {"run", "--base", "1ms", "--attempt-timeout", "300ms", "--", RELENT_TOOL, "demo-step", counter});
    EXPECT_TRUE(end.exited_with(0));
    EXPECT_EQ(end.told().size(), 3U) << end.err;
  }
  EXPECT_TRUE(folder.empty());
}

TEST(demo, says_so_when_it_cannot_count) {
  const finished end = run_tool({"demo"}, [] { ::setenv("TMPDIR", "/nowhere", 1); });
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_THAT(end.err, HasSubstr("/nowhere/relent-demo-"));
}

}  // namespace
