// SPDX-License-Identifier: Apache-2.0
// Transfers of the client that are cut, cancelled, redirected or refused half-way.
#include "scratch_folder.hpp"

#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <array>
#include <chrono>
#include <stdexcept>
#include <stop_token>
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
using relent::test::scratch_folder;
using relent::testing::fault_body;
using relent::testing::fault_server;

constexpr policy quick{{.max_attempts = 4, .deadline = 20s, .backoff = {.base = 1ms, .cap = 2ms}}};

client_options quickly() { return {.dependency = {.policy = quick}}; }

fault_server serving(std::vector<std::string> scripts) {
  return fault_server({.scripts = std::move(scripts)});
}

TEST(curl_answer, that_is_cut_short_is_no_success_and_leaves_nothing_behind) {
  const auto server = serving({"close(after=5KB, body=20KB)*2, 200(body=20KB)"});
  const scratch_folder folder;
  client asks(quickly());
  request what{.url = server.url("/")};
  what.sink = curl::file_sink(folder.path("file"));
  const response got = asks.send(what);
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.report.attempts, 3U);
  EXPECT_EQ(got.transfers[0].fault->kind, fault_kind::reset);
  EXPECT_EQ(got.transfers[0].reached, phase::response_body);
  EXPECT_TRUE(folder.read("file") == fault_body(0, 20'000));
  EXPECT_EQ(folder.size(), 1);
}

TEST(curl_answer, that_never_comes_whole_leaves_the_file_as_it_was) {
  const auto server = serving({"close(after=5KB, body=20KB)"});
  const scratch_folder folder;
  folder.write("file", "as it was");
  client asks(quickly());
  request what{.url = server.url("/")};
  what.sink = curl::file_sink(folder.path("file"));
  const response got = asks.send(what);
  what.sink.reset();
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.stop(), stop_reason::attempts);
  EXPECT_EQ(folder.read("file"), "as it was");
  EXPECT_EQ(folder.size(), 1);
}

TEST(curl_answer, over_tls_that_ends_without_a_close_is_cut_short) {
  const fault_server server({.scripts = {"unclean(body=5KB), 200(body=whole)"}, .tls = true});
  client_options trusting = quickly();
  trusting.ca_file = server.certificate_file();
  client asks(trusting);
  const response got = asks.get(server.url("/"));
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.body, "whole");
  EXPECT_EQ(got.report.attempts, 2U);
}

TEST(curl_answer, of_a_server_that_cannot_be_trusted_is_not_asked_for_again) {
  const fault_server server({.scripts = {"200"}, .tls = true});
  client asks(quickly());
  const response got = asks.get(server.url("/"));
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.stop(), stop_reason::permanent);
  EXPECT_EQ(got.report.attempts, 1U);
  EXPECT_EQ(got.error.code, 60) << got.what();
}

TEST(curl_sink, that_throws_ends_the_call_with_what_it_threw) {
  const auto server = serving({"200(body=20KB)"});
  client asks(quickly());
  request what{.url = server.url("/")};
  what.sink = curl::spooled_sink([](std::string_view) { throw std::runtime_error("full"); });
  EXPECT_THROW(static_cast<void>(asks.send(what)), std::runtime_error);
  EXPECT_EQ(server.counts("/").attempts, 1U);
}

TEST(curl_upload, of_a_file_is_whole_in_every_attempt) {
  const auto server = serving({"reset*2, 200"});
  const scratch_folder folder;
  folder.write("upload", fault_body(0, 300'000));
  client asks(quickly());
  request what{.method = "PUT", .url = server.url("/")};
  what.body = curl::file_body(folder.path("upload"));
  EXPECT_TRUE(asks.send(what).ok());
  EXPECT_EQ(server.counts("/").bodies_complete, 3U);
  EXPECT_EQ(server.counts("/").bodies_different, 0U);
}

TEST(curl_upload, of_a_pipe_is_not_repeated_once_a_byte_was_taken) {
  const auto server = serving({"503(execute=yes), 200"});
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "six by", 6), 6);
  ::close(ends[1]);
  client asks(quickly());
  request what{.method = "PUT", .url = server.url("/")};
  what.body = curl::descriptor_body(ends[0]);
  const response got = asks.send(what);
  ::close(ends[0]);
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.stop(), stop_reason::not_replayable);
  EXPECT_EQ(server.counts("/").attempts, 1U);
  EXPECT_EQ(server.counts("/").body_bytes, 6U);
}

TEST(curl_upload, of_a_pipe_is_repeated_as_long_as_no_byte_was_taken) {
  const auto server = serving({"refuse(300ms), 200"});
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "six by", 6), 6);
  ::close(ends[1]);
  const policy patient{{.max_attempts = 1000, .deadline = 20s, .backoff = {.base = 10ms, .cap = 10ms}}};
  client asks({.dependency = {.policy = patient, .budget = budget::none()}});
  request what{.method = "POST", .url = server.url("/")};
  what.body = curl::descriptor_body(ends[0]);
  const response got = asks.send(what);
  ::close(ends[0]);
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_GT(got.report.attempts, 1U);
  EXPECT_EQ(server.counts("/").body_bytes, 6U);
}

TEST(curl_upload, that_shrinks_while_it_is_sent_ends_the_call) {
  const auto server = serving({"200"});
  const scratch_folder folder;
  folder.write("upload", std::string(200'000, 'x'));
  client asks(quickly());
  request what{.method = "PUT", .url = server.url("/")};
  what.body = curl::file_body(folder.path("upload"));
  ASSERT_EQ(::truncate(folder.path("upload").c_str(), 100), 0);
  EXPECT_THROW(static_cast<void>(asks.send(what)), std::runtime_error);
  EXPECT_EQ(server.counts("/").bodies_complete, 0U);
}

TEST(curl_upload, is_sent_again_without_the_expectation_that_the_server_refuses) {
  const auto server = serving({"417, 200"});
  client asks(quickly());
  request what{.method = "POST", .url = server.url("/")};
  what.body = curl::memory_body(std::string(2'000'000, 'x'));
  const response got = asks.send(what);
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(server.counts("/").bodies_complete, 1U);
}

TEST(curl_redirect, is_followed_only_if_asked_for) {
  const auto server = serving({"/a: 302(header=\"Location: /b\")", "/b: 200(body=there)"});
  client asks(quickly());
  EXPECT_EQ(asks.get(server.url("/a")).status, 302);
  const response got = asks.send({.url = server.url("/a"), .max_redirects = 3});
  EXPECT_EQ(got.body, "there");
  EXPECT_EQ(got.url, server.url("/b"));
}

TEST(curl_redirect, after_a_post_that_cannot_be_followed_is_no_reason_to_post_again) {
  const auto server = serving({"/order: 303(header=\"Location: http://127.0.0.1:1/gone\", execute=yes)"});
  client asks(quickly());
  request what{.method = "POST", .url = server.url("/order"), .max_redirects = 3};
  what.body = curl::memory_body("one book");
  const response got = asks.send(what);
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.stop(), stop_reason::unsafe);
  EXPECT_EQ(server.counts("/order").executions, 1U);
}

TEST(curl_connection, that_the_server_closed_is_not_written_to_twice_by_libcurl) {
  const auto server = serving({"/warm: 200", "/pay: idle-close, 200"});
  client asks(quickly());
  EXPECT_TRUE(asks.post(server.url("/pay"), "42", "text/plain").ok());
  const response got = asks.post(server.url("/pay"), "42", "text/plain");
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.stop(), stop_reason::unsafe) << got.what();
  EXPECT_EQ(server.counts("/pay").attempts + server.counts("/pay").dropped, 2U);
}

TEST(curl_connection, is_another_one_after_a_421) {
  const auto server = serving({"421, 200"});
  client asks(quickly());
  const response got = asks.post(server.url("/"), "42", "text/plain");
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(server.connections(), 2U);
}

/// How long after the stop the call ended.
template <class Call>
std::chrono::nanoseconds stopped_after(Call&& call, std::chrono::milliseconds under_way) {
  std::stop_source source;
  std::chrono::steady_clock::time_point stopped;
  const std::jthread stopper([&](const std::stop_token&) {
    std::this_thread::sleep_for(under_way);
    stopped = std::chrono::steady_clock::now();
    source.request_stop();
  });
  call(source.get_token());
  return std::chrono::steady_clock::now() - stopped;
}

TEST(curl_real_time, a_stop_ends_a_transfer_that_stalls) {
  const auto server = serving({"stall"});
  client asks(quickly());
  response got;
  const auto took = stopped_after(
      [&](const std::stop_token& token) { got = asks.get(server.url("/"), {.stop = token}); }, 100ms);
  EXPECT_EQ(got.stop(), stop_reason::cancelled);
  EXPECT_EQ(got.fault->kind, fault_kind::cancelled);
  EXPECT_LT(took, 50ms);
}

TEST(curl_real_time, a_stop_ends_a_transfer_in_its_body) {
  const auto server = serving({"drip(1KB/s, body=100KB)"});
  client asks(quickly());
  response got;
  const auto took = stopped_after(
      [&](const std::stop_token& token) { got = asks.get(server.url("/"), {.stop = token}); }, 200ms);
  EXPECT_EQ(got.stop(), stop_reason::cancelled);
  EXPECT_LT(took, 50ms);
}

TEST(curl_real_time, the_deadline_ends_an_attempt_that_stalls) {
  const auto server = serving({"stall"});
  client asks(quickly());
  const auto began = std::chrono::steady_clock::now();
  const response got = asks.get(server.url("/"), {.deadline = 300ms});
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_EQ(got.stop(), stop_reason::deadline);
  EXPECT_EQ(got.fault->kind, fault_kind::timeout);
  EXPECT_GE(took, 250ms);
  EXPECT_LT(took, 600ms);
}

}  // namespace
