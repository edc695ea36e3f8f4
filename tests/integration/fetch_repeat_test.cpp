// SPDX-License-Identifier: Apache-2.0
// What `relent fetch` repeats: methods, keys, what is sent, and that it is sent whole every time.
#include "fetch_process.hpp"

#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using relent::testing::fault_server;
using relent::testing::key_counts;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct repeat_row {
  const char* id;
  std::vector<std::string> words;
  const char* script;
  std::uint64_t attempts;
  std::uint64_t executions;
  int code;
  const char* told;  ///< in the last line
  friend void PrintTo(const repeat_row& row, std::ostream* out) { *out << row.id; }
};

class fetch_repeats : public testing::TestWithParam<repeat_row> {};

TEST_P(fetch_repeats, what_is_safe) {
  const repeat_row& row = GetParam();
  const fault_server server({.scripts = {row.script}});
  std::vector<std::string> words = row.words;
  words.push_back(server.url("/x"));
  const finished end = fetch(words);
  EXPECT_TRUE(end.exited_with(row.code)) << end.err;
  EXPECT_EQ(server.totals().attempts, row.attempts);
  EXPECT_EQ(server.totals().executions, row.executions);
  EXPECT_EQ(server.totals().bodies_different, 0U);
  EXPECT_THAT(end.err, HasSubstr(row.told));
}

constexpr const char* by_key = "--idempotency-key lets the server tell";

INSTANTIATE_TEST_SUITE_P(
    table, fetch_repeats,
    testing::Values(
        repeat_row{"get", {}, "reset, 200", 2, 2, 0, "succeeded"},
        repeat_row{"put", {"-X", "PUT", "-d", "a"}, "reset, 200", 2, 2, 0, "succeeded"},
        repeat_row{"delete", {"-X", "DELETE"}, "502, 200", 2, 2, 0, "succeeded"},
        repeat_row{"post_lost", {"-d", "a"}, "reset, 200", 1, 1, 56, by_key},
        repeat_row{"post_503", {"-d", "a"}, "503, 200", 1, 0, 22, by_key},
        repeat_row{"post_too_early", {"-d", "a"}, "425, 200", 2, 1, 0, "succeeded"},
        repeat_row{"post_with_key", {"-d", "a", "--idempotency-key"}, "reset, 200", 2, 1, 0, "succeeded"},
        repeat_row{"post_with_own_key",
                   {"-d", "a", "--idempotency-key=order-7"},
                   "reset, 200",
                   2,
                   1,
                   0,
                   "succeeded"},
        repeat_row{"post_with_key_header",
                   {"-d", "a", "-H", "Idempotency-Key: \"order-7\""},
                   "reset, 200",
                   2,
                   1,
                   0,
                   "succeeded"},
        repeat_row{"post_repeatable", {"-d", "a", "--repeatable"}, "reset, 200", 2, 2, 0, "succeeded"},
        repeat_row{"patch", {"-X", "PATCH", "-d", "a"}, "reset, 200", 1, 1, 56, by_key},
        repeat_row{
            "post_permanent", {"-d", "a", "--idempotency-key"}, "422", 1, 0, 22, "trying again cannot help"},
        repeat_row{"server_error_once", {}, "500", 2, 2, 22, "giving up"}),
    [](const auto& info) { return std::string(info.param.id); });

TEST(fetch_post, is_repeated_when_nothing_was_sent) {
  const fault_server server({.scripts = {"refuse(300ms), 200(body=ok)"}});
  const finished end =
      fetch({"-d", "a", "--base", "200ms", "--jitter", "none", "--max-attempts", "5", server.url()});
  EXPECT_EQ(end.out, "ok");
  EXPECT_THAT(end.err, HasSubstr("attempt 1 of 5: Failed to connect to 127.0.0.1"));
  EXPECT_EQ(server.totals().executions, 1U);
}

TEST(fetch_key, is_made_once_and_quoted_unless_it_is_wanted_raw) {
  const recording_server server({answer(503), answer(503), answer(200)});
  EXPECT_TRUE(fetch({"-d", "a", "--idempotency-key", server.url()}).exited_with(0));
  const std::string key = header_in(server.request(0), "idempotency-key");
  EXPECT_THAT(key, testing::MatchesRegex("\"[0-9a-f-]{36}\""));
  EXPECT_EQ(header_in(server.request(1), "idempotency-key"), key);
  EXPECT_EQ(header_in(server.request(2), "idempotency-key"), key);
  fetch({"-d", "a", "--idempotency-key", "--idempotency-key-style", "raw", server.url()});
  EXPECT_THAT(header_in(server.request(3), "idempotency-key"), testing::MatchesRegex("[0-9a-f-]{36}"));
  fetch({"-d", "a", "--idempotency-key=mine", server.url()});
  EXPECT_EQ(header_in(server.request(4), "idempotency-key"), "\"mine\"");
}

/// stdin is a pipe that this text comes through.
struct piped {
  pipe_pair pipe;
  producer from;
  explicit piped(std::string text) : from(pipe, std::move(text)) {}
  std::function<void()> stdin_of_the_tool() { return with_stdin(pipe.reader()); }
};

TEST(fetch_upload, from_a_pipe_is_sent_whole_every_time) {
  const std::string text = made_up_bytes(3'000'000);
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"-T", "-"}, {"-X", "PUT", "--data-binary", "@-"}}) {
    const recording_server server({answer(503), answer(503), answer(200)});
    piped input(text);
    std::vector<std::string> words = how;
    words.push_back(server.url("/x"));
    EXPECT_TRUE(fetch(words, input.stdin_of_the_tool()).exited_with(0));
    ASSERT_EQ(server.requests().size(), 3U);
    for (const std::string& each : server.requests()) EXPECT_TRUE(body_in(each) == text) << each.size();
  }
}

TEST(fetch_upload, of_data_from_a_pipe_has_its_size_told) {
  const recording_server server({answer(200)});
  piped input("12345");
  EXPECT_TRUE(fetch({"--data-binary", "@-", server.url()}, input.stdin_of_the_tool()).exited_with(0));
  EXPECT_EQ(header_in(server.request(0), "content-length"), "5");
  EXPECT_EQ(body_in(server.request(0)), "12345");
}

TEST(fetch_upload, beyond_the_limit_is_sent_once_and_not_short) {
  const std::string text = made_up_bytes(300'000);
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"-T", "-"}, {"-X", "PUT", "--data-binary", "@-"}}) {
    const recording_server server({answer(503)});
    piped input(text);
    std::vector<std::string> words = how;
    for (const char* word : {"--stdin-limit", "100kB"}) words.emplace_back(word);
    words.push_back(server.url("/x"));
    const finished end = fetch(words, input.stdin_of_the_tool());
    EXPECT_TRUE(end.exited_with(22)) << end.err;
    EXPECT_THAT(end.err, HasSubstr("giving up: more than --stdin-limit 100kB of input was used"));
    ASSERT_EQ(server.requests().size(), 1U);
    EXPECT_TRUE(body_in(server.request(0)) == text);
  }
}

TEST(fetch_upload, of_nothing_is_nothing_every_time) {
  const recording_server server({answer(503), answer(200)});
  piped input("");
  EXPECT_TRUE(fetch({"-T", "-", server.url("/x")}, input.stdin_of_the_tool()).exited_with(0));
  EXPECT_EQ(body_in(server.request(0)), "");
  EXPECT_EQ(body_in(server.request(1)), "");
}

TEST(fetch_upload, of_a_file_is_read_anew_for_every_attempt) {
  const scratch_folder folder;
  const std::string text = made_up_bytes(200'000);
  write_file(folder.file("up"), text);
  const recording_server server({answer(503), answer(200)});
  EXPECT_TRUE(fetch({"-T", folder.file("up"), server.url("/to/")}).exited_with(0));
  EXPECT_THAT(server.request(1), StartsWith("PUT /to/up HTTP/1.1\r\n"));
  for (const std::string& each : server.requests()) {
    EXPECT_EQ(header_in(each, "content-length"), "200000");
    EXPECT_TRUE(body_in(each) == text);
  }
}

TEST(fetch_upload, of_a_file_as_stdin_is_wound_back) {
  const scratch_folder folder;
  write_file(folder.file("up"), "0123456789");
  const recording_server server({answer(503), answer(200)});
  const int file = ::open(folder.file("up").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_TRUE(fetch({"-T", "-", server.url("/x")}, with_stdin(file)).exited_with(0));
  ::close(file);
  EXPECT_EQ(body_in(server.request(0)), "0123456789");
  EXPECT_EQ(body_in(server.request(1)), "0123456789");
}

TEST(fetch_upload, of_what_cannot_be_read_is_26_and_nothing_is_sent) {
  const recording_server server({answer(200)});
  const finished missing = fetch({"-T", "/nowhere/file", server.url("/x")});
  EXPECT_TRUE(missing.exited_with(26));
  EXPECT_EQ(missing.err,
            "relent: --upload-file: '/nowhere/file' cannot be read: No such file or directory\n");
  EXPECT_TRUE(fetch({"-d", "@/nowhere/file", server.url("/x")}).exited_with(26));
  EXPECT_THAT(server.requests(), testing::IsEmpty());
}

TEST(fetch_upload, of_a_pipe_that_gives_nothing_ends_with_the_deadline) {
  const recording_server server({answer(200)});
  pipe_pair quiet;
  const finished end =
      fetch({"--deadline", "300ms", "-T", "-", server.url("/x")}, with_stdin(quiet.reader()));
  EXPECT_TRUE(end.exited_with(28));
  EXPECT_EQ(end.err, "relent: what is to be sent did not come in time\n");
}

TEST(fetch_upload, of_a_named_pipe_is_kept_too) {
  const scratch_folder folder;
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  const recording_server server({answer(503), answer(200)});
  tool_process writer({"run", "--", "sh", "-c", "printf hello > " + folder.file("fifo")});
  EXPECT_TRUE(fetch({"-T", folder.file("fifo"), server.url("/x")}).exited_with(0));
  EXPECT_TRUE(writer.finish().exited_with(0));
  EXPECT_EQ(body_in(server.request(1)), "hello");
}

}  // namespace
