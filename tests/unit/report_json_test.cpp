// SPDX-License-Identifier: Apache-2.0
// The report as JSON: its exact text, and that a JSON parser reads it whatever an error says.
#include <relent/report.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using nlohmann::json;
using relent::fault;
using relent::fault_kind;
using relent::report;
using relent::stop_reason;
using relent::to_json;

report with_text(const std::string& text) {
  report story{.attempts = 1, .max_attempts = 3, .stop = stop_reason::attempts};
  story.records.add({.number = 1, .fault = fault{.kind = fault_kind::reset}, .error_text = text});
  return story;
}

std::string text_in(const report& story) { return json::parse(to_json(story))["records"][0]["error"]; }

TEST(report_json, of_a_success_after_a_retry) {
  report story{
      .dependency = "payments", .attempts = 2, .max_attempts = 4, .elapsed = 1'250ms, .waited = 1'200ms};
  story.records.add({.number = 1,
                     .fault = fault{.kind = fault_kind::overloaded},
                     .error_text = "503",
                     .ended = 50ms,
                     .wait = 1'200ms,
                     .source = relent::wait_source::server_delay});
  story.records.add({.number = 2, .ended = 1'250ms});
  EXPECT_EQ(to_json(story),
            R"({"dependency":"payments","outcome":"after_retry","attempts":2,"max_attempts":4,)"
            R"("elapsed_seconds":1.25,"waited_seconds":1.2,"records":[)"
            R"({"attempt":1,"ended_seconds":0.05,"fault":"overloaded","effect":"possible","error":"503",)"
            R"("wait_seconds":1.2,"wait_source":"server_delay"},{"attempt":2,"ended_seconds":1.25}]})");
}

TEST(report_json, of_a_failure) {
  report story{.attempts = 1, .max_attempts = 3, .stop = stop_reason::server_delay, .elapsed = 1ns};
  story.server_delay = 3600s;
  story.records.add({.number = 1, .fault = fault{.kind = fault_kind::rejected}, .ended = 1ns});
  EXPECT_EQ(to_json(story),
            R"({"outcome":"server_delay","attempts":1,"max_attempts":3,"elapsed_seconds":0.000000001,)"
            R"("waited_seconds":0.0,"server_delay_seconds":3600.0,)"
            R"("records":[{"attempt":1,"ended_seconds":0.000000001,"fault":"rejected","effect":"none"}]})");
}

TEST(report_json, names_every_outcome) {
  const auto outcome_of = [](const report& story) { return json::parse(to_json(story))["outcome"]; };
  EXPECT_EQ(outcome_of({}), "not_run");
  EXPECT_EQ(outcome_of({.attempts = 1}), "first_try");
  EXPECT_EQ(outcome_of({.attempts = 2}), "after_retry");
  EXPECT_EQ(outcome_of({.stop = stop_reason::breaker}), "breaker");
}

TEST(report_json, gives_the_hint_for_an_unclassified_error) {
  report story{.attempts = 1, .max_attempts = 3, .stop = stop_reason::permanent};
  story.records.add({.number = 1, .fault = fault{}});
  EXPECT_EQ(json::parse(to_json(story))["hint"], relent::hint_for(story));
  EXPECT_FALSE(json::parse(to_json(with_text("x"))).contains("hint"));
}

TEST(report_json, counts_the_records_that_were_dropped) {
  report story{.attempts = 100, .max_attempts = 100};
  for (std::uint32_t n = 1; n <= 100; ++n) story.records.add({.number = n});
  const json parsed = json::parse(to_json(story));
  EXPECT_EQ(parsed["records"].size(), 64U);
  EXPECT_EQ(parsed["records_dropped"], 36);
  EXPECT_FALSE(json::parse(to_json(with_text("x"))).contains("records_dropped"));
}

TEST(report_json, escapes_what_json_cannot_hold) {
  const std::string awkward = "quote \" backslash \\ newline \n tab \t escape \x1b delete \x7f zero \0 end"s;
  EXPECT_NE(to_json(with_text(awkward)).find(R"(quote \" backslash \\ newline \u000a tab \u0009)"),
            std::string::npos);
  EXPECT_EQ(text_in(with_text(awkward)), awkward);
}

TEST(report_json, escapes_in_names_too) {
  EXPECT_EQ(json::parse(to_json({.dependency = "a\"b\n"}))["dependency"], "a\"b\n");
}

TEST(report_json, leaves_utf_8_as_it_is) {
  for (const std::string text :
       {"\xc2\x80", "größer", "\u20ac", "\xed\x9f\xbf", "\xee\x80\x80", "\U0001f600", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(text_in(with_text(text)), text);
    EXPECT_NE(to_json(with_text(text)).find(text), std::string::npos) << "not escaped";
  }
}

TEST(report_json, replaces_what_is_not_utf_8) {
  const std::string replacement = "\ufffd";
  EXPECT_EQ(text_in(with_text("caf\xe9!")), "caf" + replacement + "!") << "Latin 1";
  EXPECT_EQ(text_in(with_text("cut \xe2\x82")), "cut " + replacement + replacement);
  EXPECT_EQ(text_in(with_text("\xc0\xaf")), replacement + replacement) << "overlong";
  EXPECT_EQ(text_in(with_text("\xe0\x80\x80")), replacement + replacement + replacement) << "overlong";
  EXPECT_EQ(text_in(with_text("\xed\xa0\x80")), replacement + replacement + replacement) << "surrogate";
  EXPECT_EQ(text_in(with_text("\xf4\x90\x80\x80x")).back(), 'x') << "beyond U+10FFFF";
  EXPECT_EQ(text_in(with_text("\x80\xff")), replacement + replacement);
  EXPECT_EQ(text_in(with_text("\xe2\"")), replacement + "\"") << "the quote is not swallowed";
}

TEST(report_json, survives_every_pair_of_bytes) {
  for (int high = 0; high < 256; ++high) {
    std::string text;
    for (int low = 0; low < 256; ++low) text += {static_cast<char>(high), static_cast<char>(low), 'x'};
    ASSERT_TRUE(json::accept(to_json(with_text(text)))) << high;
  }
}

}  // namespace
