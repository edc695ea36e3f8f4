// SPDX-License-Identifier: Apache-2.0
// The server over real sockets: that what a script says is what a client sees.
#include <gtest/gtest.h>

#include <chrono>
#include <relent/testing/fault_server.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "http/fault_server_client.hpp"

namespace relent::testing {
namespace {

using namespace std::chrono_literals;

/// The status of one GET on a connection of its own; 0 if nothing is answered.
int get(const fault_server& server, const std::string& target) {
  raw_client client(server.port());
  client.get(target);
  return client.read_status();
}

TEST(fault_server, walks_through_its_script_on_one_connection) {
  fault_server server({.scripts = {"503*2, 200(body=\"hello\")"}});
  raw_client client(server.port());
  for (const int status : {503, 503, 200, 200}) {
    client.get("/");
    EXPECT_EQ(client.read_status(), status);
  }
  EXPECT_EQ(server.connections(), 1U);
  EXPECT_EQ(server.counts("/").answered, 4U);
}

TEST(fault_server, reads_request_bodies_of_either_framing) {
  fault_server server({.scripts = {"200"}});
  raw_client client(server.port());
  client.post("/a", std::string(300'000, 'x'));
  EXPECT_EQ(client.read_status(), 200);
  client.send("PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(client.read_status(), 200);
  const key_counts counts = server.counts("/a");
  EXPECT_EQ(counts.body_bytes, 300'003U);
  EXPECT_EQ(counts.bodies_complete, 2U);
  EXPECT_EQ(counts.bodies_different, 1U);
  EXPECT_EQ(counts.executions, 2U);
}

TEST(fault_server, answers_requests_that_come_before_they_are_asked_for) {
  fault_server server({.scripts = {"503, 200"}});
  raw_client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.read_status(), 503);
  EXPECT_EQ(client.read_status(), 200);
}

TEST(fault_server, says_continue_unless_it_refuses_the_body) {
  fault_server server({.scripts = {"200, 417, 500"}});
  for (const int status : {200, 417, 500}) {
    raw_client client(server.port());
    client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    if (status == 417) {
      EXPECT_EQ(client.read_status(), 417);
      EXPECT_EQ(client.read_all(), "");
      EXPECT_EQ(client.end(), socket_end::fin);
      continue;
    }
    EXPECT_EQ(client.read_head(), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("abc");
    EXPECT_EQ(client.read_status(), status);
  }
  EXPECT_EQ(server.counts("/").executions, 2U);
  EXPECT_EQ(server.counts("/").bodies_complete, 2U);
}

TEST(fault_server, counts_no_execution_of_a_request_that_never_became_whole) {
  fault_server server({.scripts = {"200"}});
  raw_client client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
  client.finish();
  EXPECT_EQ(client.read_all(), "");
  const key_counts counts = server.counts("/");
  EXPECT_EQ(counts.attempts, 1U);
  EXPECT_EQ(counts.executions, 0U);
  EXPECT_EQ(counts.bodies_complete, 0U);
  EXPECT_EQ(counts.body_bytes, 3U);
}

TEST(fault_server, answers_400_and_431_to_what_it_cannot_read) {
  fault_server server({});
  raw_client bad(server.port());
  bad.send("this is no HTTP\r\n\r\n");
  EXPECT_EQ(bad.read_status(), 400);
  raw_client large(server.port());
  large.get("/", "X: " + std::string(70'000, 'x') + "\r\n");
  EXPECT_EQ(large.read_status(), 431);
  EXPECT_EQ(server.totals(), key_counts{});
}

struct fault_row {
  const char* id;
  const char* script;
  const char* begins;     ///< what came
  std::size_t body_size;  ///< after the head
  socket_end end;
  std::uint64_t executions;
};

class fault_on_a_socket : public ::testing::TestWithParam<fault_row> {};

TEST_P(fault_on_a_socket, is_what_the_client_sees) {
  fault_server server({.scripts = {GetParam().script}});
  raw_client client(server.port());
  client.post("/", "abc");
  const std::string all = client.read_all();
  EXPECT_EQ(all.rfind(GetParam().begins, 0), 0U) << all.substr(0, 200);
  EXPECT_EQ(body_of(all).size(), GetParam().body_size);
  EXPECT_EQ(client.end(), GetParam().end);
  EXPECT_EQ(server.counts("/").executions, GetParam().executions);
  EXPECT_EQ(server.counts("/").attempts, 1U);
}

constexpr const char* ok = "HTTP/1.1 200 OK\r\n";

INSTANTIATE_TEST_SUITE_P(
    fault_server, fault_on_a_socket,
    ::testing::Values(
        fault_row{"reset", "reset", "", 0, socket_end::rst, 1},
        fault_row{"reset_without_work", "reset(execute=no)", "", 0, socket_end::rst, 0},
        fault_row{"reset_at_once", "reset(after=0, body=10)", ok, 0, socket_end::rst, 1},
        fault_row{"reset_in_the_body", "reset(after=1MB)", ok, 1'000'000, socket_end::rst, 1},
        fault_row{"reset_in_a_text", "reset(after=2, body=\"abc\")", ok, 2, socket_end::rst, 1},
        fault_row{"reset_in_chunks", "reset(after=5, framing=chunked)", ok, 10, socket_end::rst, 1},
        fault_row{"close", "close", "", 0, socket_end::fin, 1},
        fault_row{"close_in_the_body", "close(after=100)", ok, 100, socket_end::fin, 1},
        fault_row{"stall", "stall(1ms)", "", 0, socket_end::fin, 0},
        fault_row{"stall_in_the_body", "stall(after=100, for=1ms)", ok, 100, socket_end::fin, 1},
        fault_row{"drip", "drip(100KB/s, body=20KB, keep-alive=no)", ok, 20'000, socket_end::fin, 1},
        fault_row{"late", "late(1ms, keep-alive=no)", ok, 3, socket_end::fin, 1},
        fault_row{"closed_framing", "200(body=5, framing=close)", ok, 5, socket_end::fin, 1},
        fault_row{"chunked_framing", "200(body=\"abc\", framing=chunked, keep-alive=no)", ok, 13,
                  socket_end::fin, 1},
        fault_row{"malformed", "malformed", "\x16\x03\x01 this is no HTTP\r\n\r\n", 0, socket_end::fin, 1},
        fault_row{"malformed_head", "malformed=head", "HTTP/1.1 200 OK\r\nthis line has no colon\r\n", 0,
                  socket_end::fin, 1},
        fault_row{"malformed_length", "malformed=length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n", 5,
                  socket_end::fin, 1},
        fault_row{"malformed_chunk", "malformed=chunk(execute=no)",
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", 26, socket_end::fin, 0},
        fault_row{"malformed_nul", "malformed=nul", "HTTP/1.1 200 OK\r\nX-Nul: a", 0, socket_end::fin, 1},
        fault_row{"unread", "503(read=head)", "HTTP/1.1 503", 20, socket_end::fin, 0}),
    [](const auto& row) { return std::string(row.param.id); });

TEST(fault_server, sends_a_header_as_big_as_told) {
  fault_server server({.scripts = {"malformed=big-header(3MB)"}});
  raw_client client(server.port());
  client.get("/");
  const std::string head = client.read_all();
  EXPECT_EQ(head.find("\r\n\r\n") + 4, head.size());
  EXPECT_EQ(head.substr(24, 3'000'000), std::string(3'000'000, 'x'));
}

TEST(fault_server, answers_without_having_read_a_body_that_is_still_coming) {
  fault_server server({.scripts = {"503(read=head)"}});
  raw_client client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\nabc");
  EXPECT_EQ(client.read_status(), 503);
  client.send(std::string(100'000, 'x'));
  client.finish();
  EXPECT_EQ(client.read_all(), "");
  EXPECT_EQ(client.end(), socket_end::fin);
  EXPECT_EQ(server.counts("/").bodies_complete, 0U);
}

TEST(fault_server, resumes_a_body_that_was_cut) {
  fault_server server(
      {.scripts = {"reset(after=600, body=1000, etag=a), close(after=300, body=1000, etag=a), "
                   "200(body=1000, etag=a)"}});
  std::string whole;
  for (int i = 0; i < 3; ++i) {
    raw_client client(server.port());
    client.get("/", whole.empty() ? ""
                                  : "If-Range: \"a\"\r\nConnection: close\r\nRange: bytes=" +
                                        std::to_string(whole.size()) + "-\r\n");
    whole += body_of(client.read_all());
  }
  EXPECT_EQ(whole, fault_body(0, 1000));
}

TEST(fault_server, resets_whoever_connects_before_it_reads_anything) {
  fault_server server({.scripts = {"reset(before=head)*2, 503, reset(before=head), 200"}});
  for (const int status : {0, 0, 503, 0, 200}) {
    raw_client client(server.port());
    client.get("/");
    EXPECT_EQ(client.read_status(), status);
    EXPECT_EQ(client.end(), status == 0 ? socket_end::rst : socket_end::open);
  }
  EXPECT_EQ(server.connections(), 5U);
  EXPECT_EQ(server.counts("/").attempts, 2U);
}

TEST(fault_server, drops_the_next_request_on_a_connection_it_kept) {
  fault_server server({.scripts = {"idle-close, 200"}});
  raw_client client(server.port());
  client.get("/a");
  EXPECT_EQ(client.read_status(), 200);
  client.post("/a", "x");
  EXPECT_EQ(client.read_all(), "");
  EXPECT_NE(client.end(), socket_end::open);
  EXPECT_EQ(get(server, "/a"), 200);
  EXPECT_EQ(server.counts("/a").dropped, 1U);
  EXPECT_EQ(server.counts("/a").attempts, 2U);
}

TEST(fault_server, does_not_count_a_client_that_leaves_as_dropped) {
  fault_server server({.scripts = {"/a: idle-close"}});
  {
    raw_client client(server.port());
    client.get("/a");
    EXPECT_EQ(client.read_status(), 200);
    client.finish();
    EXPECT_EQ(client.read_all(), "");  // the server has seen it
  }
  EXPECT_EQ(server.counts("/a").dropped, 0U);
}

TEST(fault_server, closes_a_connection_that_has_been_idle) {
  fault_server server({.scripts = {"/kept: 200(keep-alive=1ms)", "200"}, .idle_timeout = 1ms});
  raw_client kept(server.port());
  kept.get("/kept");
  EXPECT_EQ(kept.read_status(), 200);
  EXPECT_EQ(kept.read_all(), "");
  raw_client silent(server.port());
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_EQ(silent.end(), socket_end::fin);
}

TEST(fault_server, executes_late_work_even_if_the_client_has_gone) {
  fault_server server({.scripts = {"/pay: late(1h)"}});
  {
    raw_client client(server.port());
    client.post("/pay", "x");
    while (server.counts("/pay").bodies_complete == 0) std::this_thread::yield();
  }
  EXPECT_EQ(server.counts("/pay").executions, 1U);
  EXPECT_EQ(server.counts("/pay").answered, 0U);
}

TEST(fault_server, answers_its_own_paths_whatever_the_scripts_say) {
  fault_server server({.scripts = {"reset", "outage=0s..1h"}});
  EXPECT_EQ(get(server, "/a"), 503);
  raw_client client(server.port());
  client.get("/_relent/counts");
  const std::string counts = body_of(client.read_answer());
  EXPECT_NE(counts.find("\"/a\":{\"attempts\":1,"), std::string::npos) << counts;
  client.post("/_relent/reset", "");
  EXPECT_EQ(client.read_status(), 200);
  EXPECT_EQ(server.totals(), key_counts{});
  client.get("/_relent/reset");
  EXPECT_EQ(client.read_status(), 405);
  client.get("/_relent/what");
  EXPECT_EQ(client.read_status(), 404);
}

TEST(fault_server, refreshes_credentials_over_http) {
  fault_server server({.scripts = {"401-until-refresh, 200"}});
  EXPECT_EQ(get(server, "/"), 401);
  raw_client client(server.port());
  client.post("/_relent/refresh", "");
  EXPECT_EQ(client.read_status(), 200);
  EXPECT_EQ(get(server, "/"), 200);
}

TEST(fault_server, refuses_options_out_of_their_range) {
  EXPECT_THROW(fault_server({.address = "localhost"}), std::invalid_argument);
  EXPECT_THROW(fault_server({.threads = 0}), std::invalid_argument);
  EXPECT_THROW(fault_server({.idle_timeout = 0s}), std::invalid_argument);
  EXPECT_THROW(fault_server({.scripts = {"5O3"}}), fault_script_error);
}

TEST(fault_server, does_not_take_a_port_that_another_one_has) {
  fault_server first({});
  try {
    fault_server second({.port = first.port()});
    FAIL() << "took the same port";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::address_in_use);
    EXPECT_NE(std::string(error.what()).find("127.0.0.1:" + std::to_string(first.port())), std::string::npos);
  }
}

TEST(fault_server, takes_the_port_again_after_one_that_has_ended) {
  std::uint16_t port = 0;
  {
    fault_server first({});
    port = first.port();
    EXPECT_EQ(get(first, "/"), 200);
  }
  fault_server second({.port = port});
  EXPECT_EQ(get(second, "/"), 200);
}

TEST(fault_server, listens_on_ipv6) {
  fault_server server({.address = "::1"});
  EXPECT_EQ(server.url("/a"), "http://[::1]:" + std::to_string(server.port()) + "/a");
}

TEST(fault_server, counts_every_request_of_many_clients_on_many_threads) {
  fault_server server({.scripts = {"503, 200"}, .threads = 4});
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&server, i] {
      for (int j = 0; j < 25; ++j) {
        raw_client client(server.port());
        client.post("/" + std::to_string(j), "x",
                    "Idempotency-Key: \"" + std::to_string(i * 100 + j) + "\"\r\n");
        EXPECT_EQ(client.read_status(), 503);
        client.post("/" + std::to_string(j), "x",
                    "Idempotency-Key: \"" + std::to_string(i * 100 + j) + "\"\r\n");
        EXPECT_EQ(client.read_status(), 200);
      }
      (void)server.counts_json();
      (void)server.load();
    });
  for (std::thread& each : clients) each.join();
  EXPECT_EQ(server.totals().attempts, 400U);
  EXPECT_EQ(server.totals().executions, 200U);
  EXPECT_EQ(server.connections(), 200U);
}

}  // namespace
}  // namespace relent::testing
