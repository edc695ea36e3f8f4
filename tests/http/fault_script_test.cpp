// SPDX-License-Identifier: Apache-2.0
// The script language: what is read, and what is said of what cannot be.
#include <gtest/gtest.h>

#include <chrono>
#include <relent/testing/fault_server.hpp>
#include <string>
#include <vector>

#include "src/fault_server/script.hpp"

namespace relent::testing::faults {
namespace {

using namespace std::chrono_literals;

script_set read(const std::vector<std::string>& texts, bool tls = false) {
  script_reading read = read_scripts(texts, tls);
  for (const std::string& each : read.problems) ADD_FAILURE() << each;
  return read.scripts;
}

/// The one step of a script.
step read_step(const std::string& text) {
  const script_set scripts = read({text}, true);
  if (scripts.walks.size() != 1 || scripts.walks[0].steps.size() != 1) {
    ADD_FAILURE() << text << " is not one step";
    return {};
  }
  return scripts.walks[0].steps[0];
}

TEST(fault_script, reads_a_sequence_with_repeats_and_blanks) {
  const script_set scripts = read({" 503 * 2 ,\t200"});
  ASSERT_EQ(scripts.walks.size(), 1U);
  EXPECT_EQ(scripts.walks[0].path, "");
  EXPECT_TRUE(scripts.walks[0].prefix);
  ASSERT_EQ(scripts.walks[0].steps.size(), 2U);
  EXPECT_EQ(scripts.walks[0].steps[0].status, 503);
  EXPECT_EQ(scripts.walks[0].steps[0].repeat, 2U);
  EXPECT_EQ(scripts.walks[0].steps[1].status, 200);
  EXPECT_EQ(scripts.walks[0].steps[1].repeat, 1U);
}

TEST(fault_script, reads_paths_and_prefixes) {
  const script_set scripts = read({"/pay: 503", "/x*: reset", "/*:200"});
  ASSERT_EQ(scripts.walks.size(), 3U);
  EXPECT_EQ(scripts.walks[0].path, "/pay");
  EXPECT_FALSE(scripts.walks[0].prefix);
  EXPECT_EQ(scripts.walks[1].path, "/x");
  EXPECT_TRUE(scripts.walks[1].prefix);
  EXPECT_EQ(scripts.walks[2].path, "/");
}

TEST(fault_script, reads_every_option_of_an_answer) {
  const step read = read_step(
      "429(body=1MB, type=text/html, etag=a, header=\"X-A: 1\", header=\"X-B:2\", retry-after=7, date=+1h, "
      "after=20ms, "
      "ranges=no, framing=chunked, keep-alive=2s, execute=yes)");
  EXPECT_EQ(read.body, (body_spec{body_spec::source::pattern, 1'000'000, ""}));
  EXPECT_EQ(read.type, "text/html");
  EXPECT_EQ(read.etag, "\"a\"");
  EXPECT_EQ(read.headers, (std::vector<std::pair<std::string, std::string>>{{"X-A", "1"}, {"X-B", "2"}}));
  EXPECT_EQ(read.retry_after, (dated_value{"7", std::nullopt}));
  EXPECT_EQ(read.date, (dated_value{"", 1h}));
  EXPECT_EQ(read.delay, 20ms);
  EXPECT_FALSE(read.ranges);
  EXPECT_EQ(read.framing, body_framing::chunked);
  EXPECT_TRUE(read.keep_alive);
  EXPECT_EQ(read.idle, duration{2s});
  EXPECT_TRUE(read.executes);
}

TEST(fault_script, reads_retry_after_as_it_stands_or_as_a_date) {
  EXPECT_EQ(read_step("503(retry-after=99999999999999999999)").retry_after->text, "99999999999999999999");
  EXPECT_EQ(read_step("503(retry-after=2.5)").retry_after->text, "2.5");
  EXPECT_EQ(read_step("503(retry-after=\"-5\")").retry_after->text, "-5");
  EXPECT_EQ(read_step("503(retry-after=\"Fri, 31 Dec 1999 23:59:59 GMT\")").retry_after->text,
            "Fri, 31 Dec 1999 23:59:59 GMT");
  EXPECT_EQ(read_step("503(retry-after=+5s)").retry_after->offset, duration{5s});
  EXPECT_EQ(read_step("503(retry-after=-1m)").retry_after->offset, duration{-1min});
}

TEST(fault_script, reads_a_text_with_what_would_end_it_elsewhere) {
  EXPECT_EQ(read_step(R"(200(body="a, \"b\") \\ \r\n\t"))").body.text, "a, \"b\") \\ \r\n\t");
}

TEST(fault_script, takes_a_body_that_begins_with_a_digit_for_a_size) {
  EXPECT_EQ(read_step("200(body=ordered)").body, (body_spec{body_spec::source::text, 0, "ordered"}));
  EXPECT_EQ(read_step("200(body=5)").body, (body_spec{body_spec::source::pattern, 5, ""}));
  EXPECT_EQ(read_step("200(body=\"5\")").body, (body_spec{body_spec::source::text, 0, "5"}));
  EXPECT_EQ(read_step("200(body=\"\")").body, (body_spec{body_spec::source::text, 0, ""}));
}

TEST(fault_script, quotes_an_etag_that_has_no_quotes) {
  EXPECT_EQ(read_step("200(etag=v1)").etag, "\"v1\"");
  EXPECT_EQ(read_step(R"(200(etag="\"v1\""))").etag, "\"v1\"");
  EXPECT_EQ(read_step(R"(200(etag="W/\"v1\""))").etag, "W/\"v1\"");
}

TEST(fault_script, gives_a_cut_a_body_to_be_cut_from) {
  EXPECT_EQ(read_step("reset(after=10KB)").cut, 10'000U);
  EXPECT_EQ(read_step("reset(after=10KB)").body.size, 20'000U);
  EXPECT_EQ(read_step("close(after=0)").body.size, 1024U);
  EXPECT_EQ(read_step("stall(after=1KiB, body=4KiB, for=2s)").body.size, 4096U);
  EXPECT_EQ(read_step("stall(after=1KiB, for=2s)").hold, duration{2s});
}

TEST(fault_script, reads_what_stands_first_in_the_parentheses) {
  EXPECT_EQ(read_step("late(2s, body=5)").delay, 2s);
  EXPECT_EQ(read_step("late(2s, body=5)").body.size, 5U);
  EXPECT_EQ(read_step("refuse(1m30s)").delay, 90s);
  EXPECT_EQ(read_step("stall").hold, std::nullopt);
  EXPECT_EQ(read_step("stall(100ms)").hold, duration{100ms});
  EXPECT_EQ(read_step("drip(1KB/s, body=3)").rate, 1000U);
  EXPECT_EQ(read_step("drip(1KB/s)").body.size, 10'000U);
  EXPECT_EQ(read_step("409-while-in-flight").delay, 1s);
  EXPECT_EQ(read_step("409-while-in-flight(5s)").delay, 5s);
  EXPECT_EQ(read_step("malformed=big-header(10MB)").junk, 10'000'000U);
}

TEST(fault_script, reads_the_choices_of_random) {
  const step read = read_step("random(503(retry-after=1):0.3, reset : 1, 200:5)");
  ASSERT_EQ(read.choices.size(), 3U);
  EXPECT_EQ(read.choices[0].retry_after->text, "1");
  EXPECT_EQ(read.choices[0].weight, 0.3);
  EXPECT_EQ(read.choices[1].kind, step_kind::reset);
  EXPECT_EQ(read.choices[2].weight, 5);
}

TEST(fault_script, reads_the_rules_of_the_server) {
  const script_set scripts =
      read({"outage=2s..5s", "outage=7s..8s:refuse", "capacity=100/s:429(retry-after=1), cost=0.2",
            "latency=10ms..20ms", "200"});
  ASSERT_EQ(scripts.outages.size(), 2U);
  EXPECT_EQ(scripts.outages[0].from, 2s);
  EXPECT_EQ(scripts.outages[0].to, 5s);
  EXPECT_EQ(scripts.outages[0].instead.status, 503);
  EXPECT_EQ(scripts.outages[1].instead.kind, step_kind::refuse);
  EXPECT_EQ(scripts.capacity->per_second, 100);
  EXPECT_EQ(scripts.capacity->instead.status, 429);
  EXPECT_EQ(scripts.cost, 0.2);
  EXPECT_EQ(scripts.latency, (std::array<duration, 2>{10ms, 20ms}));
  EXPECT_EQ(read({"latency=10ms"}).latency, (std::array<duration, 2>{10ms, 10ms}));
}

struct execution_row {
  const char* id;
  const char* text;
  bool executes;
};

class executes_by_default : public ::testing::TestWithParam<execution_row> {};

TEST_P(executes_by_default, as_the_reference_says) {
  EXPECT_EQ(read_step(GetParam().text).executes, GetParam().executes) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    fault_script, executes_by_default,
    ::testing::Values(
        execution_row{"ok", "200", true}, execution_row{"created", "201", true},
        execution_row{"found", "302", false}, execution_row{"not_found", "404", false},
        execution_row{"too_early", "425", false}, execution_row{"too_many", "429", false},
        execution_row{"error", "500", true}, execution_row{"no_such", "501", false},
        execution_row{"gateway", "502", true}, execution_row{"unavailable", "503", false},
        execution_row{"timeout", "504", true}, execution_row{"late", "late(1s)", true},
        execution_row{"reset", "reset", true}, execution_row{"reset_cut", "reset(after=5)", true},
        execution_row{"reset_before", "reset(before=head)", false}, execution_row{"close", "close", true},
        execution_row{"stall", "stall", false}, execution_row{"stall_cut", "stall(after=5)", true},
        execution_row{"unclean", "unclean", true}, execution_row{"drip", "drip(1KB/s)", true},
        execution_row{"malformed", "malformed", true}, execution_row{"refresh", "401-until-refresh", false},
        execution_row{"in_flight", "409-while-in-flight", true},
        execution_row{"idle_close", "idle-close", true}, execution_row{"refuse", "refuse(1s)", false},
        execution_row{"head_only", "200(read=head)", false},
        execution_row{"told_no", "200(execute=no)", false},
        execution_row{"told_yes", "503(execute=yes)", true}),
    [](const auto& row) { return std::string(row.param.id); });

struct problem_row {
  const char* id;
  const char* text;
  const char* problem;
};

class is_refused : public ::testing::TestWithParam<problem_row> {};

TEST_P(is_refused, with_its_place_and_what_would_be_right) {
  const script_reading read = read_scripts({GetParam().text}, false);
  ASSERT_FALSE(read.problems.empty()) << GetParam().text;
  EXPECT_EQ(read.problems[0], GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
    fault_script, is_refused,
    ::testing::Values(
        problem_row{"empty", " ", "script 1:1: a script is empty: write steps as 503*2,200"},
        problem_row{"gap", "503,,200",
                    "script 1:5: a step is missing here: write a status, or reset, stall, ..."},
        problem_row{"comma_at_the_end", "503,",
                    "script 1:5: a step is missing here: write a status, or reset, stall, ..."},
        problem_row{"status", "99", "script 1:1: the status '99' is not a number from 100 to 599"},
        problem_row{"huge_status", "99999999999999999999",
                    "script 1:1: the status '99999999999999999999' is not a number from 100 to 599"},
        problem_row{"near_step", "200, restet", "script 1:6: 'restet' is no step: did you mean reset?"},
        problem_row{"near_option", "503(tetry-after=1)",
                    "script 1:5: 'tetry-after' is no option of a step: did you mean retry-after?"},
        problem_row{"option_of_another", "refuse(1s, body=5)", "script 1:12: refuse has no options"},
        problem_row{"option_elsewhere", "malformed(body=5)",
                    "script 1:11: 'body' is no option of malformed; it has execute"},
        problem_row{"option_twice", "503(retry-after=1, retry-after=2)",
                    "script 1:20: 'retry-after' is given twice"},
        problem_row{"option_without_value", "503(body)", "script 1:5: 'body' has no value: write body=..."},
        problem_row{"repeat", "503*0",
                    "script 1:5: the number of repeats '0' is not a number from 1 to 1000000000"},
        problem_row{"unit", "200(after=5)", "script 1:12: after '5' has no unit: write 250ms, 10s or 2m"},
        problem_row{"date_unit", "503(retry-after=+5)",
                    "script 1:19: retry-after '5' has no unit: write 250ms, 10s or 2m"},
        problem_row{"size", "200(body=5XB)",
                    "script 1:10: the body '5XB' is no size: write 100, 10KB, 64KiB or 1MB"},
        problem_row{"no_body", "200(body=)",
                    "script 1:10: a body is a size or a text: write body=1MB or body=\"hello\""},
        problem_row{"too_large", "200(body=2000GiB)",
                    "script 1:10: the body '2000GiB' is too large: at most 1099511627776 bytes"},
        problem_row{"no_quote", "200(body=\"abc",
                    "script 1:10: a text begins here that has no end: a quote is missing"},
        problem_row{"no_parenthesis", "200(body=5", "script 1:11: a parenthesis is missing here"},
        problem_row{"parenthesis_too_many", "200)", "script 1:4: there is a parenthesis too many"},
        problem_row{"no_comma", "503 200", "script 1:5: a comma is missing here: write steps as 503*2,200"},
        problem_row{"no_slash", "pay: 503", "script 1:1: a path begins with a slash: write /pay: ..."},
        problem_row{"no_colon", "/pay 503",
                    "script 1:1: a path needs a colon and steps: write /pay: 503*2,200"},
        problem_row{"star_inside", "/a*b: 503", "script 1:1: a star can only stand at the end of a path"},
        problem_row{"query", "/a?b: 503",
                    "script 1:1: a path has no blank, quote, comma, parenthesis, ? or #"},
        problem_row{"bodiless", "204(body=5)",
                    "script 1:1: an answer 204 has no body: leave out body and framing"},
        problem_row{"outside_the_body", "reset(after=10, body=10)",
                    "script 1:1: after=10 does not lie in a body of 10 bytes: it would not be cut"},
        problem_row{"body_of_silence", "stall(body=5)",
                    "script 1:1: stall answers nothing: give after=SIZE, or leave out what is answered"},
        problem_row{"two_resets", "reset(before=head, after=5)",
                    "script 1:1: a reset is either before=head or after=SIZE"},
        problem_row{"before_what", "reset(before=body)",
                    "script 1:14: a reset can only be before=head, or after=SIZE"},
        problem_row{"unread_execution", "200(read=head, execute=yes)",
                    "script 1:1: what has not been read cannot be executed: leave out execute=yes"},
        problem_row{"no_tls", "unclean",
                    "script 1:1: unclean needs TLS: without it the end of a connection looks like any other"},
        problem_row{"no_length", "refuse", "script 1:1: refuse needs to be told how much: write refuse(2s)"},
        problem_row{"no_pace", "drip", "script 1:1: drip needs to be told how much: write drip(1KB/s)"},
        problem_row{"pace", "drip(1KB)", "script 1:6: a pace is a size a second: write drip(1KB/s)"},
        problem_row{"no_size", "malformed=big-header",
                    "script 1:1: malformed needs to be told how much: write malformed=big-header(10MB)"},
        problem_row{"malformation", "malformed=heat",
                    "script 1:11: 'heat' is no way to be malformed: did you mean head?"},
        problem_row{"header_line", "200(header=\"a: b\\nc: d\")",
                    "script 1:12: a header is one line: write header=\"Name: value\""},
        problem_row{"header_name", "200(header=\"a b: c\")",
                    "script 1:12: a header is one line: write header=\"Name: value\""},
        problem_row{"own_header", "200(header=\"Content-Length: 5\")",
                    "script 1:12: 'Content-Length' is the server's: use framing, keep-alive or malformed"},
        problem_row{"split", "503(retry-after=\"1\\r\\nX: y\")", "script 1:17: a header's value is one line"},
        problem_row{"escape", "200(body=\"\\x\")",
                    "script 1:11: '\\' in a text has to be followed by n, r, t, a quote or another one"},
        problem_row{"weight", "random(503, 200:1)", "script 1:11: a choice needs its weight: write 503:0.3"},
        problem_row{"no_weight", "random(503:0)", "script 1:12: a weight has to be greater than 0"},
        problem_row{"nested", "random(random(200:1):1)", "script 1:8: random can only stand in a sequence"},
        problem_row{"no_choices", "random",
                    "script 1:1: random needs its choices: write random(503:0.3, 200:0.7)"},
        problem_row{"rule", "capicity=5/s", "script 1:1: 'capicity' is no rule: did you mean capacity?"},
        problem_row{"rule_and_steps", "cost=0.2, 503",
                    "script 1:11: '503' is no rule: there are outage, capacity, cost and latency"},
        problem_row{"refusal_in_rule", "outage=1s..2s:refuse(1s)",
                    "script 1:15: how long to refuse is told by the outage: write refuse alone"},
        problem_row{"refusal_of_capacity", "capacity=1/s:refuse",
                    "script 1:1: a capacity cannot refuse connections: use reset, or a status"},
        problem_row{"backwards", "outage=5s..2s", "script 1:8: the outage ends before it begins"},
        problem_row{"no_outage", "outage=5s",
                    "script 1:8: an outage has a beginning and an end: write outage=2s..5s"},
        problem_row{"no_capacity", "capacity=100",
                    "script 1:10: a capacity is so many requests a second: write capacity=100/s"},
        problem_row{"capacity_zero", "capacity=0/s",
                    "script 1:10: a capacity is so many requests a second: write capacity=100/s"},
        problem_row{"lonely_cost", "cost=0.2",
                    "script 1:1: a cost needs a capacity: write capacity=100/s, cost=0.2"},
        problem_row{"walk_in_rule", "outage=1s..2s:401-until-refresh",
                    "script 1:15: 401-until-refresh can only stand in a sequence"}),
    [](const auto& row) { return std::string(row.param.id); });

TEST(fault_script, tells_every_problem_of_every_script) {
  try {
    check_fault_scripts({"200", "503(tetry-after=1, after=5), reste", "/a: 200", "/a: 503"});
    FAIL() << "was accepted";
  } catch (const fault_script_error& error) {
    EXPECT_EQ(error.problems().size(), 4U);
    EXPECT_STREQ(error.what(),
                 "script 2:5: 'tetry-after' is no option of a step: did you mean retry-after?\n"
                 "script 2:27: after '5' has no unit: write 250ms, 10s or 2m\n"
                 "script 2:30: 'reste' is no step: did you mean reset?\n"
                 "script 4:1: this path has a script already");
  }
}

TEST(fault_script, is_refused_when_it_is_longer_than_anybody_would_write) {
  EXPECT_TRUE(read_scripts({std::string(longest_script, ' ') + "200"}, false).problems.size() == 1);
  EXPECT_TRUE(read_scripts({std::string(longest_script - 3, ' ') + "200"}, false).problems.empty());
}

}  // namespace
}  // namespace relent::testing::faults
