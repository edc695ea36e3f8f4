// SPDX-License-Identifier: Apache-2.0
// A call that is told to stop ends at once, whatever it is waiting for.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
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
using relent::testing::fault_server;
using clock_type = std::chrono::steady_clock;

constexpr policy patient{{.max_attempts = 5, .deadline = 60s, .backoff = {.base = 1ms, .cap = 2ms}}};
constexpr auto at_once = 50ms * test::patience;

struct stopped {
  response got;
  std::chrono::nanoseconds after{};  ///< from the stop to the end of the call
};

/// Sends the request and stops it when `is_under_way` says that it waits.
stopped stop_when(const std::function<bool()>& is_under_way, const request& what) {
  client asks({.dependency = {.policy = patient}});
  std::stop_source source;
  clock_type::time_point told;
  std::thread stopper([&] {
    for (const auto limit = clock_type::now() + 20s; !is_under_way() && clock_type::now() < limit;)
      std::this_thread::sleep_for(1ms);
    told = clock_type::now();
    source.request_stop();
  });
  stopped out;
  out.got = asks.send(what, {.stop = source.get_token()});
  const auto ended = clock_type::now();
  stopper.join();
  out.after = ended - told;
  return out;
}

/// What holds wherever the stop came.
void expect_cancelled(const stopped& seen, phase reached) {
  EXPECT_EQ(seen.got.stop(), stop_reason::cancelled) << seen.got.what();
  EXPECT_LT(seen.after, at_once);
  ASSERT_EQ(seen.got.transfers.size(), 1U);
  EXPECT_EQ(seen.got.transfers[0].reached, reached);
}

TEST(stop_real_time, ends_a_transfer_that_stalls) {
  const fault_server server({.scripts = {"stall"}});
  const stopped seen = stop_when([&] { return server.counts("/").attempts == 1; }, {.url = server.url("/")});
  expect_cancelled(seen, phase::request_written);
  EXPECT_EQ(seen.got.fault->kind, fault_kind::cancelled);
  EXPECT_EQ(effect_of(*seen.got.fault), effect::possible);
  EXPECT_EQ(server.counts("/").attempts, 1U);
}

TEST(stop_real_time, ends_a_transfer_in_the_body_of_the_answer) {
  const fault_server server({.scripts = {"stall(after=5KB, body=100KB)"}});
  std::atomic<bool> came = false;
  class told_sink final : public curl::body_sink {
   public:
    explicit told_sink(std::atomic<bool>& came) : came_(came) {}
    void begin(int, const http::header_list&) override {}
    void write(std::string_view) override { came_ = true; }
    void complete() override { ADD_FAILURE() << "it never was"; }

   private:
    std::atomic<bool>& came_;
  };
  request what{.url = server.url("/")};
  what.sink = std::make_shared<told_sink>(came);
  expect_cancelled(stop_when([&] { return came.load(); }, what), phase::response_body);
}

TEST(stop_real_time, ends_a_transfer_in_the_body_of_the_request) {
  const fault_server server({.scripts = {"200"}});
  std::atomic<bool> asked = false;
  request what{.method = "POST", .url = server.url("/")};
  what.body = curl::stream_body([&](char* to, std::size_t) {  // it never ends
    asked = true;
    *to = 'x';
    return std::size_t{1};
  });
  expect_cancelled(stop_when([&] { return asked.load(); }, what), phase::request_partial);
  EXPECT_EQ(server.counts("/").executions, 0U);
  EXPECT_EQ(server.counts("/").bodies_complete, 0U);
}

TEST(stop_real_time, ends_a_transfer_that_waits_for_leave_to_send_its_body) {
  const fault_server server({.scripts = {"stall"}});
  request what{.method = "PUT", .url = server.url("/")};
  what.body = curl::memory_body(std::string(2'000'000, 'x'));
  const stopped seen = stop_when([&] { return server.counts("/").attempts == 1; }, what);
  expect_cancelled(seen, phase::request_partial);
  EXPECT_EQ(seen.got.transfers[0].body_bytes_sent, 0U);
}

TEST(stop_real_time, ends_an_attempt_to_connect) {
  const test::black_hole nowhere;
  const auto begun = clock_type::now();
  const stopped seen = stop_when([&] { return clock_type::now() - begun > 100ms; }, {.url = nowhere.url()});
  expect_cancelled(seen, phase::connect);
  EXPECT_EQ(effect_of(*seen.got.fault), effect::none);
}

TEST(stop_real_time, ends_the_wait_between_two_attempts) {
  const fault_server server({.scripts = {"503(retry-after=30)"}});
  std::atomic<bool> failed = false;  // and about to wait, or waiting
  request what{.url = server.url("/")};
  what.on_attempt = [&](const curl::transfer_record&) { failed = true; };
  const stopped seen = stop_when([&] { return failed.load(); }, what);
  EXPECT_EQ(seen.got.stop(), stop_reason::cancelled);
  EXPECT_LT(seen.after, at_once);
  EXPECT_EQ(seen.got.status, 503) << "the last real error is the result";
  EXPECT_EQ(server.counts("/").attempts, 1U);
}

TEST(stop_real_time, before_the_call_leaves_the_server_in_peace) {
  const fault_server server({.scripts = {"200"}});
  client asks({.dependency = {.policy = patient}});
  std::stop_source source;
  source.request_stop();
  const response got = asks.get(server.url("/"), {.stop = source.get_token()});
  EXPECT_EQ(got.stop(), stop_reason::cancelled);
  EXPECT_EQ(got.report.attempts, 0U);
  EXPECT_EQ(server.connections(), 0U);
}

TEST(stop_real_time, leaves_the_connections_of_other_calls_as_they_are) {
  const fault_server server({.scripts = {"/slow: stall", "/quick: 200"}});
  client asks({.dependency = {.policy = patient}});
  std::stop_source source;
  const std::stop_source never;
  EXPECT_TRUE(asks.get(server.url("/quick"), {.stop = never.get_token()}).ok());
  std::thread stopper([&] {
    while (server.counts("/slow").attempts == 0) std::this_thread::sleep_for(1ms);
    source.request_stop();
  });
  EXPECT_EQ(asks.get(server.url("/slow"), {.stop = source.get_token()}).stop(), stop_reason::cancelled);
  stopper.join();
  const response got = asks.get(server.url("/quick"), {.stop = never.get_token()});
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_TRUE(got.transfers[0].new_connection) << "the one before went with the transfer that was stopped";
}

}  // namespace
