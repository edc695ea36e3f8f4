// SPDX-License-Identifier: Apache-2.0
// Redirects: what goes along to the next address, and what stays with the first.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "matrix_raw_server.hpp"

namespace {

using namespace relent;
using namespace std::chrono_literals;
using curl::client;
using curl::request;
using curl::response;
using relent::test::recording_server;
using relent::testing::fault_server;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr policy quick{{.max_attempts = 4, .deadline = 60s, .backoff = {.base = 1ms, .cap = 2ms}}};

curl::client_options quickly() { return {.dependency = {.policy = quick}}; }

std::string ok(const std::string& /*head*/) { return "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"; }

std::string location(const std::string& to) { return "header=\"Location: " + to + "\""; }

request with_credentials(const std::string& url) {
  return {
      .url = url,
      .headers = {{"Authorization", "Bearer secret-1"}, {"Cookie", "session=secret-2"}, {"X-Trace", "t-3"}},
      .max_redirects = 3};
}

TEST(redirect, to_another_origin_goes_without_credentials) {
  const recording_server other(&ok);
  const fault_server first({.scripts = {"302(" + location(other.url("/b")) + ")"}});
  client asks(quickly());
  const response got = asks.send(with_credentials(first.url("/a")));
  EXPECT_EQ(got.body, "there") << got.what();
  EXPECT_EQ(got.url, other.url("/b"));
  ASSERT_EQ(other.heads().size(), 1U);
  EXPECT_THAT(other.heads()[0], StartsWith("GET /b HTTP/1.1\r\n"));
  EXPECT_THAT(other.heads()[0], Not(HasSubstr("secret")));
  EXPECT_THAT(other.heads()[0], HasSubstr("X-Trace: t-3"));
}

TEST(redirect, within_an_origin_goes_with_credentials) {
  const recording_server only([](const std::string& head) {
    return head.starts_with("GET /a ") ? "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"
                                       : ok(head);
  });
  client asks(quickly());
  EXPECT_TRUE(asks.send(with_credentials(only.url("/a"))).ok());
  ASSERT_EQ(only.heads().size(), 2U);
  EXPECT_THAT(only.heads()[1], HasSubstr("Authorization: Bearer secret-1\r\n"));
  EXPECT_THAT(only.heads()[1], HasSubstr("Cookie: session=secret-2\r\n"));
}

TEST(redirect, of_a_name_and_password_in_the_address_stays_with_the_origin) {
  const recording_server other(&ok);
  const fault_server first({.scripts = {"302(" + location(other.url("/b")) + ")"}});
  client asks(quickly());
  std::string url = first.url("/a");
  url.insert(url.find("//") + 2, "me:secret@");
  EXPECT_TRUE(asks.send({.url = url, .max_redirects = 3}).ok());
  ASSERT_EQ(other.heads().size(), 1U);
  EXPECT_THAT(other.heads()[0], Not(HasSubstr("Authorization")));
}

TEST(redirect, is_followed_anew_by_each_attempt_and_again_without_credentials) {
  int asked = 0;
  const recording_server other([&](const std::string& head) {
    return ++asked < 3 ? "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n" : ok(head);
  });
  const fault_server first({.scripts = {"302(" + location(other.url("/b")) + ")"}});
  client asks(quickly());
  const response got = asks.send(with_credentials(first.url("/a")));
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.report.attempts, 3U);
  EXPECT_EQ(first.counts("/a").attempts, 3U);
  for (const std::string& head : other.heads()) EXPECT_THAT(head, Not(HasSubstr("secret")));
}

TEST(redirect, with_303_asks_for_the_result_of_a_post_by_get) {
  const recording_server other(&ok);
  const fault_server first({.scripts = {"303(" + location(other.url("/result")) + ", execute=yes)"}});
  client asks(quickly());
  request what{.method = "POST", .url = first.url("/order"), .max_redirects = 3};
  what.body = curl::memory_body("one book");
  const response got = asks.send(what);
  EXPECT_TRUE(got.ok()) << got.what();
  ASSERT_EQ(other.heads().size(), 1U);
  EXPECT_THAT(other.heads()[0], StartsWith("GET /result HTTP/1.1\r\n"));
  EXPECT_THAT(other.heads()[0], Not(HasSubstr("Content-Length")));
  EXPECT_EQ(first.counts("/order").executions, 1U);
}

TEST(redirect, with_303_is_no_reason_to_post_again_when_the_result_is_not_to_be_had) {
  const fault_server other({.scripts = {"503"}});
  const fault_server first({.scripts = {"303(" + location(other.url("/result")) + ", execute=yes)"}});
  client asks(quickly());
  request what{.method = "POST", .url = first.url("/order"), .max_redirects = 3};
  what.body = curl::memory_body("one book");
  const response got = asks.send(what);
  EXPECT_EQ(got.stop(), stop_reason::unsafe);
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(first.counts("/order").executions, 1U);
}

TEST(redirect, with_425_at_its_end_does_not_prove_that_the_first_server_did_nothing) {
  const fault_server other({.scripts = {"425"}});
  const fault_server first({.scripts = {"303(" + location(other.url("/result")) + ", execute=yes)"}});
  client asks(quickly());
  request what{.method = "POST", .url = first.url("/order"), .max_redirects = 3};
  what.body = curl::memory_body("one book");
  EXPECT_EQ(asks.send(what).stop(), stop_reason::unsafe);
  EXPECT_EQ(first.counts("/order").executions, 1U);
}

TEST(redirect, with_307_sends_the_body_again_to_the_other_server) {
  const fault_server other({.scripts = {"200(body=there)"}});
  const fault_server first({.scripts = {"307(" + location(other.url("/b")) + ")"}});
  client asks(quickly());
  request what{.method = "POST", .url = first.url("/a"), .max_redirects = 3};
  what.body = curl::memory_body(relent::testing::fault_body(0, 40'000));
  const response got = asks.send(what);
  EXPECT_EQ(got.body, "there") << got.what();
  EXPECT_EQ(other.counts("/b").body_bytes, 40'000U);
  EXPECT_EQ(other.counts("/b").executions, 1U);
}

TEST(redirect, of_a_body_without_a_length_is_not_followed) {
  const fault_server other({.scripts = {"200"}});
  const fault_server first({.scripts = {"307(" + location(other.url("/b")) + ", execute=yes)"}});
  client asks(quickly());
  bool given = false;
  request what{.method = "PUT", .url = first.url("/a"), .max_redirects = 3};
  what.body = curl::stream_body([&](char* to, std::size_t) {
    *to = 'x';
    return std::exchange(given, true) ? 0U : 1U;
  });
  const response got = asks.send(what);
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.status, 307);
  EXPECT_EQ(first.counts("/a").attempts, 1U);
  EXPECT_EQ(other.counts("/b").attempts, 0U);
}

TEST(redirect, that_goes_round_in_circles_is_permanent) {
  const fault_server server({.scripts = {"302(" + location("/a") + ")"}});
  client asks(quickly());
  const response got = asks.send({.url = server.url("/a"), .max_redirects = 5});
  EXPECT_EQ(got.stop(), stop_reason::permanent) << got.what();
  EXPECT_EQ(server.counts("/a").attempts, 6U);
}

TEST(redirect, of_a_delete_is_the_answer) {
  const fault_server server({.scripts = {"/a: 302(" + location("/b") + ")", "/b: 200"}});
  client asks(quickly());
  const response got = asks.send({.method = "DELETE", .url = server.url("/a"), .max_redirects = 5});
  EXPECT_EQ(got.status, 302);
  EXPECT_EQ(server.counts("/b").attempts, 0U);
}

TEST(redirect, to_what_is_no_http_is_refused) {
  for (const char* target : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"}) {
    const fault_server server({.scripts = {"302(" + location(target) + ")"}});
    client asks(quickly());
    const response got = asks.send({.url = server.url("/a"), .max_redirects = 5});
    EXPECT_EQ(got.stop(), stop_reason::permanent) << target;
    EXPECT_EQ(got.body.find("root:"), std::string::npos) << target;
    EXPECT_EQ(server.counts("/a").attempts, 1U) << target;
  }
}

TEST(redirect, to_a_refused_port_is_tried_again_by_a_get) {
  const fault_server server(
      {.scripts = {"302(" + location("http://127.0.0.1:1/gone") + "), 200(body=back)"}});
  client asks(quickly());
  const response got = asks.send({.url = server.url("/a"), .max_redirects = 5});
  EXPECT_EQ(got.body, "back") << got.what();
  EXPECT_EQ(server.counts("/a").attempts, 2U);
}

}  // namespace
