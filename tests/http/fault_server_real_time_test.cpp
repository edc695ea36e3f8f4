// SPDX-License-Identifier: Apache-2.0
// What the server does in the course of time, by the clock on the wall: bounds are generous on the late side.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <relent/testing/fault_server.hpp>
#include <string>
#include <thread>
#include <vector>

#include "http/fault_server_client.hpp"

namespace relent::testing {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

/// How connecting ends: refused, or not.
bool refuses(const fault_server& server) { return raw_client(server.port()).end() == socket_end::refused; }

/// Tries until it can connect.
void until_open(const fault_server& server) {
  while (refuses(server)) std::this_thread::sleep_for(1ms);
}

int get(const fault_server& server, const std::string& target) {
  raw_client client(server.port());
  client.get(target);
  return client.read_status();
}

TEST(fault_server_real_time, refuses_from_its_start_and_then_listens_on_the_same_port) {
  const auto begin = steady::now();
  fault_server server({.scripts = {"refuse(400ms), 200"}});
  EXPECT_TRUE(refuses(server));
  until_open(server);
  EXPECT_GE(steady::now() - begin, 400ms);
  EXPECT_EQ(get(server, "/"), 200);
}

TEST(fault_server_real_time, refuses_as_soon_as_the_answer_before_it_is_there) {
  fault_server server({.scripts = {"503, refuse(400ms), 200"}, .threads = 2});
  raw_client idle(server.port());
  const auto begin = steady::now();
  EXPECT_EQ(get(server, "/"), 503);
  EXPECT_TRUE(refuses(server));
  EXPECT_EQ(idle.read_all(), "");  // an idle connection is closed with the listener
  until_open(server);
  EXPECT_GE(steady::now() - begin, 400ms);
  EXPECT_EQ(get(server, "/"), 200);
}

TEST(fault_server_real_time, refuses_for_an_outage_after_the_first_request) {
  fault_server server({.scripts = {"outage=100ms..300ms:refuse"}});
  const auto begin = steady::now();
  EXPECT_EQ(get(server, "/"), 200);
  while (!refuses(server) && steady::now() - begin < 10s) std::this_thread::sleep_for(1ms);
  EXPECT_GE(steady::now() - begin, 100ms);
  until_open(server);
  EXPECT_GE(steady::now() - begin, 299ms);
  EXPECT_EQ(get(server, "/"), 200);
}

TEST(fault_server_real_time, ends_at_once_whatever_its_connections_wait_for) {
  auto server = std::make_unique<fault_server>(
      fault_server_options{.scripts = {"/stall: stall", "/body: stall(after=10)", "/late: late(1h)",
                                       "/idle: idle-close", "/drip: drip(1/s)", "200"}});
  std::vector<std::unique_ptr<raw_client>> clients;
  for (const char* const path : {"/stall", "/body", "/late", "/idle", "/drip", "/"}) {
    clients.push_back(std::make_unique<raw_client>(server->port()));
    clients.back()->get(path);
    while (server->counts(path).attempts == 0) std::this_thread::yield();
  }
  const auto begin = steady::now();
  server.reset();
  EXPECT_LT(steady::now() - begin, 1s);
  for (const auto& each : clients) {
    (void)each->read_all();
    EXPECT_NE(each->end(), socket_end::open);
  }
}

TEST(fault_server_real_time, answers_late_but_then_in_full) {
  fault_server server({.scripts = {"late(80ms)"}});
  const auto begin = steady::now();
  EXPECT_EQ(get(server, "/"), 200);
  EXPECT_GE(steady::now() - begin, 80ms);
}

TEST(fault_server_real_time, drips_at_the_pace_it_is_told) {
  fault_server server({.scripts = {"drip(1KB/s, body=300)"}});
  const auto begin = steady::now();
  raw_client client(server.port());
  client.get("/");
  EXPECT_EQ(body_of(client.read_answer()), fault_body(0, 300));
  EXPECT_GE(steady::now() - begin, 200ms);
}

TEST(fault_server_real_time, lets_go_of_a_stalled_connection_whose_client_has_left) {
  fault_server server({.scripts = {"stall"}});
  raw_client client(server.port());
  client.get("/");
  client.finish();
  const auto begin = steady::now();
  EXPECT_EQ(client.read_all(), "");
  EXPECT_LT(steady::now() - begin, 10s);
}

TEST(fault_server_real_time, answers_409_while_a_key_is_in_flight) {
  fault_server server({.scripts = {"409-while-in-flight(200ms, body=\"paid\")"}});
  raw_client first(server.port());
  first.post("/pay", "x", "Idempotency-Key: \"k\"\r\n");
  while (server.counts("k").executions == 0) std::this_thread::yield();
  raw_client second(server.port());
  second.post("/pay", "x", "Idempotency-Key: \"k\"\r\n");
  EXPECT_EQ(second.read_status(), 409);
  EXPECT_EQ(body_of(first.read_answer()), "paid");
  second.post("/pay", "x", "Idempotency-Key: \"k\"\r\n");
  EXPECT_EQ(body_of(second.read_answer()), "paid");
  EXPECT_EQ(server.counts("k").executions, 1U);
  EXPECT_EQ(server.counts("k").attempts, 3U);
}

}  // namespace
}  // namespace relent::testing
