// SPDX-License-Identifier: Apache-2.0
// libcurl repeats a request of its own accord when a connection that it kept turns out dead. Under Relent it does not:
// the server counts what it sees.
#include <relent/curl/client.hpp>
#include <relent/curl/perform.hpp>
#include <relent/testing/fault_server.hpp>

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using namespace relent;
using namespace std::chrono_literals;
using curl::client;
using curl::response;
using relent::testing::fault_server;
using relent::testing::key_counts;

constexpr policy quick{{.max_attempts = 4, .deadline = 60s, .backoff = {.base = 1ms, .cap = 2ms}}};

struct easy_cleanup {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
using easy = std::unique_ptr<CURL, easy_cleanup>;

std::size_t ignore(char* /*bytes*/, std::size_t one, std::size_t count, void* /*to*/) { return one * count; }

/// A handle that has a connection open to the server.
easy warmed_up(const fault_server& server) {
  easy handle(curl_easy_init());
  curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, &ignore);
  curl_easy_setopt(handle.get(), CURLOPT_URL, server.url("/warm").c_str());
  EXPECT_EQ(curl_easy_perform(handle.get()), CURLE_OK);
  curl_easy_setopt(handle.get(), CURLOPT_URL, server.url("/pay").c_str());
  curl_easy_setopt(handle.get(), CURLOPT_POSTFIELDS, "42");
  return handle;
}

/// The work is done, and the connection is closed before its answer.
constexpr const char* done_and_closed[] = {"/warm: 200", "/pay: close, 200"};

TEST(resend, is_what_libcurl_does_when_left_alone) {
  const fault_server server({.scripts = {std::begin(done_and_closed), std::end(done_and_closed)}});
  const easy handle = warmed_up(server);
  EXPECT_EQ(curl_easy_perform(handle.get()), CURLE_OK);
  EXPECT_EQ(server.counts("/pay").attempts, 2U) << "if this fails, libcurl has become careful";
  EXPECT_EQ(server.counts("/pay").executions, 2U);
}

TEST(resend, does_not_happen_in_the_client) {
  const fault_server server({.scripts = {std::begin(done_and_closed), std::end(done_and_closed)}});
  client asks({.dependency = {.policy = quick}});
  ASSERT_TRUE(asks.get(server.url("/warm")).ok());
  const response got = asks.post(server.url("/pay"), "42", "text/plain");
  EXPECT_EQ(got.stop(), stop_reason::unsafe) << got.what();
  EXPECT_EQ(got.fault->kind, fault_kind::reset);
  EXPECT_EQ(server.counts("/pay").attempts, 1U);
  EXPECT_EQ(server.counts("/pay").executions, 1U);
}

TEST(resend, does_not_happen_to_a_handle_that_somebody_else_owns) {
  const fault_server server({.scripts = {std::begin(done_and_closed), std::end(done_and_closed)}});
  const easy handle = warmed_up(server);
  dependency pays({.policy = quick});
  const curl::performed got = curl::perform(handle.get(), pays);
  EXPECT_EQ(got.report.stop, stop_reason::unsafe);
  EXPECT_EQ(server.counts("/pay").executions, 1U);
}

TEST(resend, is_left_to_the_engine_where_the_method_may_be_repeated) {
  const fault_server server({.scripts = {std::begin(done_and_closed), std::end(done_and_closed)}});
  client asks({.dependency = {.policy = quick}});
  ASSERT_TRUE(asks.get(server.url("/warm")).ok());
  const response got = asks.put(server.url("/pay"), "42", "text/plain");
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.report.attempts, 2U) << "counted, and paid for by the budget";
  EXPECT_EQ(server.counts("/pay").attempts, 2U);
}

TEST(resend, of_a_post_does_not_happen_however_often_connections_are_closed_when_idle) {
  const fault_server server({.scripts = {"/pay: idle-close"}});
  client asks({.dependency = {.policy = quick, .budget = budget::none()}});
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  for (int i = 0; i < 100; ++i) {
    const response got = asks.post(server.url("/pay"), "42", "text/plain");
    ++(got.ok() ? succeeded : failed);
    if (!got.ok()) {
      EXPECT_EQ(got.stop(), stop_reason::unsafe) << got.what();
    }
  }
  const key_counts seen = server.counts("/pay");
  EXPECT_EQ(seen.executions, succeeded);
  EXPECT_EQ(seen.attempts, succeeded);
  EXPECT_EQ(seen.dropped, failed);
  EXPECT_EQ(succeeded, 50U);
}

/// The work is done, the connection is closed, and the one by which libcurl would repeat the request fails in its turn:
/// what is said of that one proves nothing about the first.
struct second_connection {
  const char* name;
  const char* script;
  bool tls;
};

constexpr second_connection second_connections[] = {
    {"that_is_refused", "200, close, refuse(100ms), 200", false},
    {"that_is_reset", "200, close, reset(before=head), 200", false},
    {"that_is_refused_under_tls", "200, close, refuse(100ms), 200", true},
    {"that_is_reset_in_its_handshake", "200, close, reset(before=head), 200", true},
};

class resend_over_a_connection : public ::testing::TestWithParam<second_connection> {
 protected:
  fault_server server{{.scripts = {GetParam().script}, .tls = GetParam().tls}};
  policy patient{{.max_attempts = 2000,
                  .deadline = 60s,
                  .backoff = {.base = 10ms, .cap = 10ms, .jitter = jitter::none}}};
};

TEST_P(resend_over_a_connection, proves_nothing_in_the_client) {
  client asks(
      {.dependency = {.policy = patient, .budget = budget::none()}, .ca_file = server.certificate_file()});
  ASSERT_TRUE(asks.get(server.url("/pay")).ok());
  const response got = asks.post(server.url("/pay"), "42", "text/plain");
  EXPECT_EQ(got.stop(), stop_reason::unsafe) << got.what();
  EXPECT_EQ(got.report.attempts, 1U);
  EXPECT_EQ(server.counts("/pay").executions, 2U) << "that of the GET, and one of the POST";
}

TEST_P(resend_over_a_connection, proves_nothing_for_a_handle_that_somebody_else_owns) {
  const easy handle(curl_easy_init());
  curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, &ignore);
  curl_easy_setopt(handle.get(), CURLOPT_URL, server.url("/pay").c_str());
  curl_easy_setopt(handle.get(), CURLOPT_SSL_VERIFYPEER, 0L);
  ASSERT_EQ(curl_easy_perform(handle.get()), CURLE_OK);
  curl_easy_setopt(handle.get(), CURLOPT_POSTFIELDS, "42");
  dependency pays({.policy = patient, .budget = budget::none()});
  EXPECT_EQ(curl::perform(handle.get(), pays).report.stop, stop_reason::unsafe);
  EXPECT_EQ(server.counts("/pay").executions, 2U);
}

INSTANTIATE_TEST_SUITE_P(second, resend_over_a_connection, ::testing::ValuesIn(second_connections),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(resend, is_not_needed_where_the_close_was_seen_in_time) {
  const fault_server server({.scripts = {"/warm: 200(keep-alive=no)", "/pay: 200"}});
  client asks({.dependency = {.policy = quick}});
  ASSERT_TRUE(asks.get(server.url("/warm")).ok());
  const response got = asks.post(server.url("/pay"), "42", "text/plain");
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(server.counts("/pay").attempts, 1U);
}

}  // namespace
