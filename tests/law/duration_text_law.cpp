// SPDX-License-Identifier: Apache-2.0
// What holds for the text of every duration, and for every text.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <relent/duration_text.hpp>
#include <string>

namespace {

using relent::duration;

void law(const std::string& text, void (*body)()) { EXPECT_TRUE(rc::check(text, body)); }

/// Any length from zero to max_duration; short ones and round ones as likely as others.
duration any_length() {
  const auto bits = static_cast<std::uint64_t>(*rc::gen::arbitrary<std::int64_t>()) >> 1U;
  const auto count = static_cast<std::int64_t>(bits >> static_cast<unsigned>(*rc::gen::inRange(0, 63)));
  const auto unit = *rc::gen::element<std::int64_t>(1, 1'000, 1'000'000, 1'000'000'000, 60'000'000'000,
                                                    3'600'000'000'000, 86'400'000'000'000);
  return duration{count / unit * unit};
}

/// A text of characters that durations are made of.
std::string likely_text() {
  return *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string{"0123456789012345678901234567890123456789dhmsun..mssns ,+-e"}));
}

TEST(duration_text_law, what_is_written_reads_back_as_the_same_length) {
  law("parse_duration(to_text(x)) == x", [] {
    const duration length = any_length();
    RC_ASSERT(relent::parse_duration(relent::to_text(length)).value == length);
  });
}

TEST(duration_text_law, a_text_has_one_unit_and_no_decimals_at_its_end_that_say_nothing) {
  law("to_text is in shortest form", [] {
    const std::string text = relent::to_text(any_length());
    const auto letters = text.find_first_of("dhmsun");
    RC_ASSERT(letters != std::string::npos);
    RC_ASSERT(text.find_first_of("0123456789.", letters) == std::string::npos);
    const auto point = text.find('.');
    RC_ASSERT(point == std::string::npos || text[letters - 1] != '0');
    RC_ASSERT(text[0] != '0' || text == "0s");
  });
}

TEST(duration_text_law, a_sum_of_units_is_the_sum_of_its_parts) {
  law("days, hours, minutes, seconds and their fractions add up", [] {
    const auto count = [] { return *rc::gen::inRange<std::int64_t>(0, 2000); };
    const std::int64_t d = count(), h = count(), m = count(), s = count(), ms = count(), us = count();
    const std::string text = std::to_string(d) + "d" + std::to_string(h) + "h" + std::to_string(m) + "m" +
                             std::to_string(s) + "s" + std::to_string(ms) + "ms" + std::to_string(us) + "us";
    const duration expected{((((d * 24 + h) * 60 + m) * 60 + s) * 1000 + ms) * 1'000'000 + us * 1000};
    RC_ASSERT(relent::parse_duration(text).value == expected);
  });
}

TEST(duration_text_law, every_text_has_a_value_or_an_error_at_a_place_in_it) {
  law("never both, never neither", [] {
    const std::string text = *rc::gen::arbitrary<bool>() ? likely_text() : *rc::gen::arbitrary<std::string>();
    const relent::duration_parse read = relent::parse_duration(text);
    RC_CLASSIFY(read.value.has_value());
    RC_ASSERT(read.value.has_value() == read.error.empty());
    RC_ASSERT(read.position <= text.size());
    if (read.value) RC_ASSERT(*read.value >= duration::zero());
  });
}

TEST(duration_text_law, a_list_reads_back_as_the_same_list) {
  law("parse_delay_list(to_text(x)) == x", [] {
    relent::delay_list delays;
    const int size = *rc::gen::inRange(1, 17);
    for (int i = 0; i < size; ++i) delays.add(any_length());
    const relent::delay_list_parse read = relent::parse_delay_list(relent::to_text(delays));
    RC_ASSERT(read.value.has_value());
    RC_ASSERT(*read.value == delays);
  });
}

}  // namespace
