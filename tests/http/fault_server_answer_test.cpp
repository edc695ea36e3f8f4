// SPDX-License-Identifier: Apache-2.0
// The bytes of answers, and what is understood of requests, without a socket.
#include <gtest/gtest.h>

#include <chrono>
#include <relent/testing/fault_server.hpp>
#include <string>

#include "src/fault_server/performance.hpp"
#include "src/fault_server/request_reader.hpp"
#include "src/fault_server/script.hpp"

namespace relent::testing::faults {
namespace {

using namespace std::chrono_literals;

// Sun, 06 Nov 1994 08:49:37 GMT, and half a second.
constexpr std::chrono::system_clock::time_point noon{784111777s + 500ms};

performance answer_of(const std::string& text, const request_head& request = {"GET", "/"}) {
  const script_reading read = read_scripts({text}, true);
  EXPECT_TRUE(read.problems.empty()) << text;
  return perform(read.scripts.walks.at(0).steps.at(0), request, {noon});
}

std::string body_of(const performance& answer) { return answer.body.piece(0, 1'000'000); }

bool has(const performance& answer, const std::string& line) {
  return answer.head.find("\r\n" + line + "\r\n") != std::string::npos;
}

TEST(fault_server_body, tells_each_line_its_offset) {
  EXPECT_EQ(fault_body(0, 40), "000000000000000\n000000000000016\n00000000");
  EXPECT_EQ(fault_body(14, 4), "0\n00");
  EXPECT_EQ(fault_body(1'000'000, 16), "000000001000000\n");
  EXPECT_EQ(fault_body(5, 0), "");
  const std::string whole = fault_body(0, 1000);
  for (std::size_t at = 0; at < 900; at += 37) EXPECT_EQ(fault_body(at, 50), whole.substr(at, 50));
}

TEST(fault_server_answer, is_plain_http_byte_for_byte) {
  const performance answer = answer_of("503");
  EXPECT_EQ(
      answer.head,
      "HTTP/1.1 503 Service Unavailable\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: relent-faults\r\n"
      "Content-Type: text/plain\r\nContent-Length: 20\r\n\r\n");
  EXPECT_EQ(body_of(answer), "Service Unavailable\n");
  EXPECT_EQ(answer.end, ending::keep);
}

TEST(fault_server_answer, puts_own_headers_in_the_place_of_the_servers) {
  const performance answer = answer_of("200(header=\"server: mine\", header=\"X-A: 1\", header=\"X-A: 2\")");
  EXPECT_TRUE(has(answer, "server: mine"));
  EXPECT_FALSE(has(answer, "Server: relent-faults"));
  EXPECT_TRUE(has(answer, "X-A: 1\r\nX-A: 2"));
}

TEST(fault_server_answer, dates_retry_after_by_the_clock_it_says_it_has) {
  EXPECT_TRUE(has(answer_of("503(retry-after=2)"), "Retry-After: 2"));
  EXPECT_TRUE(has(answer_of("503(retry-after=+5s)"), "Retry-After: Sun, 06 Nov 1994 08:49:43 GMT"));
  EXPECT_TRUE(has(answer_of("503(retry-after=-5s)"), "Retry-After: Sun, 06 Nov 1994 08:49:33 GMT"));
  const performance ahead = answer_of("503(retry-after=+5s, date=+1h)");
  EXPECT_TRUE(has(ahead, "Date: Sun, 06 Nov 1994 09:49:37 GMT"));
  EXPECT_TRUE(has(ahead, "Retry-After: Sun, 06 Nov 1994 09:49:43 GMT"));
  EXPECT_EQ(answer_of("200(date=none)").head.find("Date"), std::string::npos);
  EXPECT_TRUE(
      has(answer_of("200(date=\"Sunday, 06-Nov-94 08:49:37 GMT\")"), "Date: Sunday, 06-Nov-94 08:49:37 GMT"));
}

TEST(fault_server_answer, has_no_body_where_http_allows_none) {
  for (const char* const text : {"204", "304"}) {
    const performance answer = answer_of(text);
    EXPECT_EQ(body_of(answer), "") << text;
    EXPECT_EQ(answer.head.find("Content-"), std::string::npos) << text;
  }
  EXPECT_TRUE(has(answer_of("205"), "Content-Length: 0"));
  const performance head = answer_of("200(body=100)", {"HEAD", "/"});
  EXPECT_TRUE(has(head, "Content-Length: 100"));
  EXPECT_EQ(body_of(head), "");
}

TEST(fault_server_answer, comes_after_an_interim_one) {
  const performance answer = answer_of("103(header=\"Link: </a>\", body=\"b\")");
  EXPECT_EQ(answer.head.find("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n"), 0U);
  EXPECT_EQ(answer.head.rfind("Link"), answer.head.find("Link"));
  EXPECT_EQ(body_of(answer), "b");
}

struct range_row {
  const char* id;
  const char* range;
  const char* condition;
  int status;
  const char* content_range;
  std::size_t size;
};

class range_of_a_hundred_bytes : public ::testing::TestWithParam<range_row> {};

TEST_P(range_of_a_hundred_bytes, gets_what_it_asks_for) {
  request_head request{"GET", "/"};
  request.headers.emplace_back("Range", GetParam().range);
  if (*GetParam().condition != '\0') request.headers.emplace_back("If-Range", GetParam().condition);
  const performance answer = answer_of("200(body=100, etag=a)", request);
  EXPECT_EQ(answer.status, GetParam().status);
  EXPECT_EQ(body_of(answer).size(), GetParam().size);
  const std::string line = "Content-Range: " + std::string(GetParam().content_range);
  EXPECT_EQ(has(answer, line), *GetParam().content_range != '\0') << answer.head;
  if (GetParam().status != 206) return;
  EXPECT_EQ(body_of(answer), fault_body(answer.body.first, GetParam().size));
}

INSTANTIATE_TEST_SUITE_P(
    fault_server, range_of_a_hundred_bytes,
    ::testing::Values(range_row{"middle", "bytes=10-19", "", 206, "bytes 10-19/100", 10},
                      range_row{"open", "bytes=90-", "", 206, "bytes 90-99/100", 10},
                      range_row{"suffix", "bytes=-5", "", 206, "bytes 95-99/100", 5},
                      range_row{"long_suffix", "bytes=-500", "", 206, "bytes 0-99/100", 100},
                      range_row{"beyond", "bytes=90-500", "", 206, "bytes 90-99/100", 10},
                      range_row{"huge", "bytes=90-99999999999999999999", "", 206, "bytes 90-99/100", 10},
                      range_row{"behind", "bytes=100-", "", 416, "bytes */100", 0},
                      range_row{"nothing", "bytes=-0", "", 416, "bytes */100", 0},
                      range_row{"backwards", "bytes=5-4", "", 200, "", 100},
                      range_row{"several", "bytes=0-1,5-6", "", 200, "", 100},
                      range_row{"junk", "bytes=x-", "", 200, "", 100},
                      range_row{"unit", "lines=0-5", "", 200, "", 100},
                      range_row{"same_etag", "bytes=10-", "\"a\"", 206, "bytes 10-99/100", 90},
                      range_row{"other_etag", "bytes=10-", "\"b\"", 200, "", 100},
                      range_row{"weak_etag", "bytes=10-", "W/\"a\"", 200, "", 100},
                      range_row{"date", "bytes=10-", "Sun, 06 Nov 1994 08:49:37 GMT", 200, "", 100}),
    [](const auto& row) { return std::string(row.param.id); });

TEST(fault_server_answer, ignores_a_range_if_told_so) {
  request_head request{"GET", "/"};
  request.headers.emplace_back("Range", "bytes=10-");
  EXPECT_EQ(answer_of("200(body=100, ranges=no)", request).status, 200);
  EXPECT_EQ(answer_of("200(body=100, etag=\"W/\\\"a\\\"\")", request).status, 206);
  request.headers.emplace_back("If-Range", "W/\"a\"");
  EXPECT_EQ(answer_of("200(body=100, etag=\"W/\\\"a\\\"\")", request).status, 200);
  EXPECT_EQ(answer_of("503(body=100)", request).status, 503);
}

TEST(fault_server_answer, is_cut_where_the_script_says) {
  const performance cut = answer_of("reset(after=10, body=100)");
  EXPECT_TRUE(has(cut, "Content-Length: 100"));
  EXPECT_EQ(body_of(cut), "0000000000");
  EXPECT_FALSE(cut.whole);
  EXPECT_EQ(cut.end, ending::reset);
  EXPECT_EQ(answer_of("reset").head, "");
  EXPECT_EQ(answer_of("close(after=5, body=\"hello world\")").end, ending::close);
  EXPECT_EQ(body_of(answer_of("close(after=5, body=\"hello world\")")), "hello");
}

struct key_row {
  const char* id;
  const char* header;
  const char* target;
  const char* key;
};

class key_of_a_request : public ::testing::TestWithParam<key_row> {};

TEST_P(key_of_a_request, is_the_most_precise_name_there_is) {
  request_head request{"POST", GetParam().target};
  if (GetParam().header != nullptr) request.headers.emplace_back("idempotency-KEY", GetParam().header);
  EXPECT_EQ(request.key(), GetParam().key);
}

INSTANTIATE_TEST_SUITE_P(fault_server, key_of_a_request,
                         ::testing::Values(key_row{"quoted", "\"a\"", "/p?key=b", "a"},
                                           key_row{"raw", "a", "/p", "a"},
                                           key_row{"escaped", "\"a\\\"b\\\\\"", "/p", "a\"b\\"},
                                           key_row{"only_quotes", "\"\"", "/p", "/p"},
                                           key_row{"one_quote", "\"", "/p", "\""},
                                           key_row{"blank", "", "/p", "/p"},
                                           key_row{"query", nullptr, "/p?x=1&key=b%2fc+d", "b/c d"},
                                           key_row{"empty_query", nullptr, "/p?key=", "/p"},
                                           key_row{"other_query", nullptr, "/p?monkey=b", "/p"},
                                           key_row{"bad_code", nullptr, "/p?key=%g1%2", "%g1%2"},
                                           key_row{"whole_url", nullptr, "http://h:1/p?q", "/p"},
                                           key_row{"url_without_path", nullptr, "http://h:1", "/"}),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(fault_server_request, is_read_from_bytes_that_come_one_by_one) {
  const std::string text =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX: "
      "1\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nGET /";
  request_reader reader;
  std::string bytes;
  std::size_t whole_at = 0;
  for (std::size_t i = 0; i < text.size() && whole_at == 0; ++i) {
    bytes += text[i];
    if (reader.take(bytes) == request_reader::progress::whole) whole_at = i + 1;
  }
  EXPECT_EQ(whole_at, text.size() - 5);
  EXPECT_EQ(reader.head().method, "POST");
  EXPECT_EQ(reader.head().header("x"), "1");
  EXPECT_EQ(reader.body().bytes, 5U);
  fingerprint print;
  print.add("abcde");
  EXPECT_EQ(reader.body().print, print.value());
}

TEST(fault_server_request, leaves_the_next_one_where_it_is) {
  request_reader reader;
  std::string bytes = "GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b";
  EXPECT_EQ(reader.take(bytes), request_reader::progress::whole);
  EXPECT_EQ(bytes, "GET /b");
  EXPECT_TRUE(reader.head().keep_alive);
}

TEST(fault_server_request, is_refused_when_it_is_no_http_or_too_long) {
  request_reader bad;
  std::string bytes = "\x16\x03\x01 hello\r\n\r\n";
  EXPECT_EQ(bad.take(bytes), request_reader::progress::bad);
  request_reader large;
  bytes = "GET / HTTP/1.1\r\nX: " + std::string(longest_head, 'x') + "\r\n\r\n";
  EXPECT_EQ(large.take(bytes), request_reader::progress::too_large);
}

}  // namespace
}  // namespace relent::testing::faults
