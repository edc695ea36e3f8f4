// SPDX-License-Identifier: Apache-2.0
// Patterns are found within lines, whatever the pieces in which the lines come, and in time.
#include "cli/line_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using relent::cli::line_watch;

bool finds(const std::string& pattern, std::string_view text, std::size_t piece = std::string_view::npos) {
  line_watch watch;
  EXPECT_EQ(watch.add(pattern), "");
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) watch.feed(text.substr(0, piece));
  watch.finish();
  return watch.matched(0);
}

struct line_case {
  const char* id;
  std::string pattern;
  std::string text;
  bool found;
};

class line_watch_case : public testing::TestWithParam<line_case> {};

TEST_P(line_watch_case, whatever_the_pieces) {
  const line_case& row = GetParam();
  for (std::size_t piece = 1; piece <= row.text.size() + 1; ++piece)
    EXPECT_EQ(finds(row.pattern, row.text, piece), row.found) << "in pieces of " << piece;
}

INSTANTIATE_TEST_SUITE_P(
    lines, line_watch_case,
    testing::Values(line_case{"in_the_middle", "lock", "could not get lock\nbye\n", true},
                    line_case{"nowhere", "lock", "all is well\n", false},
                    line_case{"not_over_two_lines", "a[[:space:]]b", "a\nb\n", false},
                    line_case{"a_dot_does_not_cross", "a.b", "a\nb\n", false},
                    line_case{"from_start_to_end", "^ready$", "not ready\nready\nready now\n", true},
                    line_case{"start_of_each_line", "^b", "a\nb\n", true},
                    line_case{"only_at_the_start", "^b", "ab\ncb", false},
                    line_case{"end_of_each_line", "a$", "a\nb\n", true},
                    line_case{"carriage_return", "^done$", "done\r\n", true},
                    line_case{"one_of_two_carriage_returns", "^done\r$", "done\r\r\n", true},
                    line_case{"carriage_return_within", "x\r", "x\ry\n", true},
                    line_case{"last_line_without_end", "^bye$", "hello\nbye", true},
                    line_case{"carriage_return_at_the_very_end", "^bye$", "bye\r", false},
                    line_case{"empty_line", "^$", "a\n\nb\n", true},
                    line_case{"no_empty_line_after_the_last", "^$", "a\nb\n", false},
                    line_case{"no_line_at_all", "^$", "", false},
                    line_case{"alternatives", "no|yes", "say yes\n", true},
                    line_case{"anchored_alternative", "^no|^yes", "say yes\n", false},
                    line_case{"after_a_nul", "b$", "a\0b\n"s, true},
                    line_case{"across_a_nul", "a[^x]b", "a\0b\n"s, true},
                    line_case{"bytes_beyond_ascii", "caf..$", "caf\xc3\xa9\n", true},
                    line_case{"counted", "^a{3}b", "aaab\n", true},
                    line_case{"counted_and_not_there", "a{3}b", "aab\n", false},
                    line_case{"same_again", "(a.)x\\1", "abxab\n", true},
                    line_case{"not_the_same_again", "(a.)x\\1", "abxac\n", false}),
    [](const testing::TestParamInfo<line_case>& info) { return info.param.id; });

TEST(line_watch, looks_for_several_patterns_at_once) {
  line_watch watch;
  ASSERT_EQ(watch.add("retry"), "");
  ASSERT_EQ(watch.add("ready"), "");
  watch.feed("almost re");
  EXPECT_FALSE(watch.matched());
  watch.feed("ady\nmore\n");
  EXPECT_TRUE(watch.matched());
  EXPECT_FALSE(watch.matched(0));
  EXPECT_TRUE(watch.matched(1));
  watch.feed("retry\n");
  EXPECT_TRUE(watch.matched(0));
}

TEST(line_watch, begins_anew) {
  line_watch watch;
  ASSERT_EQ(watch.add("^ab"), "");
  watch.feed("ab\na");
  EXPECT_TRUE(watch.matched());
  watch.reset();
  EXPECT_FALSE(watch.matched());
  watch.feed("b\n");
  EXPECT_FALSE(watch.matched());
}

TEST(line_watch, says_what_is_wrong_with_a_pattern) {
  line_watch watch;
  EXPECT_NE(watch.add("(a"), "");
  EXPECT_NE(watch.add("a)(b"), "");
  EXPECT_NE(watch.add("[a"), "");
  EXPECT_NE(watch.add("a\nb"), "");
  watch.feed("a\n");
  EXPECT_FALSE(watch.matched());
}

TEST(line_watch, finds_what_lies_on_the_border_of_two_pieces_of_a_long_line) {
  for (const std::size_t before : {line_watch::longest_piece - 3, line_watch::longest_piece - 60'000}) {
    std::string line(before, 'x');
    line += "from" + std::string(50'000, '-') + "to";
    EXPECT_TRUE(finds("from-*to", line + "\n"));
    EXPECT_TRUE(finds("m-*to$", line));
    EXPECT_FALSE(finds("from$", line));
    EXPECT_FALSE(finds("^from", line));
    EXPECT_FALSE(finds("^-", line));
    EXPECT_FALSE(finds("^-{3}", line));
  }
}

/// Not a benchmark: with time that grows by the square these would take hours.
TEST(line_watch, takes_a_huge_line_in_time_that_grows_with_its_length) {
  const std::string megabyte(1'000'000, 'a');
  line_watch watch;
  ASSERT_EQ(watch.add("a.*b"), "");
  ASSERT_EQ(watch.add("ready"), "");
  for (int i = 0; i < 40; ++i) watch.feed(megabyte);
  watch.finish();
  EXPECT_FALSE(watch.matched());
}

TEST(line_watch, takes_tiny_pieces_in_time_that_grows_with_their_number) {
  line_watch watch;
  ASSERT_EQ(watch.add("a.*b"), "");
  for (int i = 0; i < 4'000'000; ++i) watch.feed("a");
  EXPECT_FALSE(watch.matched());
  watch.feed("b\n");
  EXPECT_TRUE(watch.matched());
}

}  // namespace
