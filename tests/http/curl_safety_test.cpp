// SPDX-License-Identifier: Apache-2.0
// Nothing is done twice, sent short or told to the wrong one, whatever hooks, redirects and headers do.
#include "scratch_folder.hpp"

#include <relent/curl/client.hpp>
#include <relent/curl/perform.hpp>
#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

using namespace relent;
using namespace std::chrono_literals;
using curl::client;
using curl::client_options;
using curl::request;
using curl::response;
using relent::testing::fault_server;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr policy quick{{.max_attempts = 4, .deadline = 10s, .backoff = {.base = 1ms, .cap = 2ms}}};

client_options quickly() { return {.dependency = {.policy = quick}}; }

request post(const std::string& url) {
  request what{.method = "POST", .url = url};
  what.body = curl::memory_body("one book");
  return what;
}

TEST(curl_safety, what_a_sink_throws_is_no_reason_to_post_again) {
  const fault_server server({.scripts = {"200"}});
  client asks(quickly());
  request what = post(server.url("/"));
  what.sink = curl::spooled_sink(
      [](std::string_view) { throw std::system_error(std::make_error_code(std::errc::connection_refused)); });
  report told;
  EXPECT_THROW(static_cast<void>(asks.send(what, {.report = &told})), std::system_error);
  EXPECT_EQ(server.counts("/").executions, 1U);
  EXPECT_EQ(told.attempts, 1U) << "the report is filled all the same";
}

TEST(curl_safety, what_is_thrown_on_an_attempt_is_no_reason_to_post_again) {
  const fault_server server({.scripts = {"200"}});
  client asks(quickly());
  request what = post(server.url("/"));
  what.on_attempt = [](const curl::transfer_record&) {
    throw std::system_error(std::make_error_code(std::errc::connection_refused));
  };
  EXPECT_THROW(static_cast<void>(asks.send(what)), std::system_error);
  EXPECT_EQ(server.counts("/").executions, 1U);
}

TEST(curl_safety, credentials_wanted_behind_a_redirect_are_no_reason_to_post_again) {
  fault_server server({.scripts = {"/order: 303(header=\"Location: /receipt\", execute=yes)",
                                   "/receipt: 401-until-refresh"}});
  client asks({.dependency = {.policy = quick, .refresh = [&] { server.refresh_credentials(); }}});
  request what = post(server.url("/order"));
  what.max_redirects = 3;
  const response got = asks.send(what);
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.status, 401);
  EXPECT_EQ(server.counts("/order").executions, 1U);
}

TEST(curl_safety, an_expectation_refused_behind_a_redirect_is_no_reason_to_post_again) {
  const fault_server server(
      {.scripts = {"/order: 303(header=\"Location: /receipt\", execute=yes)", "/receipt: 417"}});
  client asks(quickly());
  request what = post(server.url("/order"));
  what.body = curl::memory_body(std::string(2'000'000, 'x'));
  what.max_redirects = 3;
  EXPECT_FALSE(asks.send(what).ok());
  EXPECT_EQ(server.counts("/order").executions, 1U);
}

TEST(curl_safety, a_key_that_a_hook_takes_away_ends_the_call_before_anything_is_sent) {
  const fault_server server({.scripts = {"reset, 200"}});
  client asks(quickly());
  request what = post(server.url("/"));
  what.idempotency_key = http::key_style::quoted;
  what.prepare = [](http::header_list& headers, const attempt&) { headers.remove("idempotency-key"); };
  EXPECT_THROW(static_cast<void>(asks.send(what)), std::invalid_argument);
  EXPECT_EQ(server.totals().attempts, 0U);
}

TEST(curl_safety, a_key_given_only_among_the_options_does_not_make_a_post_repeatable) {
  const fault_server server({.scripts = {"reset, 200"}});
  client asks(quickly());
  EXPECT_EQ(asks.send(post(server.url("/")), {.idempotency_key = "order-1"}).stop(), stop_reason::unsafe);
  EXPECT_EQ(server.counts("/").executions, 1U);
}

TEST(curl_safety, a_key_for_all_requests_is_refused) {
  EXPECT_THROW(client({.headers = {{"Idempotency-Key", "same"}}}), std::invalid_argument);
  EXPECT_THROW(client({.headers = {{"X-A", "b\r\nX-Admin: yes"}}}), std::invalid_argument);
  EXPECT_THROW(client({.user_agent = "me\r\nX-Admin: yes"}), std::invalid_argument);
}

TEST(curl_safety, a_length_that_is_not_the_bodys_is_refused) {
  client asks(quickly());
  request what = post("http://127.0.0.1:1/");
  what.headers.add("Content-Length", "2");
  EXPECT_THROW(static_cast<void>(asks.send(what)), std::invalid_argument);
  what.headers.set("Content-Length", "8");
  EXPECT_NO_THROW(static_cast<void>(asks.send(what)));
  EXPECT_THROW(
      static_cast<void>(asks.send({.method = "HEAD", .url = "http://x/", .body = curl::memory_body("b")})),
      std::invalid_argument);
}

TEST(curl_safety, an_address_with_a_nul_is_never_cut_short) {
  const fault_server server({.scripts = {"200"}});
  client asks(quickly());
  EXPECT_TRUE(asks.get(server.url("/pay")).ok());
  EXPECT_THROW(static_cast<void>(asks.get(server.url("/pay") + std::string("\0/cancel", 8))),
               std::invalid_argument);
  EXPECT_EQ(server.totals().attempts, 1U);
}

TEST(curl_safety, secrets_of_an_address_are_not_told) {
  client asks(quickly());
  for (const char* url :
       {"me:secret@example.com/x", "ftp://me:sec/ret@example.com/x", "example.com/x?token=secret"}) {
    try {
      static_cast<void>(asks.get(url));
      FAIL() << url;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("sec"))) << url;
    }
  }
  const fault_server server({.scripts = {"200"}});
  const std::string url = server.url("/");
  const response got = asks.get("http://me:secret@" + url.substr(7));
  EXPECT_EQ(got.url, url);
}

TEST(curl_safety, what_one_call_is_configured_with_is_not_found_by_the_next) {
  const fault_server server({.scripts = {"/in: 200(header=\"Set-Cookie: session=alice\")", "/who: 200"}});
  client asks(quickly());
  request in{.url = server.url("/in")};
  in.configure = [](void* handle) { curl_easy_setopt(handle, CURLOPT_COOKIEFILE, ""); };
  EXPECT_TRUE(asks.send(in).ok());
  request who{.url = server.url("/who")};
  curl_slist* cookies = nullptr;
  who.configure = [&](void* handle) { curl_easy_getinfo(handle, CURLINFO_COOKIELIST, &cookies); };
  EXPECT_TRUE(asks.send(who).ok());
  EXPECT_EQ(cookies, nullptr);
  curl_slist_free_all(cookies);
}

TEST(curl_safety, an_answer_over_tls_without_a_byte_that_ends_without_a_close_is_no_success) {
  const fault_server server({.scripts = {"unclean(body=\"\"), 200(body=whole)"}, .tls = true});
  client_options trusting = quickly();
  trusting.ca_file = server.certificate_file();
  client asks(trusting);
  const response got = asks.get(server.url("/"));
  EXPECT_EQ(got.body, "whole") << got.what();
  EXPECT_EQ(got.report.attempts, 2U);
}

TEST(curl_safety, a_file_that_says_it_is_empty_and_is_not_is_sent_whole) {
  const curl::body sent = curl::file_body("/proc/version");
  EXPECT_FALSE(sent->size().has_value());
  const relent::test::scratch_folder folder;
  folder.write("empty", "");
  EXPECT_EQ(curl::file_body(folder.path("empty"))->size(), 0U);
}

TEST(curl_safety, a_put_without_a_body_says_so) {
  const fault_server server({.scripts = {"200"}});
  client asks(quickly());
  EXPECT_TRUE(asks.send({.method = "PUT", .url = server.url("/")}).ok());
  EXPECT_EQ(server.counts("/").bodies_complete, 1U);
}

TEST(curl_safety, two_plain_gets_on_one_handle_share_nothing_that_is_gone) {
  const fault_server server({.scripts = {"200"}});
  client asks(quickly());
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(asks.get(server.url("/")).ok());
  EXPECT_EQ(server.connections(), 1U);
}

TEST(curl_safety, perform_does_not_repeat_what_it_cannot_take_back) {
  const fault_server server({.scripts = {"close(after=100, body=1KB), 200"}});
  const std::unique_ptr<CURL, void (*)(CURL*)> handle{curl_easy_init(), &curl_easy_cleanup};
  std::string seen;
  curl_easy_setopt(handle.get(), CURLOPT_URL, server.url("/").c_str());
  curl_easy_setopt(
      handle.get(), CURLOPT_WRITEFUNCTION, +[](char* bytes, std::size_t, std::size_t size, void* to) {
        static_cast<std::string*>(to)->append(bytes, size);
        return size;
      });
  curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &seen);
  dependency shared({.name = "it", .policy = quick});
  const curl::performed got = curl::perform(handle.get(), shared);
  EXPECT_EQ(got.report.stop, stop_reason::not_replayable);
  EXPECT_EQ(server.counts("/").attempts, 1U);
}

}  // namespace
