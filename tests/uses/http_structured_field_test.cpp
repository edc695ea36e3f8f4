// SPDX-License-Identifier: Apache-2.0
// Structured fields: what is read, and what is refused to the letter.
#include <relent/http/structured_field.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

namespace {

using namespace relent::http;

struct item_row {
  const char* name;
  std::string text;
  std::optional<sf_value> value;
  friend void PrintTo(const item_row& one, std::ostream* to) { *to << one.text; }
};

const item_row items[] = {
    {"integer", "42", sf_value(std::int64_t{42})},
    {"negative", "-17", sf_value(std::int64_t{-17})},
    {"leading_zeros", "007", sf_value(std::int64_t{7})},
    {"fifteen_digits", "999999999999999", sf_value(std::int64_t{999999999999999})},
    {"sixteen_digits", "1000000000000000", std::nullopt},
    {"minus_alone", "-", std::nullopt},
    {"plus", "+1", std::nullopt},
    {"decimal", "1.5", sf_value(1.5)},
    {"negative_decimal", "-0.25", sf_value(-0.25)},
    {"decimal_with_twelve_digits", "123456789012.125", sf_value(123456789012.125)},
    {"decimal_with_thirteen_digits", "1234567890123.1", std::nullopt},
    {"decimal_with_four_places", "1.2345", std::nullopt},
    {"decimal_without_places", "1.", std::nullopt},
    {"string", "\"hello\"", sf_value(std::string("hello"))},
    {"empty_string", "\"\"", sf_value(std::string())},
    {"escapes", R"("a\"b\\c")", sf_value(std::string("a\"b\\c"))},
    {"bad_escape", R"("a\nb")", std::nullopt},
    {"open_string", "\"abc", std::nullopt},
    {"open_escape", "\"abc\\", std::nullopt},
    {"control_in_string", "\"a\tb\"", std::nullopt},
    {"utf8_in_string", "\"\xc3\xa9\"", std::nullopt},
    {"token", "foo123/456", sf_value(sf_token{"foo123/456"})},
    {"token_with_star", "*a:b", sf_value(sf_token{"*a:b"})},
    {"uuid_that_begins_with_a_digit", "8e03978e-40d5-43e8-bc93-6894a57f9324", std::nullopt},
    {"bytes", ":aGVsbG8=:", sf_value(sf_bytes{"hello"})},
    {"bytes_without_padding", ":aGVsbG8:", sf_value(sf_bytes{"hello"})},
    {"empty_bytes", "::", sf_value(sf_bytes{""})},
    {"bytes_of_bad_length", ":aGVsb:", std::nullopt},
    {"bytes_of_bad_letters", ":a-b_:", std::nullopt},
    {"bytes_with_too_much_padding", ":aGVsbG8==:", std::nullopt},
    {"bytes_of_padding", ":====:", std::nullopt},
    {"bytes_with_padding_in_front", ":=aGVsbG8=:", std::nullopt},
    {"bytes_with_bits_that_say_nothing", ":iZ==:", sf_value(sf_bytes{"\x89"})},
    {"open_bytes", ":aGVs", std::nullopt},
    {"yes", "?1", sf_value(true)},
    {"no", "?0", sf_value(false)},
    {"bad_boolean", "?2", std::nullopt},
    {"date", "@1659578233", sf_value(sf_date{1659578233})},
    {"date_with_fraction", "@1659578233.1", std::nullopt},
    {"display_string", "%\"f%c3%bc%c3%bc\"", sf_value(sf_display_string{"f\xc3\xbc\xc3\xbc"})},
    {"display_string_of_bad_utf8", "%\"%ff\"", std::nullopt},
    {"display_string_in_four_octets", "%\"%f0%9f%90%8c\"", sf_value(sf_display_string{"\xf0\x9f\x90\x8c"})},
    {"display_string_of_an_overlong_form", "%\"%c0%af\"", std::nullopt},
    {"display_string_beyond_unicode", "%\"%f4%90%80%80\"", std::nullopt},
    {"display_string_cut_within_a_letter", "%\"%c3\"", std::nullopt},
    {"display_string_cut_within_an_escape", "%\"%c", std::nullopt},
    {"display_string_of_a_surrogate", "%\"%ed%a0%80\"", std::nullopt},
    {"display_string_in_capitals", "%\"%C3%BC\"", std::nullopt},
    {"blanks_around", "  1  ", sf_value(std::int64_t{1})},
    {"tab_behind", "1\t", std::nullopt},
    {"something_behind", "\"a\", \"b\"", std::nullopt},
    {"empty", "", std::nullopt},
};

class sf_item_text : public testing::TestWithParam<item_row> {};

TEST_P(sf_item_text, is_read) {
  const std::optional<sf_item> found = parse_sf_item(GetParam().text);
  ASSERT_EQ(found.has_value(), GetParam().value.has_value());
  if (found) {
    EXPECT_TRUE(found->value == *GetParam().value);
  }
}

INSTANTIATE_TEST_SUITE_P(item, sf_item_text, testing::ValuesIn(items),
                         [](const auto& with) { return std::string(with.param.name); });

TEST(structured_field, has_parameters_of_which_the_last_of_a_name_counts) {
  const auto item = parse_sf_item("a;x=1; y;x=\"2\"");
  ASSERT_TRUE(item.has_value());
  ASSERT_EQ(item->parameters.size(), 2U);
  EXPECT_TRUE(*find(item->parameters, "x") == sf_value(std::string("2")));
  EXPECT_TRUE(*find(item->parameters, "y") == sf_value(true));
  EXPECT_EQ(find(item->parameters, "z"), nullptr);
}

TEST(structured_field, has_parameters_with_small_names_only) {
  EXPECT_FALSE(parse_sf_item("a;X=1").has_value());
  EXPECT_FALSE(parse_sf_item("a;=1").has_value());
  EXPECT_FALSE(parse_sf_item("a;x=").has_value());
  EXPECT_FALSE(parse_sf_item("a ;x").has_value());
}

TEST(structured_field, may_be_a_list_with_lists_in_it) {
  const auto list = parse_sf_list("\"a\";q=1 ,\t(b c);x, 3");
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->size(), 3U);
  EXPECT_TRUE(std::holds_alternative<sf_item>(list->at(0)));
  const auto& inner = std::get<sf_inner_list>(list->at(1));
  EXPECT_EQ(inner.items.size(), 2U);
  EXPECT_TRUE(*find(inner.parameters, "x") == sf_value(true));
}

TEST(structured_field, may_be_empty_as_a_list_or_dictionary) {
  EXPECT_TRUE(parse_sf_list("").has_value());
  EXPECT_TRUE(parse_sf_list("   ")->empty());
  EXPECT_TRUE(parse_sf_dictionary("")->empty());
}

TEST(structured_field, is_no_list_with_a_comma_too_many) {
  EXPECT_FALSE(parse_sf_list("1,").has_value());
  EXPECT_FALSE(parse_sf_list(",1").has_value());
  EXPECT_FALSE(parse_sf_list("1,,2").has_value());
  EXPECT_FALSE(parse_sf_list("1 2").has_value());
  EXPECT_FALSE(parse_sf_list("(1 2").has_value());
  EXPECT_FALSE(parse_sf_list("(\"a\"\"b\")").has_value());
}

TEST(structured_field, may_be_a_dictionary_in_which_the_last_of_a_name_counts) {
  const auto dictionary = parse_sf_dictionary("a=1, b, c=(x y), d;p=2, a=3");
  ASSERT_TRUE(dictionary.has_value());
  ASSERT_EQ(dictionary->size(), 4U);
  EXPECT_EQ(dictionary->front().first, "a");
  EXPECT_TRUE(std::get<sf_item>(*find(*dictionary, "a")).value == sf_value(std::int64_t{3}));
  EXPECT_TRUE(std::get<sf_item>(*find(*dictionary, "b")).value == sf_value(true));
  EXPECT_TRUE(std::holds_alternative<sf_inner_list>(*find(*dictionary, "c")));
  EXPECT_EQ(find(*dictionary, "e"), nullptr);
}

TEST(structured_field, is_no_dictionary_with_a_bad_key) {
  EXPECT_FALSE(parse_sf_dictionary("A=1").has_value());
  EXPECT_FALSE(parse_sf_dictionary("a=1,").has_value());
  EXPECT_FALSE(parse_sf_dictionary("a=").has_value());
}

/// "a0, a1, a2" for three and ", ".
std::string names(int count, const std::string& between) {
  std::string text;
  for (int i = 0; i < count; ++i) text.append(i == 0 ? "" : between).append("a").append(std::to_string(i));
  return text;
}

// What every reader must accept (RFC 9651 section 3), and no more: each name is compared with those before.
TEST(structured_field, is_a_dictionary_of_at_most_1024_members) {
  ASSERT_TRUE(parse_sf_dictionary(names(1024, ", ")).has_value());
  EXPECT_EQ(parse_sf_dictionary(names(1024, ", "))->size(), 1024U);
  EXPECT_TRUE(parse_sf_dictionary(names(1024, ", ") + ", a0").has_value()) << "the same again";
  EXPECT_FALSE(parse_sf_dictionary(names(1025, ", ")).has_value());
}

TEST(structured_field, has_at_most_256_parameters) {
  ASSERT_TRUE(parse_sf_item("x;" + names(256, ";")).has_value());
  EXPECT_EQ(parse_sf_item("x;" + names(256, ";"))->parameters.size(), 256U);
  EXPECT_FALSE(parse_sf_item("x;" + names(257, ";")).has_value());
}

TEST(structured_field, reads_a_thousand_characters_and_refuses_a_hundred_thousand) {
  EXPECT_TRUE(parse_sf_item('"' + std::string(1024, 'x') + '"').has_value());
  EXPECT_FALSE(parse_sf_item('"' + std::string(100'000, 'x') + '"').has_value());
}

}  // namespace
