// SPDX-License-Identifier: Apache-2.0
// The small parts of the tool that need no process: rounded lengths of time, the nearest word.
#include <cli/rounded.hpp>
#include <src/text/nearest.hpp>
#include <src/text/signal_names.hpp>

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace {

using namespace relent::cli;
using namespace relent::text;

struct rounding {
  const char* id;
  std::int64_t nanoseconds;
  const char* text;
  friend void PrintTo(const rounding& row, std::ostream* out) { *out << row.id; }
};

class rounded_length : public testing::TestWithParam<rounding> {};

TEST_P(rounded_length, is_short) {
  EXPECT_EQ(rounded(relent::duration{GetParam().nanoseconds}), GetParam().text);
}

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t s = 1'000 * ms;

INSTANTIATE_TEST_SUITE_P(
    table, rounded_length,
    testing::Values(rounding{"negative", -5, "0ms"}, rounding{"zero", 0, "0ms"},
                    rounding{"tenths", 440'000, "0.4ms"}, rounding{"whole_ms", 3 * ms, "3ms"},
                    rounding{"up_to_ten", 9'960'000, "10ms"}, rounding{"ms", 84'400'000, "84ms"},
                    rounding{"up_to_second", 999'600'000, "1s"}, rounding{"hundredths", 1'524 * ms, "1.52s"},
                    rounding{"up_to_ten_s", 9'996 * ms, "10s"}, rounding{"tenths_s", 12'340 * ms, "12.3s"},
                    rounding{"up_to_minute", 59'960 * ms, "1m"}, rounding{"minute_second", 125 * s, "2m05s"},
                    rounding{"up_to_hour", 3'599'600 * ms, "1h"}, rounding{"hours", 3'720 * s, "1h02m"},
                    rounding{"longest", INT64_MAX, "2562047h47m"}),
    [](const auto& info) { return std::string(info.param.id); });

constexpr std::array<std::string_view, 4> known{"--base", "--cap", "--max-attempts", "--multiplier"};

TEST(nearest_word, forgives_a_dropped_inserted_changed_or_swapped_letter) {
  for (const char* word : {"--bae", "--basse", "--bade", "--bsae"})
    EXPECT_EQ(nearest(word, known), "--base") << word;
}

TEST(nearest_word, is_not_guessed_from_afar) {
  EXPECT_EQ(nearest("--frobnicate", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), known), "");
}

TEST(signal_names, are_those_of_the_shell) {
  EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
  EXPECT_EQ(signal_name(63), "signal 63");
}

}  // namespace
