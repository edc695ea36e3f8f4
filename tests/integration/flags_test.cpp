// SPDX-License-Identifier: Apache-2.0
// Cutting a command line apart, without the tool around it. What the tool says of wrong ones is in usage_test.cpp.
#include <cli/flags.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
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

constexpr flag bundled_table[] = {
    {"--silent", "", "none", "-s"},
    {"--location", "", "none", "-L"},
    {"--output", "FILE", "a value", "-o"},
    {"--key", "[=KEY]", "perhaps a value"},
};
constexpr flag_group bundled_group{"All", bundled_table};
constexpr absent_flag absent_table[] = {
    {"--form", "-F", true, "is not there: write --data"},
    {"--verbose", "-v", false, "is not there: write --log"},
};

read_words bundled(const std::vector<std::string>& words) {
  read_words read({});
  read.values = flag_reader({&bundled_group, 1}, operands::allowed, short_names::bundled, absent_table)
                    .read(words, read.problems);
  return read;
}

TEST(short_flags, may_be_put_together) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-sLo", "file", "url"},
                                                {"-sLofile", "url"},
                                                {"-s", "-L", "-o", "file", "url"}}) {
    const read_words read = bundled(words);
    EXPECT_THAT(read.problems, IsEmpty());
    EXPECT_TRUE(read.values.given("--silent"));
    EXPECT_TRUE(read.values.given("--location"));
    EXPECT_EQ(read.values.text("--output"), "file");
    EXPECT_THAT(read.values.operands(), ElementsAre("url"));
  }
}

TEST(short_flags, take_the_rest_of_their_word_as_it_stands) {
  EXPECT_EQ(bundled({"-o-sL"}).values.text("--output"), "-sL");
  EXPECT_EQ(bundled({"-o=x"}).values.text("--output"), "=x");
  EXPECT_EQ(bundled({"-so", "-"}).values.text("--output"), "-");
  EXPECT_THAT(bundled({"-so"}).problems, ElementsAre("-o: needs a value"));
}

TEST(short_flags, that_are_unknown_are_named_alone) {
  EXPECT_THAT(bundled({"-sxL"}).problems, ElementsAre("-x: unknown flag; --help lists them"));
}

TEST(flags, with_a_value_that_may_be_absent_take_it_behind_an_equals_sign_only) {
  const read_words without = bundled({"--key", "url"});
  EXPECT_EQ(without.values.text("--key"), "");
  EXPECT_THAT(without.values.operands(), ElementsAre("url"));
  EXPECT_EQ(bundled({"--key=abc"}).values.text("--key"), "abc");
}

TEST(flags, that_another_tool_has_are_told_of) {
  const read_words form = bundled({"-sF", "a=b", "url"});
  EXPECT_THAT(form.problems, ElementsAre("-F: is not there: write --data"));
  EXPECT_THAT(form.values.operands(), ElementsAre("url"));
  const read_words verbose = bundled({"--verbose", "url"});
  EXPECT_THAT(verbose.problems, ElementsAre("--verbose: is not there: write --log"));
  EXPECT_THAT(verbose.values.operands(), ElementsAre("url"));
}

TEST(flags, are_known_in_their_order) {
  const flag_values values = read_words({"--jitter", "a", "-q", "--base", "b"}).values;
  using given = std::pair<std::string_view, std::string_view>;
  EXPECT_THAT(values.all(), ElementsAre(given{"--jitter", "a"}, given{"--quiet", ""}, given{"--base", "b"}));
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
