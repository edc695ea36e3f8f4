// SPDX-License-Identifier: Apache-2.0
// Durations in text: what is read, what is refused and where, what is written.
#include <gtest/gtest.h>

#include <relent/duration_text.hpp>
#include <string>
#include <string_view>

namespace {

using namespace std::chrono_literals;
using relent::duration;
using relent::parse_delay_list;
using relent::parse_duration;
using relent::to_text;

constexpr duration day = 24h;

template <class Row>
std::string id_of(const testing::TestParamInfo<Row>& info) {
  return info.param.id;
}

struct read_row {
  const char* id;
  std::string_view text;
  duration value;
};
void PrintTo(const read_row& row, std::ostream* out) { *out << row.text; }

class duration_text_read : public testing::TestWithParam<read_row> {};

TEST_P(duration_text_read, gives_the_length) {
  const relent::duration_parse read = parse_duration(GetParam().text);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(read.value->count(), GetParam().value.count());
  EXPECT_EQ(read.error, "");
}

INSTANTIATE_TEST_SUITE_P(
    table, duration_text_read,
    testing::Values(read_row{"nanoseconds", "5ns", 5ns}, read_row{"microseconds", "7us", 7us},
                    read_row{"milliseconds", "250ms", 250ms}, read_row{"seconds", "10s", 10s},
                    read_row{"m_is_minutes", "2m", 2min}, read_row{"hours", "3h", 3h},
                    read_row{"days", "2d", 2 * day}, read_row{"zero_with_a_unit", "0s", 0s},
                    read_row{"leading_zeros", "007s", 7s}, read_row{"decimals", "1.5s", 1500ms},
                    read_row{"decimals_of_an_hour", "1.5h", 90min}, read_row{"below_one", "0.25s", 250ms},
                    read_row{"all_nine_decimals", "1.000000001s", 1000000001ns},
                    read_row{"zeros_beyond_the_nanosecond", "1.50000000000000000000s", 1500ms},
                    read_row{"whole_nanoseconds_with_a_point", "1.0ns", 1ns},
                    read_row{"a_day_in_sixteen_decimals", "0.0000152587890625d", 1318359375ns},
                    read_row{"sum", "1h30m", 90min},
                    read_row{"long_sum", "1d2h3m4s5ms6us7ns", day + 2h + 3min + 4005006007ns},
                    read_row{"sum_with_a_gap", "1h5ms", 1h + 5ms},
                    read_row{"sum_with_decimals_at_its_end", "1m1.5s", 61500ms},
                    read_row{"sum_with_more_than_the_next_unit", "1m90s", 150s},
                    read_row{"longest", "9223372036854775807ns", relent::max_duration},
                    read_row{"longest_as_a_sum", "106751d23h47m16.854775807s", relent::max_duration}),
    id_of<read_row>);

struct refused_row {
  const char* id;
  std::string_view text;
  std::size_t position;
  std::string_view error;
};
void PrintTo(const refused_row& row, std::ostream* out) { *out << '"' << row.text << '"'; }

class duration_text_refusal : public testing::TestWithParam<refused_row> {};

TEST_P(duration_text_refusal, says_where_and_what_would_be_right) {
  const relent::duration_parse read = parse_duration(GetParam().text);
  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_EQ(read.error, GetParam().error);
  EXPECT_EQ(read.position, GetParam().position);
}

constexpr std::string_view no_unit = "has no unit: write 250ms, 10s or 2m";
constexpr std::string_view no_number = "does not begin with a number: write 250ms, 10s or 2m";
constexpr std::string_view unknown_unit = "has an unknown unit: use ns, us, ms, s, m, h or d";
constexpr std::string_view order = "has units out of order: write the larger first, as in 1h30m";
constexpr std::string_view sign = "has a sign: write the length alone, as in 10s";
constexpr std::string_view blank = "has a blank: write it in one piece, as in 1h30m";
constexpr std::string_view comma = "has a comma: write decimals with a point, as in 1.5s";
constexpr std::string_view exponent = "has an exponent: write the number out, as in 1000s";
constexpr std::string_view point = "needs a digit before and after the point, as in 0.5s";
constexpr std::string_view decimals = "has decimals before the last unit: write 1h30m or 1.5h";
constexpr std::string_view too_fine = "is finer than a nanosecond: leave out the last decimals";
constexpr std::string_view too_long = "is too long: at most 106751d, about 292 years";

INSTANTIATE_TEST_SUITE_P(
    table, duration_text_refusal,
    testing::Values(
        refused_row{"empty", "", 0, "is empty: write 250ms, 10s or 2m"},
        refused_row{"bare_zero", "0", 1, no_unit}, refused_row{"bare_number", "250", 3, no_unit},
        refused_row{"bare_decimals", "1.5", 3, no_unit},
        refused_row{"sum_without_last_unit", "1h30", 4, no_unit},
        refused_row{"bare_unit", "ms", 0, no_number}, refused_row{"word", "never", 0, no_number},
        refused_row{"infinite", "inf", 0, no_number}, refused_row{"quoted", "\"1s\"", 0, no_number},
        refused_row{"year", "1y", 1, unknown_unit}, refused_row{"long_name", "2min", 1, unknown_unit},
        refused_row{"capital", "10S", 2, unknown_unit},
        refused_row{"greek_micro", "1\xC2\xB5s", 1, unknown_unit},
        refused_row{"two_points", "1.2.3s", 3, unknown_unit},
        refused_row{"digit_groups", "1_000ms", 1, unknown_unit}, refused_row{"tail", "10s!", 3, no_number},
        refused_row{"embedded_zero", std::string_view{"1\0s", 3}, 1, unknown_unit},
        refused_row{"ascending", "30m1h", 4, order}, refused_row{"twice", "1m1m", 3, order},
        refused_row{"minus", "-1s", 0, sign}, refused_row{"plus", "+1s", 0, sign},
        refused_row{"minus_inside", "10-s", 2, sign}, refused_row{"range", "1s-2s", 2, sign},
        refused_row{"blank_before_the_unit", "1 s", 1, blank}, refused_row{"blank_in_front", " 1s", 0, blank},
        refused_row{"blank_behind", "1s ", 2, blank}, refused_row{"line_end", "1s\n", 2, blank},
        refused_row{"blank_between_parts", "1h 30m", 2, blank},
        refused_row{"decimal_comma", "1,5s", 1, comma}, refused_row{"exponent", "1e3s", 1, exponent},
        refused_row{"signed_exponent", "1.5E-3s", 3, exponent},
        refused_row{"no_digit_before_the_point", ".5s", 0, point},
        refused_row{"no_digit_after_the_point", "1.s", 1, point}, refused_row{"point_alone", ".", 0, point},
        refused_row{"decimals_in_the_middle", "1.5h30m", 1, decimals},
        refused_row{"half_a_nanosecond", "0.5ns", 2, too_fine},
        refused_row{"ten_decimals", "1.0000000001s", 2, too_fine},
        refused_row{"one_nanosecond_too_long", "9223372036854775808ns", 0, too_long},
        refused_row{"number_too_long", "99999999999999999999999s", 0, too_long},
        refused_row{"number_that_wraps_to_zero", "18446744073709551616ns", 0, too_long},
        refused_row{"days_too_long", "106752d", 0, too_long},
        refused_row{"sum_too_long", "106751d23h47m16.854775808s", 13, too_long}),
    id_of<refused_row>);

struct written_row {
  const char* id;
  duration length;
  std::string_view text;
};
void PrintTo(const written_row& row, std::ostream* out) { *out << row.text; }

class duration_text_written : public testing::TestWithParam<written_row> {};

TEST_P(duration_text_written, is_short_and_exact) { EXPECT_EQ(to_text(GetParam().length), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(
    table, duration_text_written,
    testing::Values(written_row{"zero", 0s, "0s"}, written_row{"nanosecond", 1ns, "1ns"},
                    written_row{"micros", 1500ns, "1.5us"}, written_row{"millis", 250ms, "250ms"},
                    written_row{"a_tenth", 100ms, "100ms"}, written_row{"second_and_a_half", 1500ms, "1.5s"},
                    written_row{"thousandths", 1001ms, "1.001s"}, written_row{"seconds_kept", 90s, "90s"},
                    written_row{"no_decimals_of_a_minute", 61500ms, "61.5s"},
                    written_row{"minutes", 120s, "2m"}, written_row{"hour_and_a_half", 90min, "90m"},
                    written_row{"day_and_a_half", 36h, "36h"}, written_row{"day", 24h, "1d"},
                    written_row{"longest", relent::max_duration, "9223372036.854775807s"},
                    written_row{"negative", -1500ms, "-1.5s"},
                    written_row{"most_negative", duration::min(), "-9223372036.854775808s"}),
    id_of<written_row>);

TEST(delay_list_text, reads_durations_between_commas) {
  const relent::delay_list_parse read = parse_delay_list("1s,1.5s,1m30s");
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(*read.value, (relent::delay_list{1s, 1500ms, 90s}));
  EXPECT_EQ(to_text(*read.value), "1s,1.5s,90s");
}

TEST(delay_list_text, reads_sixteen_and_refuses_seventeen) {
  const std::string sixteen = "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,2s";
  ASSERT_TRUE(parse_delay_list(sixteen).value.has_value());
  EXPECT_EQ(parse_delay_list(sixteen).value->size(), 16U);
  const relent::delay_list_parse read = parse_delay_list(sixteen + ",3s");
  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_EQ(read.error, "has too many delays: write at most 16; the last repeats");
  EXPECT_EQ(read.position, 48U);
}

class delay_list_refusal : public testing::TestWithParam<refused_row> {};

TEST_P(delay_list_refusal, says_where_and_what_would_be_right) {
  const relent::delay_list_parse read = parse_delay_list(GetParam().text);
  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_EQ(read.error, GetParam().error);
  EXPECT_EQ(read.position, GetParam().position);
}

constexpr std::string_view list_gap = "has an empty place: write the delays as 1s,2s,5s";
constexpr std::string_view list_blank = "has a blank: write the delays as 1s,2s,5s";

INSTANTIATE_TEST_SUITE_P(table, delay_list_refusal,
                         testing::Values(refused_row{"empty", "", 0,
                                                     "is empty: write the delays as 1s,2s,5s"},
                                         refused_row{"comma_alone", ",", 0, list_gap},
                                         refused_row{"comma_in_front", ",1s", 0, list_gap},
                                         refused_row{"comma_behind", "1s,", 3, list_gap},
                                         refused_row{"two_commas", "1s,,2s", 3, list_gap},
                                         refused_row{"blank_after_the_comma", "1s, 2s", 3, list_blank},
                                         refused_row{"number_without_unit", "1s,25,3s", 5, no_unit},
                                         refused_row{"semicolon", "1s;2s", 2, no_number}),
                         id_of<refused_row>);

}  // namespace
