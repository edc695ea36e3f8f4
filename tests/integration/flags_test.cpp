// SPDX-License-Identifier: Apache-2.0
// Cutting a command line apart, without the tool around it. What the tool says of wrong ones is in usage_test.cpp.
#include <cli/flags.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace relent::cli;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr flag table[] = {
    {"--base", "D", "a value"},
    {"--jitter", "J", "another"},
    {"--quiet", "", "none", "-q"},
};

struct read_words {
  std::vector<std::string> problems;
  flag_values values;

  explicit read_words(const std::vector<std::string>& words, operands others = operands::allowed)
      : values(flag_reader(table, others).read(words, problems)) {}
};

TEST(flags, take_a_value_as_the_next_word_or_behind_an_equals_sign) {
  const read_words read({"--base", "-5s", "--jitter=a=b"});
  EXPECT_EQ(read.values.text("--base"), "-5s");
  EXPECT_EQ(read.values.text("--jitter"), "a=b");
  EXPECT_THAT(read.problems, IsEmpty());
}

TEST(flags, may_have_an_empty_value_and_one_dash_for_a_value) {
  const read_words read({"--base=", "--jitter", "-"});
  EXPECT_EQ(read.values.text("--base"), "");
  EXPECT_EQ(read.values.text("--jitter"), "-");
}

TEST(flags, given_by_their_short_name_count_as_the_long_one) {
  EXPECT_TRUE(read_words({"-q"}).values.given("--quiet"));
  EXPECT_FALSE(read_words({"q"}).values.given("--quiet"));
}

TEST(flags, given_again_count_as_given_last_and_all_are_known) {
  const flag_values values = read_words({"--base", "1s", "--base", "2s"}).values;
  EXPECT_EQ(values.text("--base"), "2s");
  EXPECT_THAT(values.texts("--base"), ElementsAre("1s", "2s"));
}

TEST(flags, do_not_take_a_flag_or_nothing_for_a_value) {
  EXPECT_THAT(read_words({"--base", "--quiet"}).problems, ElementsAre("--base: needs a value"));
  EXPECT_THAT(read_words({"--base"}).problems, ElementsAre("--base: needs a value"));
  EXPECT_THAT(read_words({"--quiet=yes"}).problems, ElementsAre("--quiet: takes no value"));
}

TEST(flags, that_are_unknown_take_the_word_behind_them_along) {
  for (const operands others : {operands::allowed, operands::refused}) {
    const read_words read({"--bsae", "5s", "--quiet"}, others);
    EXPECT_THAT(read.problems, ElementsAre("--bsae: unknown flag; did you mean --base?"));
    EXPECT_THAT(read.values.operands(), IsEmpty());
    EXPECT_TRUE(read.values.given("--quiet"));
  }
  EXPECT_THAT(read_words({"--bsae=5s", "file"}).values.operands(), ElementsAre("file"));
}

TEST(flags, end_at_the_separator_where_other_words_are_read) {
  const read_words read({"--quiet", "--", "--base", "--", "file"});
  EXPECT_THAT(read.values.operands(), ElementsAre("--base", "--", "file"));
  EXPECT_FALSE(read.values.given("--base"));
  EXPECT_THAT(read.problems, IsEmpty());
}

TEST(flags, are_told_from_a_command_without_a_separator_once) {
  EXPECT_THAT(read_words({"ls", "-l", "x"}, operands::refused).problems,
              ElementsAre("'ls' is not a flag: write -- before the command, as in relent run -- ls"));
}

TEST(flags, of_the_command_are_left_alone) {
  std::string words[] = {"--quiet", "--", "ls", "--", "-l"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const split_command_line split = split_at_separator(arguments);
  EXPECT_TRUE(split.has_separator);
  EXPECT_THAT(split.own, ElementsAre("--quiet"));
  EXPECT_THAT(split.command, ElementsAre(arguments[2], arguments[3], arguments[4]));
}

}  // namespace
