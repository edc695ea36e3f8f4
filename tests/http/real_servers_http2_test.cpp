// SPDX-License-Identifier: Apache-2.0
// HTTP/2: what proves that a request was not processed, and what does not. Against nghttp2's server, and against one
// that says the rarer things by hand.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "real_servers_frames.hpp"
#include "real_servers_proxies.hpp"

namespace {

using namespace relent;
using namespace std::chrono_literals;
using curl::request;
using curl::response;
using relent::test::frame_server;
using relent::test::server_program;

curl::client_options quickly() {
  return {
      .dependency = {.policy =
                         policy{{.max_attempts = 4, .deadline = 60s, .backoff = {.base = 1ms, .cap = 2ms}}},
                     .budget = budget::none()},
      .verify_tls = false};
}

/// What a server says to a whole request on stream 1.
struct refusal {
  const char* name;
  test::said answer;
  bool proves;  ///< that nothing was done
};

constexpr bool then_closes = true;

const refusal refusals[] = {
    {"refused_stream", {test::rst_stream(1, 0x7)}, true},
    {"goaway_below_the_stream", {test::goaway(0), then_closes}, true},
    {"goaway_below_the_stream_with_an_error", {test::goaway(0, 0x2), then_closes}, true},
    {"goaway_at_the_stream", {test::goaway(1), then_closes}, false},
    {"goaway_above_the_stream", {test::goaway(99), then_closes}, false},
    {"goaway_of_no_stream_yet", {test::goaway(0x7fffffff), then_closes}, false},
    {"goaway_at_the_stream_with_an_error", {test::goaway(1, 0x2), then_closes}, false},
    {"no_error_without_an_answer", {test::rst_stream(1, 0x0)}, false},
    {"internal_error", {test::rst_stream(1, 0x2)}, false},
    {"cancel", {test::rst_stream(1, 0x8)}, false},
    {"enhance_your_calm", {test::rst_stream(1, 0xb)}, false},
    {"http_1_1_required", {test::rst_stream(1, 0xd)}, false},
    {"nothing", {"", then_closes}, false},
};

void PrintTo(const refusal& of, std::ostream* out) { *out << of.name; }

/// HTTP/2 without TLS. On a connection that was kept libcurl 7.88 gets that wrong, so none is.
void speak_http2(void* handle) {
  curl_easy_setopt(static_cast<CURL*>(handle), CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
  curl_easy_setopt(static_cast<CURL*>(handle), CURLOPT_FORBID_REUSE, 1L);
}

class http2_server_that_says : public ::testing::TestWithParam<refusal> {
 protected:
  request asking(const std::string& method) const {
    request what{.method = method, .url = server.url()};
    if (method != "GET") what.body = curl::memory_body("42");
    what.configure = &speak_http2;
    return what;
  }

  frame_server server{{GetParam().answer}};
  curl::client asks{quickly()};
};

TEST_P(http2_server_that_says, is_asked_again_by_a_get) {
  const response got = asks.send(asking("GET"));
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.http_version, "2");
  EXPECT_EQ(server.requests(), 2);
}

TEST_P(http2_server_that_says, is_asked_again_by_a_post_if_that_proves_that_nothing_was_done) {
  const response got = asks.send(asking("POST"));
  EXPECT_EQ(server.requests(), GetParam().proves ? 2 : 1) << got.what();
  EXPECT_EQ(got.ok(), GetParam().proves) << got.what();
  if (!GetParam().proves) {
    EXPECT_EQ(got.stop(), stop_reason::unsafe);
  }
  ASSERT_FALSE(got.transfers.empty());
  ASSERT_TRUE(got.transfers[0].fault.has_value());
  EXPECT_EQ(got.transfers[0].fault->kind == fault_kind::not_processed, GetParam().proves);
}

TEST_P(http2_server_that_says, is_asked_again_by_a_post_with_a_key) {
  request what = asking("POST");
  what.idempotency_key = http::key_style::quoted;
  EXPECT_TRUE(asks.send(what).ok());
  EXPECT_EQ(server.requests(), 2);
}

INSTANTIATE_TEST_SUITE_P(by_hand, http2_server_that_says, ::testing::ValuesIn(refusals),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(http2_refusal, that_goes_on_ends_with_the_attempts) {
  const test::said no{test::rst_stream(1, 0x7)};
  const frame_server server({no, no, no, no, no, no});
  curl::client asks(quickly());
  request what{.method = "POST", .url = server.url()};
  what.body = curl::memory_body("42");
  what.configure = &speak_http2;
  const response got = asks.send(what);
  EXPECT_EQ(got.stop(), stop_reason::attempts) << got.what();
  EXPECT_EQ(server.requests(), 4) << "libcurl adds none";
}

/// nghttp2's server, with a file of 300 KB, over TLS.
class nghttpd_test : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::optional<std::string> program = test::find_program("nghttpd");
    if (!program) GTEST_SKIP() << "nghttpd is not installed";
    command = [program](std::uint16_t port, const test::scratch_folder& folder) {
      test::write_certificate(folder);
      folder.write("file", content());
      return std::vector<std::string>{*program,
                                      "-a",
                                      "127.0.0.1",
                                      "-d",
                                      folder.path(),
                                      "--echo-upload",
                                      std::to_string(port),
                                      folder.path("key.pem"),
                                      folder.path("cert.pem")};
    };
    server.emplace(command);
  }
  static std::string content() { return relent::testing::fault_body(0, 300'000); }
  std::string url(const std::string& path) const { return "https" + server->url(path).substr(4); }

  server_program::command_for command;
  std::optional<server_program> server;
  curl::client asks{quickly()};
};

TEST_F(nghttpd_test, gives_whole_answers_over_one_connection) {
  for (int i = 0; i < 5; ++i) {
    const response got = asks.get(url("/file"));
    EXPECT_TRUE(got.ok()) << got.what() << server->log();
    EXPECT_EQ(got.http_version, "2");
    EXPECT_TRUE(got.body == content());
    EXPECT_EQ(got.transfers.at(0).new_connection, i == 0);
  }
}

TEST_F(nghttpd_test, gets_whole_bodies) {
  const response got = asks.post(url("/file"), content(), "text/plain");
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_TRUE(got.body == content());
}

TEST_F(nghttpd_test, says_that_there_is_nothing_which_is_permanent) {
  const response got = asks.get(url("/nothing"));
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.stop(), stop_reason::permanent);
}

TEST_F(nghttpd_test, that_has_died_did_nothing_of_what_could_not_be_sent) {
  ASSERT_TRUE(asks.get(url("/file")).ok());
  server->process().end(SIGKILL);
  const response got = asks.post(url("/file"), "42", "text/plain");
  EXPECT_EQ(got.stop(), stop_reason::attempts) << got.what();
  EXPECT_EQ(got.fault->kind, fault_kind::unreachable);
  EXPECT_EQ(got.report.attempts, 4U);
}

TEST_F(nghttpd_test, that_stands_still_and_dies_may_have_done_it) {
  ASSERT_TRUE(asks.get(url("/file")).ok());
  server->process().signal(SIGSTOP);
  std::atomic<bool> sent = false;
  request what{.method = "POST", .url = url("/file")};
  what.body = curl::stream_body(
      [&](char* to, std::size_t) {
        *to = 'x';
        return std::size_t{sent.exchange(true) ? 0U : 1U};
      },
      [&] {
        sent = false;
        return true;
      });
  std::thread killer([&] {
    while (!sent) std::this_thread::sleep_for(1ms);
    server->process().end(SIGKILL);
  });
  const response got = asks.send(what);
  killer.join();
  EXPECT_EQ(got.stop(), stop_reason::unsafe) << got.what();
  EXPECT_EQ(got.report.attempts, 1U);
}

}  // namespace
