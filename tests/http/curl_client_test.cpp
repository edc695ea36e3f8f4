// SPDX-License-Identifier: Apache-2.0
// The client against the fault server: what a call gives back, what it sends, whose budget it uses.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace relent;
using namespace std::chrono_literals;
using curl::client;
using curl::client_options;
using curl::request;
using curl::response;
using ::testing::HasSubstr;

constexpr policy quick{{.max_attempts = 4, .deadline = 20s, .backoff = {.base = 1ms, .cap = 2ms}}};

client_options quickly() { return {.dependency = {.policy = quick}}; }

relent::testing::fault_server serving(std::vector<std::string> scripts) {
  return relent::testing::fault_server({.scripts = std::move(scripts)});
}

TEST(curl_client, gives_back_status_headers_and_body) {
  const auto server = serving({"200(body=\"hello\", header=\"X-Kind: greeting\")"});
  client asks(quickly());
  const response got = asks.get(server.url("/hi"));
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "hello");
  EXPECT_EQ(got.headers.first("x-kind"), "greeting");
  EXPECT_EQ(got.url, server.url("/hi"));
  EXPECT_EQ(got.http_version, "1.1");
  EXPECT_EQ(got.report.attempts, 1U);
  ASSERT_EQ(got.transfers.size(), 1U);
  EXPECT_TRUE(got.transfers[0].new_connection);
  EXPECT_EQ(got.transfers[0].reached, phase::response_body);
  EXPECT_EQ(got.transfers[0].body_bytes_received, 5U);
}

TEST(curl_client, retries_and_tells_each_attempt) {
  const auto server = serving({"503*2, 200(body=\"third\")"});
  client asks(quickly());
  const response got = asks.get(server.url("/"));
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.body, "third");
  EXPECT_EQ(got.report.attempts, 3U);
  ASSERT_EQ(got.transfers.size(), 3U);
  EXPECT_EQ(got.transfers[0].status, 503);
  EXPECT_EQ(got.transfers[0].fault->kind, fault_kind::overloaded);
  EXPECT_EQ(got.transfers[1].number, 2U);
  EXPECT_FALSE(got.transfers[1].new_connection) << "the connection is kept";
  EXPECT_FALSE(got.transfers[2].fault.has_value());
  EXPECT_EQ(server.counts("/").attempts, 3U);
}

TEST(curl_client, gives_the_last_answer_back_when_it_gives_up) {
  const auto server = serving({"404(body=\"no such thing\")"});
  client asks(quickly());
  const response got = asks.get(server.url("/"));
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.body, "no such thing");
  EXPECT_EQ(got.stop(), stop_reason::permanent);
  EXPECT_EQ(got.what(), "HTTP 404");
  EXPECT_THROW(static_cast<void>(got.value()), curl::failed);
}

TEST(curl_client, keeps_the_servers_own_words_on_its_failure) {
  const auto server =
      serving({"422(type=application/problem+json, body=\"{\\\"title\\\":\\\"No stock\\\","
               "\\\"detail\\\":\\\"0 left\\\"}\")"});
  client asks(quickly());
  const response got = asks.get(server.url("/"));
  ASSERT_TRUE(got.problem.has_value());
  EXPECT_EQ(got.problem->title, "No stock");
  EXPECT_EQ(got.what(), "HTTP 422: No stock: 0 left");
}

TEST(curl_client, keeps_only_the_beginning_of_a_failures_body) {
  const auto server = serving({"404(body=200KB)"});
  client asks(quickly());
  const response got = asks.get(server.url("/"));
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.body.size(), 65536U);
  EXPECT_TRUE(got.body_is_cut);
}

TEST(curl_client, refuses_an_answer_that_does_not_fit_into_memory) {
  const auto server = serving({"200(body=200KB)"});
  client_options few = quickly();
  few.max_body = 100'000;
  client asks(few);
  const response got = asks.get(server.url("/"));
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.stop(), stop_reason::permanent);
  EXPECT_THAT(got.what(), HasSubstr("larger than 100000 bytes"));
  EXPECT_EQ(server.counts("/").attempts, 1U);
}

TEST(curl_client, waits_as_long_as_the_server_asked_and_says_by_which_header) {
  const auto server = serving({"503(retry-after=1), 200"});
  client asks(quickly());
  const response got = asks.get(server.url("/"));
  EXPECT_TRUE(got.ok());
  ASSERT_FALSE(got.transfers.empty());
  EXPECT_EQ(got.transfers[0].server_delay, duration(1s));
  EXPECT_EQ(got.transfers[0].delay_header, "retry-after");
  ASSERT_FALSE(got.report.records.empty());
  EXPECT_GE(*got.report.records[0].wait, 1s);
  EXPECT_EQ(got.report.records[0].source, wait_source::server_delay);
}

TEST(curl_client, sends_one_key_with_all_attempts) {
  const auto server = serving({"reset, 200"});
  client asks(quickly());
  const response got = asks.post_with_key(server.url("/pay"), "42", "text/plain", http::key_style::quoted,
                                          {.idempotency_key = "order-7"});
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(server.counts("order-7").attempts, 2U);
  EXPECT_EQ(server.counts("order-7").executions, 1U);
}

TEST(curl_client, takes_a_key_among_the_headers_for_one) {
  const auto server = serving({"reset, 200"});
  client asks(quickly());
  request what{.method = "POST", .url = server.url("/pay"), .headers = {{"Idempotency-Key", "raw-9"}}};
  what.body = curl::memory_body("42");
  const response got = asks.send(what);
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(server.counts("raw-9").executions, 1U);
}

TEST(curl_client, does_not_repeat_a_post_that_may_have_been_executed) {
  const auto server = serving({"reset, 200"});
  client asks(quickly());
  const response got = asks.post(server.url("/pay"), "42", "text/plain");
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.stop(), stop_reason::unsafe);
  EXPECT_EQ(server.counts("/pay").executions, 1U);
}

TEST(curl_client, repeats_a_post_if_the_caller_says_that_it_may) {
  const auto server = serving({"reset, 200"});
  client asks(quickly());
  request what{.method = "POST", .url = server.url("/search"), .repeatable = true};
  what.body = curl::memory_body("query");
  EXPECT_TRUE(asks.send(what).ok());
  EXPECT_EQ(server.counts("/search").attempts, 2U);
}

TEST(curl_client, lets_prepare_change_the_headers_of_each_attempt) {
  auto server = serving({"401-until-refresh"});
  int token = 1;
  client asks({.dependency = {.policy = quick, .refresh = [&] {
                                server.refresh_credentials();
                                ++token;
                              }}});
  std::vector<std::string> sent;
  request what{.url = server.url("/")};
  what.prepare = [&](http::header_list& headers, const attempt&) {
    headers.set("Authorization", "Bearer " + std::to_string(token));
    sent.emplace_back(*headers.first("authorization"));
  };
  const response got = asks.send(what);
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.report.attempts, 1U) << "a refresh takes no attempt";
  EXPECT_THAT(sent, ::testing::ElementsAre("Bearer 1", "Bearer 2"));
}

TEST(curl_client, throws_what_a_hook_threw) {
  const auto server = serving({"200"});
  client asks(quickly());
  request what{.url = server.url("/")};
  what.prepare = [](http::header_list&, const attempt&) { throw std::logic_error("no token"); };
  EXPECT_THROW(static_cast<void>(asks.send(what)), std::logic_error);
}

TEST(curl_client, has_a_dependency_for_each_origin) {
  client asks(quickly());
  const auto a = asks.dependency_of("http://127.0.0.1:1001/x");
  EXPECT_EQ(a, asks.dependency_of("http://127.0.0.1:1001/y?z"));
  EXPECT_EQ(a, asks.dependency_of("HTTP://user:secret@127.0.0.1:1001"));
  EXPECT_NE(a, asks.dependency_of("http://127.0.0.1:1002/"));
  EXPECT_EQ(a->name(), "http://127.0.0.1:1001");
}

TEST(curl_client, forgets_the_origins_that_were_not_used_for_long) {
  client_options few = quickly();
  few.max_origins = 2;
  client asks(few);
  const auto in_use = asks.dependency_of("http://a/");
  const std::weak_ptr<dependency> idle = asks.dependency_of("http://b/");
  static_cast<void>(asks.dependency_of("http://c/"));
  static_cast<void>(asks.dependency_of("http://d/"));
  EXPECT_TRUE(idle.expired());
  EXPECT_EQ(asks.dependency_of("http://a/"), in_use);
}

TEST(curl_client, is_refused_by_an_open_breaker_without_an_attempt) {
  const auto server = serving({"503"});
  dependency shared(
      {.name = "it", .policy = quick, .breaker = breaker_options{.failures = 2, .open_for = 60s}});
  client asks({.shared_dependency = &shared});
  static_cast<void>(asks.get(server.url("/")));
  const std::uint64_t before = server.counts("/").attempts;
  const response got = asks.get(server.url("/"));
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.stop(), stop_reason::breaker);
  EXPECT_EQ(got.report.attempts, 0U);
  EXPECT_EQ(got.what(), "the breaker is open");
  EXPECT_EQ(server.counts("/").attempts, before);
}

TEST(curl_client, serves_many_threads_at_once) {
  const auto server = serving({"503, 200"});
  client asks({.dependency = {.policy = quick, .budget = budget::none()}});
  std::vector<std::jthread> threads;
  std::atomic<int> succeeded = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i)
        if (asks.get(server.url("/?key=" + std::to_string(t) + "-" + std::to_string(i))).ok()) ++succeeded;
    });
  threads.clear();
  EXPECT_EQ(succeeded, 80);
}

struct bad_request {
  const char* name;
  request what;
  const char* said;
};

class curl_request : public ::testing::TestWithParam<bad_request> {};

TEST_P(curl_request, is_refused_before_anything_is_sent) {
  client asks(quickly());
  try {
    static_cast<void>(asks.send(GetParam().what));
    FAIL() << "it was sent";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().said));
  }
}

INSTANTIATE_TEST_SUITE_P(
    that, curl_request,
    ::testing::Values(
        bad_request{"has_no_scheme", {.url = "example.com/x"}, "http:// or https://"},
        bad_request{"is_ftp", {.url = "ftp://example.com/"}, "only http and https"},
        bad_request{"shows_no_password", {.url = "ftp://me:secret@example.com/"}, "'ftp://example.com/'"},
        bad_request{"has_a_bad_port", {.url = "http://example.com:99999/"}, "'http://example.com:99999/'"},
        bad_request{
            "has_a_method_with_a_blank", {.method = "GE T", .url = "http://x/"}, "'GE T' is no method"},
        bad_request{
            "smuggles_a_header", {.url = "http://x/", .headers = {{"A", "b\r\nC: d"}}}, "the header A"},
        bad_request{
            "names_a_header_badly", {.url = "http://x/", .headers = {{"A B", "c"}}}, "'A B' is no name"}),
    [](const auto& with) { return std::string(with.param.name); });

TEST(curl_origin, always_has_its_port_and_small_letters) {
  EXPECT_EQ(curl::origin_of("https://Example.COM/path?q#f"), "https://example.com:443");
  EXPECT_EQ(curl::origin_of("http://[::1]:8080/"), "http://[::1]:8080");
  EXPECT_EQ(curl::origin_of("http://u:p@h/"), "http://h:80");
}

}  // namespace
