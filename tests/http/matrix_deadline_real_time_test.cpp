// SPDX-License-Identifier: Apache-2.0
// Whatever does not come, the call ends by its deadline, and each attempt by its time-out.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
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

constexpr auto slack = 300ms * test::patience;

constexpr policy_options patient{.max_attempts = 100, .deadline = 60s, .backoff = {.base = 1ms, .cap = 2ms}};

curl::client_options by(policy_options rules) {
  return {.dependency = {.policy = policy{rules}, .budget = budget::none()}};
}

struct timed {
  response got;
  std::chrono::nanoseconds took{};
};

timed send(client& asks, const request& what, const call_options& options = {}) {
  const auto begun = std::chrono::steady_clock::now();
  timed out;
  out.got = asks.send(what, options);
  out.took = std::chrono::steady_clock::now() - begun;
  return out;
}

/// What never comes to an end by itself.
struct endless {
  const char* name;
  const char* script;
};

constexpr endless endless_things[] = {
    {"no_answer", "stall"},
    {"an_answer_after_an_hour", "late(1h)"},
    {"a_body_that_stands_still", "stall(after=1KB, body=1MB)"},
    {"a_body_that_drips", "drip(100B/s, body=1MB)"},
    {"a_chunked_body_that_drips", "drip(100B/s, body=1MB, framing=chunked)"},
};

class deadline_real_time : public ::testing::TestWithParam<endless> {};

TEST_P(deadline_real_time, ends_a_call_in_one_attempt) {
  const fault_server server({.scripts = {GetParam().script}});
  client asks(by(patient));
  const timed seen = send(asks, {.url = server.url()}, {.deadline = 300ms});
  EXPECT_EQ(seen.got.stop(), stop_reason::deadline);
  EXPECT_EQ(seen.got.fault->kind, fault_kind::timeout);
  EXPECT_EQ(seen.got.report.attempts, 1U);
  EXPECT_GE(seen.took, 290ms);
  EXPECT_LT(seen.took, 300ms + slack);
}

TEST_P(deadline_real_time, ends_a_call_of_many_attempts) {
  const fault_server server({.scripts = {GetParam().script}});
  policy_options rules = patient;
  rules.attempt_timeout = 100ms;
  client asks(by(rules));
  const timed seen = send(asks, {.url = server.url()}, {.deadline = 450ms});
  EXPECT_EQ(seen.got.stop(), stop_reason::deadline);
  EXPECT_GE(seen.got.report.attempts, 2U);
  EXPECT_LE(seen.got.report.attempts, 5U);
  EXPECT_LT(seen.took, 450ms + slack);
  EXPECT_LE(seen.got.transfers[0].took, 100ms + slack);
}

INSTANTIATE_TEST_SUITE_P(of, deadline_real_time, ::testing::ValuesIn(endless_things),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(deadline_of_a_call_real_time, ends_an_attempt_to_connect) {
  const test::black_hole nowhere;
  client asks(by(patient));
  const timed seen = send(asks, {.url = nowhere.url()}, {.deadline = 300ms});
  EXPECT_EQ(seen.got.stop(), stop_reason::deadline);
  EXPECT_EQ(effect_of(*seen.got.fault), effect::none);
  EXPECT_EQ(seen.got.transfers[0].reached, phase::connect);
  EXPECT_LT(seen.took, 300ms + slack);
}

TEST(deadline_of_a_call_real_time, ends_a_body_that_is_sent_for_ever) {
  const fault_server server({.scripts = {"200"}});
  client asks(by(patient));
  request what{.method = "POST", .url = server.url()};
  what.body = curl::stream_body([](char* to, std::size_t) {
    std::this_thread::sleep_for(5ms);
    *to = 'x';
    return std::size_t{1};
  });
  const timed seen = send(asks, what, {.deadline = 300ms});
  EXPECT_EQ(seen.got.stop(), stop_reason::not_replayable);
  EXPECT_EQ(seen.got.fault->kind, fault_kind::timeout);
  EXPECT_LT(seen.took, 300ms + slack);
  EXPECT_EQ(server.totals().executions, 0U);
}

TEST(deadline_of_a_call_real_time, is_not_waited_for_when_the_server_asks_for_more_time) {
  const fault_server server({.scripts = {"503(retry-after=3600)"}});
  client asks(by(patient));
  const timed seen = send(asks, {.url = server.url()}, {.deadline = 30s});
  EXPECT_FALSE(seen.got.ok());
  EXPECT_EQ(seen.got.status, 503);
  EXPECT_LT(seen.took, slack);
}

TEST(connect_timeout_real_time, bounds_each_attempt_to_connect) {
  const test::black_hole nowhere;
  policy_options rules = patient;
  rules.max_attempts = 2;
  curl::client_options options = by(rules);
  options.connect_timeout = 100ms;
  client asks(options);
  const timed seen = send(asks, {.url = nowhere.url()});
  EXPECT_EQ(seen.got.stop(), stop_reason::attempts);
  EXPECT_EQ(seen.got.transfers.size(), 2U);
  EXPECT_GE(seen.took, 195ms);
  EXPECT_LT(seen.took, 200ms + slack);
}

TEST(connect_timeout_real_time, does_not_bound_the_answer) {
  const fault_server server({.scripts = {"late(300ms)"}});
  client asks(by(patient));
  const timed seen = send(asks, {.url = server.url(), .connect_timeout = 100ms});
  EXPECT_TRUE(seen.got.ok()) << seen.got.what();
  EXPECT_EQ(server.totals().attempts, 1U);
}

TEST(connect_timeout_real_time, lets_a_post_be_sent_again) {
  const test::black_hole nowhere;
  policy_options rules = patient;
  rules.max_attempts = 3;
  client asks(by(rules));
  request what{.method = "POST", .url = nowhere.url(), .connect_timeout = 50ms};
  what.body = curl::memory_body("42");
  const timed seen = send(asks, what);
  EXPECT_EQ(seen.got.stop(), stop_reason::attempts) << "nothing was done, so it is no risk";
  EXPECT_EQ(seen.got.report.attempts, 3U);
}

}  // namespace
