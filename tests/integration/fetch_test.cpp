// SPDX-License-Identifier: Apache-2.0
// `relent fetch` as a process: what goes to stdout and stderr, what is asked for, exit codes.
#include "fetch_process.hpp"

#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <csignal>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using relent::testing::fault_server;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

TEST(fetch, writes_the_answer_and_nothing_else) {
  const fault_server server({.scripts = {"200(body=\"hello\")"}});
  const finished end = fetch({server.url()});
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.out, "hello");
  EXPECT_EQ(end.err, "");
}

TEST(fetch, keeps_failed_answers_off_stdout) {
  const fault_server server(
      {.scripts = {"503(body=\"sorry\"), close(after=100,body=1000), 200(body=\"hello\")"}});
  const finished end = fetch({server.url()});
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.out, "hello");
  EXPECT_THAT(end.told(),
              ElementsAre(MatchesRegex("relent: attempt 1 of 3: HTTP 503 Service Unavailable; retrying "
                                       "in .* \\(backoff\\)"),
                          MatchesRegex("relent: attempt 2 of 3: .*closed.*; retrying in .*"),
                          "relent: attempt 3 of 3: succeeded"));
}

TEST(fetch, gives_up_with_the_last_failure) {
  const fault_server server({.scripts = {"503(body=\"sorry\")"}});
  const finished end = fetch({server.url()});
  EXPECT_TRUE(end.exited_with(22));
  EXPECT_EQ(end.out, "");
  EXPECT_EQ(end.told().back(),
            "relent: attempt 3 of 3: HTTP 503 Service Unavailable; giving up: all 3 attempts are used");
  EXPECT_EQ(server.totals().attempts, 3U);
}

TEST(fetch, writes_the_body_of_a_failure_if_told_to) {
  const fault_server server({.scripts = {"404(body=\"why\")"}});
  EXPECT_EQ(fetch({server.url()}).out, "");
  const finished end = fetch({"--fail-with-body", server.url()});
  EXPECT_TRUE(end.exited_with(22));
  EXPECT_EQ(end.out, "why");
}

TEST(fetch, is_silent_but_for_the_end_where_it_is_told_so) {
  const fault_server server({.scripts = {"503"}});
  EXPECT_EQ(fetch({"-s", server.url()}).err, "");
  EXPECT_THAT(
      fetch({"-sS", server.url()}).told(),
      ElementsAre(
          "relent: attempt 3 of 3: HTTP 503 Service Unavailable; giving up: all 3 attempts are used"));
  EXPECT_EQ(fetch({"-s", "--retry-delay", "0.001", "--base", "1ms", server.url()}).out, "");
}

struct exit_row {
  const char* id;
  const char* script;
  std::vector<std::string> words;
  int code;
  friend void PrintTo(const exit_row& row, std::ostream* out) { *out << row.id; }
};

class fetch_exit : public testing::TestWithParam<exit_row> {};

TEST_P(fetch_exit, is_that_of_curl) {
  const fault_server server({.scripts = {GetParam().script}});
  std::vector<std::string> words = GetParam().words;
  words.push_back(server.url());
  const finished end = fetch(words);
  EXPECT_TRUE(end.exited_with(GetParam().code)) << end.err;
  if (GetParam().code != 0) {
    EXPECT_EQ(end.out, "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    table, fetch_exit,
    testing::Values(
        exit_row{"success", "200", {}, 0}, exit_row{"no_content", "204", {}, 0},
        exit_row{"redirect_not_followed", "302(header=\"Location: /\")", {}, 0},
        exit_row{"not_found", "404", {}, 22}, exit_row{"unauthorized", "401", {}, 22},
        exit_row{"server_error", "500", {}, 22}, exit_row{"no_answer", "close", {}, 52},
        exit_row{"reset", "reset", {}, 56}, exit_row{"cut", "close(after=10,body=100)", {}, 18},
        exit_row{"attempt_out_of_time", "stall", {"-m", "0.05"}, 28},
        exit_row{"out_of_time", "stall", {"--deadline", "50ms"}, 28},
        exit_row{"redirects_without_end", "302(header=\"Location: /\")", {"-L", "--max-redirs", "3"}, 47},
        exit_row{"huge_head", "malformed=big-header(1MB)", {}, 8},
        exit_row{"http_failure_though_out_of_time", "503(retry-after=20)", {"--deadline", "5s"}, 22}),
    [](const auto& info) { return std::string(info.param.id); });

TEST(fetch_exit, of_what_cannot_be_reached_is_7_and_of_an_unknown_name_6) {
  EXPECT_TRUE(fetch({"http://127.0.0.1:1/"}).exited_with(7));
  EXPECT_TRUE(fetch({"--retry", "0", "http://no-such-host.invalid/"}).exited_with(6));
}

TEST(fetch_exit, of_wrong_usage_is_125) {
  const finished end = fetch({"--jiter", "full", "--retry", "x"});
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_THAT(lines_of(end.err),
              ElementsAre("relent fetch: --jiter: unknown flag; did you mean --jitter?",
                          "relent fetch: --retry: 'x' is not a whole number from 0 to 4294967294",
                          StartsWith("relent fetch: no address")));
}

TEST(fetch_exit, of_an_answer_that_cannot_be_written_is_23) {
  const fault_server server({.scripts = {"200"}});
  EXPECT_TRUE(fetch({"-o", "/nowhere/file", server.url()}).exited_with(23));
  EXPECT_EQ(server.totals().attempts, 0U) << "asked before it was known where to put the answer";
  pipe_pair closed;
  closed.close_reader();
  EXPECT_TRUE(fetch({server.url()}, [&] { ::dup2(closed.writer(), STDOUT_FILENO); }).exited_with(23));
}

TEST(fetch, over_tls_wants_a_certificate_that_is_trusted) {
  const fault_server server({.scripts = {"200(body=\"hello\")"}, .tls = true});
  const finished end = fetch({server.url()});
  EXPECT_TRUE(end.exited_with(60)) << end.err;
  EXPECT_EQ(end.told().size(), 1U) << "tried again";
  EXPECT_EQ(fetch({"--cacert", server.certificate_file(), server.url()}).out, "hello");
  EXPECT_EQ(fetch({"-k", server.url()}).out, "hello");
}

TEST(fetch, asks_for_what_the_flags_say) {
  const recording_server server({answer(200)});
  EXPECT_TRUE(fetch({"-u", "me:secret", "-A", "somebody", "-e", "http://from", "-b", "c=1", "-b", "d=2", "-H",
                     "X-One: 1", "-H", "X-Two;", "-r", "0-9", "-X", "OPTIONS", server.url("/p?q")})
                  .exited_with(0));
  const std::string asked = server.request(0);
  EXPECT_THAT(asked, StartsWith("OPTIONS /p?q HTTP/1.1\r\n"));
  EXPECT_EQ(header_in(asked, "authorization"), "Basic bWU6c2VjcmV0");
  EXPECT_EQ(header_in(asked, "user-agent"), "somebody");
  EXPECT_EQ(header_in(asked, "referer"), "http://from");
  EXPECT_EQ(header_in(asked, "cookie"), "c=1; d=2");
  EXPECT_EQ(header_in(asked, "x-one"), "1");
  EXPECT_THAT(asked, HasSubstr("\r\nX-Two:"));
  EXPECT_EQ(header_in(asked, "range"), "bytes=0-9");
}

TEST(fetch, tells_who_it_is_unless_told_otherwise) {
  const recording_server server({answer(200)});
  fetch({server.url()});
  fetch({"-A", "", server.url()});
  fetch({"-H", "User-Agent:", "-H", "Accept:", server.url()});
  EXPECT_THAT(header_in(server.request(0), "user-agent"), StartsWith("relent/"));
  EXPECT_EQ(header_in(server.request(1), "user-agent"), "");
  EXPECT_EQ(header_in(server.request(2), "user-agent"), "");
  EXPECT_EQ(header_in(server.request(1), "accept"), "*/*");
  EXPECT_EQ(header_in(server.request(2), "accept"), "");
}

TEST(fetch, takes_headers_from_a_file) {
  const scratch_folder folder;
  write_file(folder.file("headers"), "A: 1\r\n\nB: 2\n");
  const recording_server server({answer(200)});
  EXPECT_TRUE(fetch({"-H", "@" + folder.file("headers"), server.url()}).exited_with(0));
  EXPECT_EQ(header_in(server.request(0), "a"), "1");
  EXPECT_EQ(header_in(server.request(0), "b"), "2");
}

TEST(fetch, writes_the_head_before_the_body) {
  const recording_server server({answer(200, "body", {"X-One: 1"})});
  EXPECT_THAT(fetch({"-i", server.url()}).out,
              AllOf(StartsWith("HTTP/1.1 200\r\nX-One: 1\r\n"), testing::EndsWith("\r\n\r\nbody")));
}

TEST(fetch, asks_for_the_head_alone) {
  const recording_server server({answer(200, "", {"X-One: 1", "Content-Length: 5"})});
  const finished end = fetch({"-I", server.url()});
  EXPECT_TRUE(end.exited_with(0)) << end.err;
  EXPECT_THAT(server.request(0), StartsWith("HEAD / "));
  EXPECT_THAT(end.out, AllOf(StartsWith("HTTP/1.1 200\r\n"), HasSubstr("X-One: 1\r\n")));
}

TEST(fetch, follows_redirects_without_taking_credentials_along_to_another_origin) {
  const recording_server other({answer(200, "there")});
  const recording_server server({answer(302, "here", {"Location: " + other.url("/x")})});
  const finished end = fetch({"-L", "-u", "me:secret", server.url()});
  EXPECT_EQ(end.out, "there");
  EXPECT_EQ(header_in(other.request(0), "authorization"), "");
  EXPECT_EQ(fetch({server.url()}).out, "here");
}

TEST(fetch_real_time, waits_as_long_as_the_server_asks_and_names_the_header) {
  const fault_server server({.scripts = {"503(retry-after=1), 200"}});
  const long long before = now_ms();
  const finished end = fetch({server.url()});
  EXPECT_GE(now_ms() - before, 1000);
  EXPECT_THAT(end.told().front(), HasSubstr("(retry-after)"));
}

TEST(fetch, does_not_wait_longer_than_the_policy_accepts) {
  const fault_server server({.scripts = {"503(retry-after=86400), 200"}});
  const finished end = fetch({server.url()});
  EXPECT_TRUE(end.exited_with(22));
  EXPECT_THAT(end.err,
              HasSubstr("giving up: the server asks for 24h (retry-after), and at most 5m is waited"));
}

TEST(fetch, ends_an_attempt_in_which_nothing_moves) {
  const fault_server server({.scripts = {"stall, 200(body=\"hello\")"}});
  const finished end = fetch({"--stall-timeout", "1s", server.url()});
  EXPECT_EQ(end.out, "hello");
  EXPECT_EQ(server.totals().attempts, 2U);
}

TEST(fetch, ends_at_once_when_told_to_and_by_the_same_signal) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    const fault_server server({.scripts = {"stall"}});
    tool_process tool(fetch_words({server.url()}));
    ASSERT_TRUE(eventually([&] { return server.totals().attempts > 0; }));
    tool.signal(number);
    const finished end = tool.finish();
    EXPECT_TRUE(end.died_of(number));
    EXPECT_EQ(end.out, "");
    EXPECT_THAT(end.err, HasSubstr(" was received"));
  }
}

TEST(fetch, ends_a_wait_when_told_to) {
  const fault_server server({.scripts = {"503(retry-after=100)"}});
  tool_process tool(fetch_words({server.url()}));
  ASSERT_TRUE(tool.wait_for_message("retrying in"));
  tool.signal(SIGTERM);
  const finished end = tool.finish();
  EXPECT_TRUE(end.died_of(SIGTERM));
  EXPECT_EQ(end.told().back(), "relent: no further attempt: SIGTERM was received");
}

TEST(fetch, does_not_leave_a_password_in_the_list_of_processes) {
  const fault_server server({.scripts = {"stall"}});
  tool_process tool(fetch_words({"-u", "me:s3cret", "--oauth2-bearer=s3cret", server.url()}));
  ASSERT_TRUE(eventually([&] { return server.totals().attempts > 0; }));
  const std::string shown = read_file("/proc/" + std::to_string(tool.pid()) + "/cmdline");
  EXPECT_THAT(shown, AllOf(HasSubstr("fetch"), Not(HasSubstr("s3cret"))));
}

TEST(fetch, explains_what_it_would_do_and_does_nothing) {
  const fault_server server({.scripts = {"200"}});
  const finished end = fetch({"--dry-run", "--retry", "4", "-d", "x", server.url("/pay?key=s3cret")});
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_THAT(end.out,
              AllOf(HasSubstr("the defaults of relent fetch"), HasSubstr("Nothing was sent: POST http://"),
                    HasSubstr("/pay?..."), Not(HasSubstr("s3cret"))));
  EXPECT_EQ(server.totals().attempts, 0U);
}

TEST(fetch, unpacks_what_it_lets_the_server_compress) {
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05"
      "\x00\x00\x00",
      25);
  const recording_server server({answer(200, packed, {"Content-Encoding: gzip"})});
  EXPECT_EQ(fetch({"--compressed", server.url()}).out, "hello");
  EXPECT_THAT(header_in(server.request(0), "accept-encoding"), HasSubstr("gzip"));
  EXPECT_EQ(fetch({server.url()}).out, packed);
}

}  // namespace
