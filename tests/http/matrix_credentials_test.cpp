// SPDX-License-Identifier: Apache-2.0
// Answers that ask for a changed request: renewed credentials, no expectation, another connection, a key that is free.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "matrix_patience.hpp"
#include "matrix_raw_server.hpp"

namespace {

using namespace relent;
using namespace std::chrono_literals;
using curl::client;
using curl::request;
using curl::response;
using relent::test::recording_server;
using relent::testing::fault_server;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr policy quick{{.max_attempts = 4, .deadline = 60s, .backoff = {.base = 1ms, .cap = 2ms}}};

/// A server that takes only the token `good-N`, with what renews it, and a client that sends it.
class token_test : public ::testing::Test {
 protected:
  explicit token_test(int good = 2)
      : server([good](const std::string& head) {
          return head.find("Bearer good-" + std::to_string(good)) != std::string::npos
                     ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                     : "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n";
        }) {}

  curl::client_options options() {
    curl::client_options out{.dependency = {.policy = quick}};
    out.dependency.refresh = [this] {
      ++renewed;
      ++token;
      return renewal_works;
    };
    return out;
  }
  request asking(const std::string& method = "GET") {
    request out{.method = method, .url = server.url("/")};
    out.prepare = [this](http::header_list& headers, const attempt&) {
      headers.add("Authorization", "Bearer good-" + std::to_string(token));
    };
    return out;
  }

  recording_server server;
  std::atomic<int> token = 1;
  std::atomic<int> renewed = 0;
  bool renewal_works = true;
};

TEST_F(token_test, is_renewed_and_the_request_sent_again_with_the_new_one) {
  client asks(options());
  const response got = asks.send(asking());
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(renewed, 1);
  ASSERT_EQ(server.heads().size(), 2U);
  EXPECT_THAT(server.heads()[0], HasSubstr("Bearer good-1\r\n"));
  EXPECT_THAT(server.heads()[1], HasSubstr("Bearer good-2\r\n"));
  EXPECT_THAT(server.heads()[1], Not(HasSubstr("good-1")))
      << "each attempt begins with the request's own headers";
  EXPECT_EQ(got.report.attempts, 1U) << "no attempt is used up by it";
}

TEST_F(token_test, is_renewed_for_a_post_without_a_key_too) {
  client asks(options());
  EXPECT_TRUE(asks.send(asking("POST")).ok());
  EXPECT_EQ(server.heads().size(), 2U);
}

TEST_F(token_test, is_renewed_only_once_a_call) {
  token = 7;  // and none of those that follow is a good one
  client asks(options());
  for (int calls = 1; calls <= 2; ++calls) {
    const response got = asks.send(asking());
    EXPECT_EQ(got.status, 401);
    EXPECT_EQ(got.stop(), stop_reason::permanent);
    EXPECT_EQ(renewed, calls);
    EXPECT_EQ(server.heads().size(), static_cast<std::size_t>(2 * calls));
  }
}

TEST_F(token_test, that_cannot_be_renewed_leaves_the_401_as_the_answer) {
  renewal_works = false;
  client asks(options());
  const response got = asks.send(asking());
  EXPECT_EQ(got.status, 401);
  EXPECT_EQ(got.stop(), stop_reason::permanent);
  EXPECT_EQ(server.heads().size(), 1U);
}

TEST_F(token_test, is_not_renewed_where_nothing_renews_it) {
  client asks({.dependency = {.policy = quick}});
  EXPECT_EQ(asks.send(asking()).stop(), stop_reason::permanent);
  EXPECT_EQ(server.heads().size(), 1U);
}

TEST(expectation, that_is_refused_is_taken_back_whatever_the_method) {
  for (const char* method : {"PUT", "POST"}) {
    const fault_server server({.scripts = {"417, 200"}});
    client asks({.dependency = {.policy = quick}});
    request what{.method = method, .url = server.url()};
    what.body = curl::memory_body(relent::testing::fault_body(0, 2'000'000));
    const response got = asks.send(what);
    EXPECT_TRUE(got.ok()) << method << got.what();
    EXPECT_EQ(server.totals().attempts, 2U) << method;
    EXPECT_EQ(server.totals().executions, 1U) << method;
    EXPECT_EQ(server.totals().body_bytes, 2'000'000U) << method;
  }
}

TEST(expectation, is_not_sent_with_a_short_body) {
  for (const char* method : {"PUT", "PATCH", "POST"}) {
    const fault_server server({.scripts = {"417, 200"}});
    client asks({.dependency = {.policy = quick}});
    request what{.method = method, .url = server.url()};
    what.body = curl::memory_body("42");
    const response got = asks.send(what);
    EXPECT_EQ(got.status, 417) << method;
    EXPECT_EQ(server.totals().bodies_complete, 1U) << method << ": the body went with the head";
  }
}

TEST(expectation, that_was_never_there_cannot_be_taken_back_again_and_again) {
  const fault_server server({.scripts = {"417"}});
  client asks({.dependency = {.policy = quick}});
  const response got = asks.post(server.url(), "42", "text/plain");
  EXPECT_EQ(got.stop(), stop_reason::permanent);
  EXPECT_EQ(got.status, 417);
  EXPECT_LE(server.totals().attempts, 2U);
}

TEST(expectation, that_is_never_answered_is_not_waited_for_long) {
  const test::raw_server deaf([](test::raw_connection& client) {
    client.read_head();
    client.read(100'000);
    client.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  client asks({.dependency = {.policy = quick}});
  request what{.method = "PUT", .url = deaf.url()};
  what.body = curl::memory_body(std::string(100'000, 'x'));
  const response got = asks.send(what);
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.report.attempts, 1U);
}

TEST(misdirected_request, goes_over_a_new_connection_each_time) {
  const fault_server server({.scripts = {"/warm: 200", "/x: 421*2, 200"}});
  client asks({.dependency = {.policy = quick}});
  ASSERT_TRUE(asks.get(server.url("/warm")).ok());
  const response got = asks.post(server.url("/x"), "42", "text/plain");
  EXPECT_TRUE(got.ok()) << got.what();
  ASSERT_EQ(got.transfers.size(), 3U);
  EXPECT_FALSE(got.transfers[0].new_connection);
  EXPECT_TRUE(got.transfers[1].new_connection);
  EXPECT_TRUE(got.transfers[2].new_connection);
  EXPECT_EQ(server.connections(), 3U);
  EXPECT_EQ(server.counts("/x").executions, 1U);
}

TEST(key_in_flight, is_asked_for_until_the_first_answer_is_there) {
  const fault_server server({.scripts = {"409-while-in-flight(600ms)"}});
  const policy impatient{{.max_attempts = 5000,
                          .deadline = 60s,
                          .attempt_timeout = 400ms * test::patience,
                          .backoff = {.base = 10ms, .cap = 10ms}}};
  client asks({.dependency = {.policy = impatient, .budget = budget::none()}});
  const auto order = [&](client& by) {
    return by.post_with_key(server.url(), "42", "text/plain", http::key_style::quoted,
                            {.idempotency_key = "order-1"});
  };
  std::thread other([&] {  // the same work, asked for by somebody else
    client first({.dependency = {.policy = quick}});
    EXPECT_TRUE(order(first).ok());
  });
  while (server.counts("order-1").attempts == 0) std::this_thread::sleep_for(1ms);
  const response got = order(asks);
  other.join();
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_GE(server.counts("order-1").conflicts, 1U);
  EXPECT_EQ(server.counts("order-1").executions, 1U);
  EXPECT_EQ(got.headers.first("idempotent-replayed"), "true");
}

TEST(conflict, without_a_key_is_permanent) {
  const fault_server server({.scripts = {"409, 200"}});
  client asks({.dependency = {.policy = quick}});
  EXPECT_EQ(asks.put(server.url(), "42", "text/plain").stop(), stop_reason::permanent);
  EXPECT_EQ(server.totals().attempts, 1U);
}

TEST(identity_of_a_call, that_is_not_sent_as_a_key_does_not_make_a_post_repeatable) {
  const fault_server server({.scripts = {"reset, 200"}});
  client asks({.dependency = {.policy = quick}});
  const response got = asks.post(server.url("/pay"), "42", "text/plain", {.idempotency_key = "order-1"});
  EXPECT_EQ(got.stop(), stop_reason::unsafe);
  EXPECT_EQ(server.totals().executions, 1U);
}

}  // namespace
