// SPDX-License-Identifier: Apache-2.0
// Sets of attempt ends as text: what is read, what is written, what is refused and where.
#include <relent/policy_file/attempt_ends.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <ostream>
#include <string>

namespace {

using relent::attempt_ends;
using relent::parse_attempt_ends;

TEST(attempt_ends, are_empty_at_first) {
  const attempt_ends none;
  EXPECT_TRUE(none.empty());
  for (int number = -1; number <= 300; ++number) {
    EXPECT_FALSE(none.has_code(number)) << number;
    EXPECT_FALSE(none.has_signal(number)) << number;
  }
  EXPECT_EQ(to_text(none), "");
}

TEST(attempt_ends, leave_numbers_out_that_are_out_of_range) {
  const attempt_ends ends =
      attempt_ends().add_codes(-5, 1).add_codes(254, 400).add_code(-1).add_signal(0).add_signal(65);
  EXPECT_EQ(ends, attempt_ends().add_code(0).add_code(1).add_code(254).add_code(255));
  EXPECT_FALSE(ends.has_signal(0) || ends.has_signal(64) || ends.has_code(256) || ends.has_code(2));
}

TEST(attempt_ends, tell_codes_signals_and_the_timeout_apart) {
  const attempt_ends ends = parse_attempt_ends("9,SIGTERM").value.value();
  EXPECT_TRUE(ends.has_code(9) && ends.has_signal(SIGTERM));
  EXPECT_FALSE(ends.has_signal(9) || ends.has_code(SIGTERM) || ends.has_timeout());
  EXPECT_TRUE(parse_attempt_ends("timeout").value->has_timeout());
}

TEST(attempt_ends, add_another_set) {
  attempt_ends ends = attempt_ends().add_code(1).add_timeout();
  ends.add(attempt_ends().add_code(2).add_signal(SIGHUP));
  EXPECT_EQ(to_text(ends), "1,2,SIGHUP,timeout");
}

struct read_row {
  const char* id;
  const char* text;
  const char* written;
  friend void PrintTo(const read_row& row, std::ostream* out) { *out << row.text; }
};

class attempt_ends_text : public testing::TestWithParam<read_row> {};

TEST_P(attempt_ends_text, is_read_and_written) {
  const auto read = parse_attempt_ends(GetParam().text);
  ASSERT_TRUE(read.value) << read.error;
  EXPECT_EQ(to_text(*read.value), GetParam().written);
  EXPECT_EQ(parse_attempt_ends(GetParam().written).value, read.value);
}

INSTANTIATE_TEST_SUITE_P(
    texts, attempt_ends_text,
    testing::Values(
        read_row{"one_code", "1", "1"}, read_row{"last_code", "255", "255"},
        read_row{"all_kinds", "1,75,100-120,SIGSEGV,timeout", "100-120,1,75,SIGSEGV,timeout"},
        read_row{"order_does_not_matter", "timeout,75,1", "1,75,timeout"},
        read_row{"blanks", " 1 ,\t75, 100 - 120 ", "100-120,1,75"},
        read_row{"ranges_join", "1-3,4,5-9", "1-9"}, read_row{"two_in_a_row", "5-6", "5,6"},
        read_row{"range_of_one", "7-7", "7"}, read_row{"twice", "1,1,1", "1"},
        read_row{"range_over_all", "0-255", "0-255"},
        read_row{"range_over_126_and_127", "125-128", "125-128"},
        read_row{"range_of_126", "126-126", "126-126"}, read_row{"pair_with_126", "125-126", "125-126"},
        read_row{"signal_without_prefix", "term", "SIGTERM"},
        read_row{"signal_in_small_letters", "sigkill", "SIGKILL"},
        read_row{"signal_without_a_name", "SIG35", "SIG35"}, read_row{"signal_by_number", "SIG9", "SIGKILL"},
        read_row{"any_signal", "signal", "signal"}, read_row{"any_signal_and_one", "HUP,signal", "signal"}),
    [](const auto& info) { return std::string(info.param.id); });

struct refused_row {
  const char* id;
  const char* text;
  const char* error;
  std::size_t position;
  friend void PrintTo(const refused_row& row, std::ostream* out) { *out << row.text; }
};

class attempt_ends_error : public testing::TestWithParam<refused_row> {};

TEST_P(attempt_ends_error, says_what_is_wrong_and_where) {
  const auto read = parse_attempt_ends(GetParam().text);
  EXPECT_FALSE(read.value);
  EXPECT_EQ(read.error, GetParam().error);
  EXPECT_EQ(read.position, GetParam().position);
}

constexpr const char* names_nothing =
    "names nothing: write exit codes, signals or timeout, as in 1,75,100-120,SIGSEGV,timeout";

INSTANTIATE_TEST_SUITE_P(
    texts, attempt_ends_error,
    testing::Values(
        refused_row{"nothing", "", names_nothing, 0}, refused_row{"blank", "  ", names_nothing, 2},
        refused_row{"empty_word", "1,,2", "has nothing between two commas", 2},
        refused_row{"comma_at_the_end", "1,", "has nothing between two commas", 2},
        refused_row{"success", "1,0", "has exit code 0, which is a success", 2},
        refused_row{"not_executable", "126",
                    "has exit code 126, which is never tried again: the command cannot be executed", 0},
        refused_row{"not_found", "5,127",
                    "has exit code 127, which is never tried again: the command was not found", 2},
        refused_row{"too_large", "256", "has '256': exit codes end at 255", 0},
        refused_row{"far_too_large", "99999999999999999999",
                    "has '99999999999999999999': exit codes end at 255", 0},
        refused_row{"range_too_large", "1-256", "has '1-256': exit codes end at 255", 0},
        refused_row{"backwards", "1,9-5", "has the range '9-5', which runs backwards", 2},
        refused_row{"misspelt_signal", "SIGTREM", "has an unknown word 'SIGTREM': did you mean SIGTERM?", 0},
        refused_row{"misspelt_timeout", "1,timeuot", "has an unknown word 'timeuot': did you mean timeout?",
                    2},
        refused_row{
            "signal_out_of_range", "SIG65",
            "has an unknown word 'SIG65': write exit codes, ranges, signals, timeout or signal, as in "
            "1,75,100-120,SIGSEGV,timeout",
            0},
        refused_row{"sign", "-1",
                    "has an unknown word '-1': write exit codes, ranges, signals, timeout or signal, as in "
                    "1,75,100-120,SIGSEGV,timeout",
                    0}),
    [](const auto& info) { return std::string(info.param.id); });

}  // namespace
