// SPDX-License-Identifier: Apache-2.0
// The story of a call: what the report keeps, its line for a person. Its JSON: report_json_test.cpp.
#include <relent/report.hpp>
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

namespace {

using namespace std::chrono_literals;
using relent::attempt_record;
using relent::fault;
using relent::fault_kind;
using relent::record_list;
using relent::report;
using relent::stop_reason;
using relent::to_line;

attempt_record record(std::uint32_t number, std::string text = {}) {
  return {.number = number, .fault = fault{.kind = fault_kind::overloaded}, .error_text = std::move(text)};
}

report gave_up(stop_reason why, fault last, std::string text = {}) {
  report story{.attempts = 3, .max_attempts = 3, .stop = why, .elapsed = 312ms};
  story.records.add({.number = 3, .fault = last, .error_text = std::move(text)});
  return story;
}

TEST(record_list, keeps_records_in_order) {
  record_list list;
  EXPECT_TRUE(list.empty());
  for (std::uint32_t n = 1; n <= 3; ++n) list.add(record(n));
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].number, 1U);
  EXPECT_EQ(list.latest().number, 3U);
  std::uint32_t expected = 1;
  for (const attempt_record& one : list) EXPECT_EQ(one.number, expected++);
  EXPECT_EQ(list.dropped(), 0U);
}

TEST(record_list, keeps_the_first_half_and_the_latest_records) {
  record_list list;
  for (std::uint32_t n = 1; n <= 100; ++n) list.add(record(n));
  ASSERT_EQ(list.size(), record_list::capacity);
  EXPECT_EQ(list.dropped(), 36U);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(list[i].number, i + 1);
    EXPECT_EQ(list[32 + i].number, 69 + i);
  }
}

TEST(record_list, drops_nothing_up_to_its_capacity) {
  record_list list;
  for (std::uint32_t n = 1; n <= record_list::capacity; ++n) list.add(record(n));
  EXPECT_EQ(list.dropped(), 0U);
  list.add(record(65));
  EXPECT_EQ(list.dropped(), 1U);
  EXPECT_EQ(list[31].number, 32U);
  EXPECT_EQ(list[32].number, 34U);
}

TEST(record_list, copies_and_moves_as_a_value) {
  record_list list;
  for (std::uint32_t n = 1; n <= 70; ++n) list.add(record(n, "busy"));
  record_list copy = list;
  copy.latest().error_text = "changed";
  EXPECT_EQ(list.latest().error_text, "busy");
  EXPECT_EQ(copy.dropped(), 6U);

  record_list moved = std::move(copy);
  EXPECT_EQ(moved.latest().error_text, "changed");
  EXPECT_TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): it says what is left
  copy = list;
  EXPECT_EQ(copy.latest().error_text, "busy");
  list = record_list();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.dropped(), 0U);
  list.add(record(1));
  EXPECT_EQ(list.size(), 1U);
}

TEST(report, stays_small_however_often_a_call_is_retried) {
  relent::testing::manual_clock clock;
  report story;
  const std::string long_text(5'000, 'x');
  EXPECT_THROW(
      relent::retry(relent::policy{{.max_attempts = 10'001, .deadline = std::nullopt}},
                    [&] { throw std::runtime_error(long_text); },
                    {.report = &story, .classify = relent::retry_on<std::runtime_error>, .clock = &clock}),
      std::runtime_error);
  EXPECT_EQ(story.attempts, 10'001U);
  EXPECT_EQ(story.records.size(), record_list::capacity);
  EXPECT_EQ(story.records.dropped(), 10'001U - record_list::capacity);
  std::size_t bytes = 0;
  for (const attempt_record& one : story.records) bytes += sizeof one + one.error_text.capacity() + 1;
  EXPECT_LT(bytes, 64U * 1024U) << "flat, though 50 MB of texts went by";
  EXPECT_EQ(story.records.begin()->number, 1U);
  EXPECT_EQ(story.records.latest().number, 10'001U);
  EXPECT_EQ(story.records.latest().error_text.size(), 500U);
}

TEST(report, has_a_line_before_the_call) { EXPECT_EQ(to_line(report{}), "not run"); }

TEST(report, has_a_line_for_a_success) {
  EXPECT_EQ(to_line({.attempts = 1, .max_attempts = 3, .elapsed = 1'234'567ns}),
            "succeeded after 1 attempt in 1.23ms");
  EXPECT_EQ(to_line({.dependency = "payments", .attempts = 2, .max_attempts = 3, .elapsed = 98'765ms}),
            "payments: succeeded after 2 attempts in 98.7s");
}

TEST(report, has_a_line_for_a_refusal) {
  EXPECT_EQ(to_line({.dependency = "payments", .stop = stop_reason::breaker}),
            "payments: refused before the first attempt: the breaker is open");
}

TEST(report, has_a_line_for_a_failure) {
  report story = gave_up(stop_reason::attempts, {.kind = fault_kind::overloaded}, "503 Service Unavailable");
  story.dependency = "payments";
  EXPECT_EQ(to_line(story),
            "payments: gave up after 3 attempts in 312ms: all attempts are used; "
            "last fault overloaded (503 Service Unavailable)");
  EXPECT_EQ(to_line(gave_up(stop_reason::deadline, {.kind = fault_kind::timeout})),
            "gave up after 3 attempts in 312ms: the next attempt would not fit before the deadline; "
            "last fault timeout");
}

TEST(report, names_the_wait_that_was_too_long) {
  report story =
      gave_up(stop_reason::server_delay, {.kind = fault_kind::rate_limited, .server_delay = 3600s});
  story.server_delay = 3600s;
  EXPECT_EQ(
      to_line(story),
      "gave up after 3 attempts in 312ms: the server asked for a longer wait than the policy accepts (1h); "
      "last fault rate_limited");
}

constexpr const char* hint =
    "nobody classified this error: pass .classify = relent::retry_on<E> if another try can help "
    "(a relent_fault(const E&) beside E says what it means)";

TEST(report, says_what_can_be_done_about_an_error_that_nobody_classified) {
  const report story = gave_up(stop_reason::permanent, {}, "store::busy: table is locked");
  EXPECT_EQ(relent::hint_for(story), hint);
  EXPECT_EQ(to_line(story), std::string("gave up after 3 attempts in 312ms: trying again cannot help; "
                                        "last fault unknown (store::busy: table is locked); ") +
                                hint);
}

TEST(report, has_no_hint_where_somebody_decided) {
  EXPECT_EQ(relent::hint_for(gave_up(stop_reason::permanent, {.kind = fault_kind::rejected})), "");
  EXPECT_EQ(relent::hint_for(gave_up(stop_reason::permanent, {.transient = false})), "");
  EXPECT_EQ(relent::hint_for(gave_up(stop_reason::attempts, {.transient = true})), "");
  EXPECT_EQ(relent::hint_for({.stop = stop_reason::permanent}), "");
  EXPECT_EQ(relent::hint_for({.attempts = 1}), "");
}

TEST(report, keeps_its_line_to_one_line_whatever_the_error_says) {
  const std::string line = to_line(
      gave_up(stop_reason::attempts, {.kind = fault_kind::reset}, "first\nsecond\r\n\tthird\x1b[31m\x7f"));
  EXPECT_EQ(line,
            "gave up after 3 attempts in 312ms: all attempts are used; last fault reset (first second   "
            "third [31m )");
}

TEST(report, of_a_call_replaces_what_it_held) {
  relent::testing::manual_clock clock;
  report story = gave_up(stop_reason::breaker, {.kind = fault_kind::reset}, "an older story");
  EXPECT_EQ(relent::retry([] { return 7; }, {.report = &story, .clock = &clock}), 7);
  EXPECT_TRUE(story.succeeded());
  EXPECT_EQ(story.attempts, 1U);
  EXPECT_EQ(story.max_attempts, 3U);
  ASSERT_EQ(story.records.size(), 1U);
  EXPECT_EQ(story.records[0].fault, std::nullopt);
  EXPECT_EQ(to_line(story), "succeeded after 1 attempt in 0s");
}

TEST(report, of_an_unclassified_exception_tells_the_type_and_the_remedy) {
  relent::testing::manual_clock clock;
  report story;
  EXPECT_THROW(relent::retry([] { throw std::out_of_range("index 9"); }, {.report = &story, .clock = &clock}),
               std::out_of_range);
  EXPECT_EQ(to_line(story), std::string("gave up after 1 attempt in 0s: trying again cannot help; "
                                        "last fault unknown (std::out_of_range: index 9); ") +
                                hint);
}

}  // namespace
