// SPDX-License-Identifier: Apache-2.0
// What `relent fetch` tells to a log, what it never tells, and how it gets on with other layers that retry.
#include "fetch_process.hpp"

#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using nlohmann::json;
using relent::testing::fault_server;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The records of a log in JSON.
std::vector<json> records_of(const std::string& log) {
  std::vector<json> records;
  for (const std::string& line : lines_of(log)) records.push_back(json::parse(line));
  return records;
}

std::vector<json> log_of(std::vector<std::string> words) {
  for (const char* word : {"-s", "--log", "-", "--log-format", "json"}) words.emplace_back(word);
  return records_of(fetch(words).err);
}

TEST(fetch_log, has_a_record_of_each_attempt_and_of_the_outcome) {
  const fault_server server({.scripts = {"503(retry-after=1), 200(body=\"hello\")"}});
  const auto log = log_of({"-d", "12345", "--repeatable", server.url("/x?key=v")});
  ASSERT_EQ(log.size(), 3U);
  const json& first = log[0];
  EXPECT_EQ(first["event"], "attempt");
  EXPECT_EQ(first["dependency"], server.url("/x") + "?...");
  EXPECT_EQ(first["method"], "POST");
  EXPECT_EQ(first["attempt"], 1);
  EXPECT_EQ(first["max_attempts"], 3);
  EXPECT_EQ(first["status"], 503);
  EXPECT_EQ(first["fault"], "overloaded");
  EXPECT_EQ(first["phase"], "response_body");
  EXPECT_EQ(first["server_delay_seconds"], 1.0);
  EXPECT_EQ(first["server_delay_header"], "retry-after");
  EXPECT_EQ(first["wait_source"], "server_delay");
  EXPECT_GE(first["wait_seconds"], 1.0);
  EXPECT_EQ(first["bytes_sent"], 5);
  EXPECT_EQ(first["new_connection"], true);
  EXPECT_GT(first["took_seconds"], 0.0);
  EXPECT_EQ(log[1]["status"], 200);
  EXPECT_EQ(log[1]["bytes_received"], 5);
  EXPECT_FALSE(log[1].contains("fault"));
  EXPECT_EQ(log[2]["event"], "outcome");
  EXPECT_EQ(log[2]["outcome"], "after_retry");
  EXPECT_EQ(log[2]["attempts"], 2);
  EXPECT_EQ(log[2]["exit_code"], 0);
  for (const json& each : log) EXPECT_EQ(each["call"], first["call"]);
}

TEST(fetch_log, tells_what_broke_and_how_far_it_had_come) {
  const fault_server server({.scripts = {"close(after=100,body=1000)"}});
  const auto log = log_of({"--retry", "0", server.url()});
  EXPECT_EQ(log[0]["curl_code"], 18);
  EXPECT_EQ(log[0]["fault"], "reset");
  EXPECT_EQ(log[0]["effect"], "possible");
  EXPECT_EQ(log[0]["bytes_received"], 100);
  EXPECT_EQ(log[1]["outcome"], "attempts");
  EXPECT_EQ(log[1]["exit_code"], 18);
  const auto refused = log_of({"--retry", "0", "http://127.0.0.1:1/"});
  EXPECT_EQ(refused[0]["phase"], "connect");
  EXPECT_EQ(refused[0]["effect"], "none");
}

TEST(fetch_log, is_a_file_in_other_formats_too) {
  const fault_server server({.scripts = {"503, 200"}});
  const scratch_folder folder;
  EXPECT_EQ(fetch({"-s", "--log", folder.file("text"), server.url()}).err, "");
  const auto text = lines_of(read_file(folder.file("text")));
  ASSERT_EQ(text.size(), 3U);
  EXPECT_THAT(text[0], HasSubstr(" GET " + server.url() +
                                 ": attempt 1 of 3: HTTP 503 Service Unavailable; retrying in"));
  EXPECT_THAT(text[2], HasSubstr("outcome: after_retry, exit code 0, attempts 2"));
  fetch({"-s", "--log", folder.file("logfmt"), "--log-format", "logfmt", server.url()});
  EXPECT_THAT(read_file(folder.file("logfmt")), HasSubstr(" event=outcome "));
  EXPECT_TRUE(fetch({"--log", "/nowhere/log", server.url()}).exited_with(125));
}

TEST(fetch_log, and_messages_hold_nothing_secret) {
  for (const bool with_user : {true, false})
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"-L", "-u", "me:s3cret", "-b", "a=s3cret", "-d", "s3cret", "--repeatable"},
          {"-L", "--oauth2-bearer", "s3cret", "-H", "Authorization: s3cret", "-H", "X-Key: s3cret"}}) {
      const recording_server server(
          {answer(503, "s3cret", {"Set-Cookie: s3cret", "Content-Type: application/problem+json"}),
           answer(302, "s3cret", {"Location: /?s3cret"}),
           answer(404, "{\"title\":\"s3cret\"}", {"Content-Type: application/problem+json"})});
      std::vector<std::string> all = words;
      for (const char* word : {"--log", "-", "--log-format", "json"}) all.emplace_back(word);
      all.push_back(with_user ? "http://me:s3cret@" + server.host() + "/p?s3cret#s3cret"
                              : server.url("/p?s3cret"));
      const finished end = fetch(all);
      EXPECT_THAT(end.err, AllOf(HasSubstr("HTTP 503"), HasSubstr("HTTP 404"), Not(HasSubstr("s3cret"))));
      all.emplace_back("--dry-run");
      EXPECT_THAT(fetch(all).out, Not(HasSubstr("s3cret")));
    }
}

std::string in_seconds(double from_now) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(now.count() + from_now);
}

TEST(fetch_inside_a_run, makes_one_attempt_unless_told_otherwise) {
  const fault_server server({.scripts = {"503"}});
  std::vector<std::string> words{"run", "--base", "1ms", "--max-attempts", "2", "--", RELENT_TOOL};
  for (const std::string& word : fetch_words({server.url()})) words.push_back(word);
  const finished end = run_tool(words);
  EXPECT_TRUE(end.exited_with(22));
  EXPECT_EQ(server.totals().attempts, 2U);
  EXPECT_THAT(
      end.err,
      HasSubstr("attempt 1 of 1: HTTP 503 Service Unavailable; giving up: an enclosing relent run does "
                "the retrying"));
  words.insert(words.end(), {"--nested", "retry"});
  EXPECT_TRUE(run_tool(words).exited_with(22));
  EXPECT_EQ(server.totals().attempts, 2U + 6U);
}

TEST(fetch_inside_a_run_real_time, keeps_its_deadline) {
  const fault_server server({.scripts = {"stall"}});
  const long long before = now_ms();
  const finished end = fetch({server.url()}, [] {
    with_variable("RELENT_ATTEMPT", "1")();
    with_variable("RELENT_DEADLINE", in_seconds(0.3))();
  });
  EXPECT_TRUE(end.exited_with(28));
  EXPECT_LT(now_ms() - before, 5000);
}

TEST(fetch_inside_a_run, sends_the_same_key_when_that_repeats_its_attempt) {
  const recording_server server({answer(503), answer(200), answer(200)});
  std::vector<std::string> words{"run", "--base", "1ms", "--", RELENT_TOOL};
  for (const std::string& word : fetch_words({"-d", "1", "--idempotency-key", server.url()}))
    words.push_back(word);
  EXPECT_TRUE(run_tool(words).exited_with(0));
  const std::string key = header_in(server.request(0), "idempotency-key");
  EXPECT_EQ(key.size(), 38U);
  EXPECT_EQ(header_in(server.request(1), "idempotency-key"), key);
  EXPECT_TRUE(run_tool(words).exited_with(0));
  EXPECT_NE(header_in(server.request(2), "idempotency-key"), key);
}

TEST(fetch_budget, is_shared_with_runs) {
  const fault_server server({.scripts = {"503"}});
  const scratch_folder folder;
  const auto state = with_variable("XDG_STATE_HOME", folder.file("state"));
  const finished first = fetch({"--budget", "b", "--max-attempts", "20", server.url()}, state);
  EXPECT_TRUE(first.exited_with(22));
  EXPECT_THAT(first.err, HasSubstr("giving up: the retry budget is empty"));
  EXPECT_EQ(server.totals().attempts, 11U);
  const finished run = run_tool({"run", "--base", "1ms", "--budget", "b", "--", "false"}, state);
  EXPECT_THAT(run.err, HasSubstr("giving up: the retry budget is empty"));
}

TEST(fetch_policy, is_taken_from_a_file) {
  const fault_server server({.scripts = {"429"}});
  const scratch_folder folder;
  write_file(folder.file("p.toml"), "[policy.api]\nmax_attempts = 2\nbackoff = { base = \"1ms\" }\n");
  const finished end = run_tool({"fetch", "--policy", folder.file("p.toml") + ":api", server.url()});
  EXPECT_THAT(end.err, HasSubstr("attempt 2 of 2"));
  EXPECT_TRUE(end.exited_with(22));
}

struct hostile_row {
  const char* id;
  const char* script;
  int code;
  friend void PrintTo(const hostile_row& row, std::ostream* out) { *out << row.id; }
};

class hostile_server : public testing::TestWithParam<hostile_row> {};

TEST_P(hostile_server, costs_a_clear_result) {
  const fault_server server({.scripts = {GetParam().script}});
  const finished end = fetch({"--max-attempts", "2", server.url()});
  EXPECT_TRUE(end.exited_with(GetParam().code)) << end.err;
  EXPECT_EQ(end.out, "");
  for (const std::string& line : lines_of(end.err)) EXPECT_LT(line.size(), 400U);
}

INSTANTIATE_TEST_SUITE_P(
    table, hostile_server,
    testing::Values(hostile_row{"junk_for_an_answer", "malformed", 1},
                    hostile_row{"line_without_a_colon", "malformed=head", 8},
                    hostile_row{"negative_length", "malformed=length", 8},
                    hostile_row{"bad_chunk", "malformed=chunk", 56},
                    hostile_row{"nul_in_a_header", "malformed=nul", 8},
                    hostile_row{"ten_megabytes_of_header", "malformed=big-header(10MB)", 8},
                    hostile_row{"a_delay_of_ages", "503(retry-after=\"100000000000000000000\")", 22},
                    hostile_row{"a_delay_that_is_no_number", "503(retry-after=\"-1e400\")", 22},
                    hostile_row{"a_date_without_end",
                                "503(retry-after=\"Fri, 31 Dec 99999999999 23:59:59 GMT\")", 22}),
    [](const auto& info) { return std::string(info.param.id); });

}  // namespace
