// SPDX-License-Identifier: Apache-2.0
// Servers that answer what no server should: each costs a clear result, and little memory and time.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <string>

#include "matrix_patience.hpp"
#include "matrix_raw_server.hpp"

namespace {

using namespace relent;
using namespace std::chrono_literals;
using namespace std::string_literals;
using curl::client;
using curl::response;
using relent::test::raw_connection;
using relent::test::raw_server;
using relent::testing::fault_server;
using ::testing::HasSubstr;

constexpr policy quick{{.max_attempts = 3, .deadline = 60s, .backoff = {.base = 1ms, .cap = 2ms}}};

/// The most memory that this process has had, in KiB.
long most_memory() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

/// What a call cost.
struct cost {
  response got;
  long memory_kib = 0;
  std::chrono::nanoseconds took{};
};

cost get(const std::string& url) {
  client asks({.dependency = {.policy = quick}});
  const long before = most_memory();
  const auto begun = std::chrono::steady_clock::now();
  cost out;
  out.got = asks.get(url);
  out.took = std::chrono::steady_clock::now() - begun;
  out.memory_kib = most_memory() - before;
  return out;
}

void expect_cheap(const cost& seen) {
  if (test::patience == 1) {  // a sanitizer keeps what was given back
    EXPECT_LT(seen.memory_kib, 16 * 1024);
  }
  EXPECT_LT(seen.took, 5s * test::patience);
}

/// A server that writes this to whoever asks.
std::unique_ptr<raw_server> answering(std::string all) {
  return std::make_unique<raw_server>([all = std::move(all)](raw_connection& client) {
    if (!client.read_head().empty()) client.write(all);
  });
}

/// A server that writes `head`, and then `more` until the client has gone, a gigabyte at most.
std::unique_ptr<raw_server> answering_without_end(std::string head, std::string more) {
  std::string block;
  while (block.size() < 65536) block += more;
  return std::make_unique<raw_server>([head = std::move(head), block](raw_connection& client) {
    if (client.read_head().empty() || !client.write(head)) return;
    for (std::size_t sent = 0; sent < (std::size_t{1} << 30U) && client.write(block);) sent += block.size();
  });
}

struct endless_head {
  const char* name;
  const char* head;
  const char* more;
};

constexpr endless_head endless_heads[] = {
    {"one_header", "HTTP/1.1 200 OK\r\nX-Big: ", "x"},
    {"many_headers", "HTTP/1.1 200 OK\r\n", "X-Many: one more\r\n"},
    {"many_empty_headers", "HTTP/1.1 200 OK\r\n", "a:\r\n"},
    {"many_interim_answers", "", "HTTP/1.1 100 Continue\r\n\r\n"},
    {"many_early_hints", "", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"},
    {"a_status_line", "HTTP/1.1 200 ", "x"},
    {"no_line_at_all", "", "x"},
    {"folded_lines", "HTTP/1.1 200 OK\r\nX-Folded: a",
     "\r\n more and more and more and more and more and more and more"},
    {"failure_with_many_headers", "HTTP/1.1 503 Busy\r\n", "X-Many: one more\r\n"},
};

class head_without_end : public ::testing::TestWithParam<endless_head> {};

TEST_P(head_without_end, is_cut_off_and_permanent) {
  const auto server = answering_without_end(GetParam().head, GetParam().more);
  const cost seen = get(server->url());
  EXPECT_FALSE(seen.got.ok());
  EXPECT_EQ(seen.got.stop(), stop_reason::permanent) << seen.got.what();
  EXPECT_NE(seen.got.what(), "");
  EXPECT_EQ(server->connections(), 1);
  expect_cheap(seen);
}

INSTANTIATE_TEST_SUITE_P(of, head_without_end, ::testing::ValuesIn(endless_heads),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(head_of_ten_megabytes, is_refused_with_the_limit_in_the_message) {
  const fault_server server({.scripts = {"malformed=big-header(10MB)"}});
  const cost seen = get(server.url());
  EXPECT_EQ(seen.got.stop(), stop_reason::permanent);
  EXPECT_NE(seen.got.what(), "");
  EXPECT_EQ(server.totals().attempts, 1U);
  expect_cheap(seen);
}

TEST(head_of_a_hundred_thousand_lines, is_refused_with_the_limit_in_the_message) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 100'000; ++i) head += "X-Line-" + std::to_string(i) + ": a\r\n";
  const auto server = answering(head + "\r\n");
  const cost seen = get(server->url());
  EXPECT_EQ(seen.got.stop(), stop_reason::permanent);
  EXPECT_THAT(seen.got.what(), HasSubstr("head is larger than"));
  expect_cheap(seen);
}

TEST(head_of_many_lines, within_the_limit_is_taken) {
  std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n";
  for (int i = 0; i < 5000; ++i) head += "X-Line-" + std::to_string(i) + ": a\r\n";
  const auto server = answering(head + "\r\nok");
  const cost seen = get(server->url());
  EXPECT_TRUE(seen.got.ok()) << seen.got.what();
  EXPECT_EQ(seen.got.headers.first("x-line-4999"), "a");
  expect_cheap(seen);
}

/// A complete answer, and what comes of it.
struct odd_answer {
  const char* name;
  std::string text;
  bool ok;
  std::optional<stop_reason> stop;
};

std::string with_header(const std::string& header) {
  return "HTTP/1.1 503 Busy\r\n" + header + "\r\nContent-Length: 0\r\n\r\n";
}

const odd_answer odd_answers[] = {
    {"content_length_below_zero", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", false,
     stop_reason::permanent},
    {"content_length_beyond_all_numbers",
     "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nhello",
     false,
     {}},
    {"content_length_that_is_no_number", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhello", false, {}},
    {"chunk_beyond_all_numbers",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\nhello",
     false,
     {}},
    {"nul_in_a_header", "HTTP/1.1 200 OK\r\nX-A: b\0c\r\nContent-Length: 2\r\n\r\nok"s, false, {}},
    {"nul_in_the_status_line", "HTTP/1.1 2\0\0 OK\r\nContent-Length: 2\r\n\r\nok"s, false, {}},
    {"line_without_a_colon", "HTTP/1.1 200 OK\r\nnothing here\r\nContent-Length: 2\r\n\r\nok", false, {}},
    {"status_of_four_digits", "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok", false, {}},
    {"status_of_two_digits", "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok", false, {}},
    {"status_of_999", "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok", false, {}},
    {"status_of_000", "HTTP/1.1 000 Odd\r\nContent-Length: 2\r\n\r\nok", false, {}},
    {"version_from_the_future", "HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\nok", false, {}},
    {"switch_to_another_protocol",
     "HTTP/1.1 101 Switching Protocols\r\nUpgrade: junk\r\n\r\njunk",
     false,
     {}},
    {"interim_answer_and_no_other", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", false, {}},
    {"nothing_but_line_ends", "\r\n\r\n\r\n\r\n", false, {}},
    {"two_lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 7\r\n\r\nok", false, {}},
};

void PrintTo(const odd_answer& of, std::ostream* out) { *out << of.name; }

class answer_with : public ::testing::TestWithParam<odd_answer> {};

TEST_P(answer_with, comes_to_a_clear_end) {
  const auto server = answering(GetParam().text);
  const cost seen = get(server->url());
  EXPECT_EQ(seen.got.ok(), GetParam().ok) << seen.got.what() << seen.got.status;
  if (GetParam().stop) {
    EXPECT_EQ(seen.got.stop(), GetParam().stop);
  }
  EXPECT_EQ(seen.got.what().empty(), seen.got.ok());
  EXPECT_LE(seen.got.report.attempts, 3U);
  expect_cheap(seen);
}

INSTANTIATE_TEST_SUITE_P(a, answer_with, ::testing::ValuesIn(odd_answers),
                         [](const auto& of) { return std::string(of.param.name); });

/// A wait that no server means.
struct odd_wait {
  const char* name;
  std::string header;
  bool too_long;  ///< and so ends the call; otherwise it counts as none
};

const odd_wait odd_waits[] = {
    {"beyond_all_numbers", "Retry-After: 100000000000000000000", true},
    {"of_a_thousand_digits", "Retry-After: " + std::string(1000, '9'), true},
    {"below_zero", "Retry-After: -5", false},
    {"in_words", "Retry-After: soon", false},
    {"of_nothing", "Retry-After:", false},
    {"with_nul_bytes", "Retry-After: 1\0\0"s, false},
    {"in_the_year_9999", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", true},
    {"in_the_past", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT", false},
    {"on_a_day_that_is_none", "Retry-After: Fri, 99 Foo 2099 99:99:99 GMT", false},
    {"of_megabytes_of_words", "Retry-After: " + std::string(60'000, 'z'), false},
    {"in_milliseconds_beyond_all_numbers", "retry-after-ms: 1e400", false},
    {"of_a_rate_limit_in_pieces", "RateLimit: \"a\";r=0;t=, \"b\";;;r=;t=99999999999999999999", false},
};

void PrintTo(const odd_wait& of, std::ostream* out) { *out << of.name; }

class server_delay : public ::testing::TestWithParam<odd_wait> {};

TEST_P(server_delay, costs_no_time) {
  const auto server = answering(with_header(GetParam().header));
  const cost seen = get(server->url());
  EXPECT_FALSE(seen.got.ok());
  if (seen.got.status == 503) {
    const bool refused =
        seen.got.stop() == stop_reason::server_delay || seen.got.stop() == stop_reason::deadline;
    EXPECT_EQ(refused, GetParam().too_long) << to_line(seen.got.report);
  }
  expect_cheap(seen);
}

INSTANTIATE_TEST_SUITE_P(that_is, server_delay, ::testing::ValuesIn(odd_waits),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(body_without_end, is_cut_off_where_memory_is_to_end) {
  const auto server = answering_without_end("HTTP/1.1 200 OK\r\n\r\n", "x");
  client asks({.dependency = {.policy = quick}, .max_body = 1'000'000});
  const response got = asks.get(server->url());
  EXPECT_EQ(got.stop(), stop_reason::permanent);
  EXPECT_THAT(got.what(), HasSubstr("larger than 1000000 bytes"));
  EXPECT_LE(got.body.size(), 1'000'000U);
}

TEST(body_without_end_of_a_failure, is_not_read_to_its_end) {
  const auto server = answering_without_end("HTTP/1.1 503 Busy\r\n\r\n", "x");
  const cost seen = get(server->url());
  EXPECT_EQ(seen.got.status, 503);
  EXPECT_EQ(seen.got.stop(), stop_reason::attempts);
  EXPECT_EQ(seen.got.body.size(), 65'536U);
  EXPECT_TRUE(seen.got.body_is_cut);
  expect_cheap(seen);
}

}  // namespace
