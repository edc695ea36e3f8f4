// SPDX-License-Identifier: Apache-2.0
// What `relent demo` measures, draws and says, from numbers that are made up: it has to be true of all of them.
#include "tool_process.hpp"

#include <cli/http/demo_chart.hpp>
#include <cli/http/demo_plan.hpp>
#include <cli/http/demo_run.hpp>
#include <cli/http/demo_story.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace {

using namespace relent::cli;
using namespace std::chrono_literals;
using relent::test::lines_of;
using testing::HasSubstr;
using testing::Not;

/// As many buckets as the plan has, before, in and after the outage.
load history_of(const demo_plan& plan, std::uint32_t served_before, std::uint32_t arrived_after,
                std::uint32_t served_after) {
  load all;
  for (relent::duration at = 0s; at < plan.end; at += 100ms) {
    if (at < plan.outage_from)
      all.push_back({served_before, served_before, 0});
    else if (at < plan.outage_to)
      all.push_back({arrived_after, 0, arrived_after});
    else
      all.push_back({arrived_after, served_after, arrived_after - served_after});
  }
  return all;
}

TEST(demo_recovery, is_at_once_when_all_that_comes_is_served_from_the_end_of_the_outage) {
  EXPECT_EQ(recovery_in(history_of({}, 6, 6, 6), {}), 0s);
}

TEST(demo_recovery, never_comes_while_less_than_nine_tenths_are_served) {
  EXPECT_EQ(recovery_in(history_of({}, 6, 60, 5), {}), std::nullopt);
  EXPECT_EQ(recovery_in(history_of({}, 6, 60, 0), {}), std::nullopt);
}

TEST(demo_recovery, is_measured_from_the_end_of_the_outage) {
  const demo_plan plan;
  load all = history_of(plan, 6, 60, 0);
  for (std::size_t i = 72; i < all.size(); ++i) all[i].served = 6;
  // The window of a second that begins a tenth of a second earlier has nine tenths of it already.
  EXPECT_EQ(recovery_in(all, plan), 1100ms);
}

TEST(demo_recovery, does_not_look_beyond_what_was_seen) {
  const demo_plan plan;
  load all = history_of(plan, 6, 6, 6);
  all.resize(65);
  EXPECT_EQ(recovery_in(all, plan), std::nullopt);
}

demo_result result_of(std::uint64_t executed_twice, std::optional<relent::duration> recovered) {
  return {.orders = {.placed = 900, .confirmed = 700, .failed = 200},
          .attempts = 1800,
          .executed_twice = executed_twice,
          .peak = 604,
          .at_the_end = 599,
          .recovered = recovered};
}

/// On one line, so that it does not matter where lines are broken.
std::string conclusion(const demo_result& naive, const demo_result& with_relent) {
  return std::regex_replace(demo_conclusion({}, naive, with_relent), std::regex("\\s+"), " ");
}

TEST(demo_story, tells_of_a_server_that_did_not_come_back) {
  const std::string text = conclusion(result_of(8, std::nullopt), result_of(0, 0s));
  EXPECT_THAT(text,
              HasSubstr("Without Relent the server was not back 9s after the outage, when the demo ended: it "
                        "got 599 requests a second for 60 new orders. With Relent it was back as soon as the "
                        "outage was over."));
}

TEST(demo_story, tells_of_both_times_where_there_are_two) {
  const std::string text = conclusion(result_of(8, 2500ms), result_of(0, 100ms));
  EXPECT_THAT(text,
              HasSubstr("Without Relent the server was back 2.5s after the outage. With Relent it was back "
                        "100ms after the outage."));
}

TEST(demo_story, sees_no_difference_where_there_is_none) {
  EXPECT_THAT(conclusion(result_of(0, 0s), result_of(0, 0s)),
              HasSubstr("Without Relent and with it the server was back as soon as the outage was over."));
  EXPECT_THAT(conclusion(result_of(0, 0s), result_of(0, 0s)),
              HasSubstr("- No order was executed more than once."));
}

TEST(demo_story, does_not_hide_what_goes_badly_with_relent) {
  const std::string text = conclusion(result_of(1, 0s), result_of(2, std::nullopt));
  EXPECT_THAT(text, HasSubstr("Without Relent 1 order was executed more than once"));
  EXPECT_THAT(text, HasSubstr("With the same Idempotency-Key on every attempt 2 orders were."));
  EXPECT_THAT(text, HasSubstr("With Relent it was not back 9s after the outage"));
}

TEST(demo_story, stands_no_division_by_nothing) {
  const demo_result nothing;
  EXPECT_THAT(conclusion(nothing, nothing), HasSubstr("An order was sent 0.0 times"));
  EXPECT_THAT(demo_table({}, nothing, nothing), Not(HasSubstr("nan")));
}

TEST(demo_story, fits_a_terminal_of_eighty_columns) {
  const demo_result some = result_of(8, std::nullopt);
  const demo_plan plan;
  for (const std::string& line : lines_of(demo_introduction(plan) + demo_title(plan, demo_half::naive) +
                                          demo_title(plan, demo_half::with_relent) +
                                          demo_table(plan, some, some) + demo_conclusion(plan, some, some)))
    EXPECT_LE(line.size(), 80U) << line;
}

/// As it stands on the terminal: without colours, a character each a letter.
std::string seen(const std::string& line) {
  std::string text = std::regex_replace(line, std::regex("\x1b\\[[0-9;]*m"), "");
  std::erase_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; });
  return text;
}

TEST(demo_chart, has_lines_of_one_width_whatever_it_shows) {
  const demo_plan plan;
  for (const std::size_t width : {30U, 41U, 80U, 119U})
    for (const bool unicode : {true, false})
      for (const std::size_t length : {0U, 1U, 77U, 150U}) {
        load part = history_of(plan, 6, 200, 3);  // far above the scale
        part.resize(length);
        const auto lines = chart_lines(part, plan, {.width = width, .colour = unicode, .unicode = unicode});
        EXPECT_EQ(lines.size(), 10U);
        for (const std::string& line : lines) EXPECT_LE(seen(line).size(), width - 1) << line;
      }
}

TEST(demo_chart, tells_what_is_served_from_what_is_not) {
  const demo_plan plan;
  const chart_style ascii{.width = 80, .colour = false, .unicode = false};
  const auto lines = chart_lines(history_of(plan, 6, 60, 0), plan, ascii);
  EXPECT_EQ(lines[0], " 600 |" + std::string(15, ' ') + std::string(58, ':'));
  EXPECT_EQ(lines[7], "     |" + std::string(15, '#') + std::string(58, ':'));
}

TEST(demo_chart, shows_where_capacity_and_outage_are) {
  const demo_plan plan;
  const auto lines = chart_lines({}, plan, {.width = 80, .colour = false, .unicode = false});
  EXPECT_EQ(lines[6], " 100 |" + std::string(73, '-'));
  EXPECT_THAT(lines[8], HasSubstr("= down ="));
  EXPECT_EQ(lines[8].find('='), 6U + 15U);
}

TEST(demo_chart, is_plain_where_colours_are_not_wanted) {
  const demo_plan plan;
  std::string all = chart_legend({.colour = false});
  for (const std::string& line : chart_lines(history_of(plan, 6, 60, 3), plan, {.colour = false}))
    all += line;
  EXPECT_THAT(all, Not(HasSubstr("\x1b")));
}

}  // namespace
