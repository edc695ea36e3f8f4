// SPDX-License-Identifier: Apache-2.0
// Proxies that people run, in front of a server that fails: what they make of its faults is not taken for more than
// it is.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "matrix_patience.hpp"
#include "real_servers_proxies.hpp"

namespace {

using namespace relent;
using namespace std::chrono_literals;
using curl::request;
using curl::response;
using relent::test::proxy_setup;
using relent::test::server_program;
using relent::testing::fault_server;
using relent::testing::fault_server_options;

/// What the server behind does, and what a client of the proxy sees of it.
struct fault_behind {
  const char* name;
  const char* script;  ///< the fault comes first
  int status;          ///< what the proxy makes of it
  bool executed;       ///< the server has done the work of the request that failed
  bool not_with_nginx = false;
};

constexpr fault_behind faults_behind[] = {
    {"that_resets_after_the_work", "reset, 200", 502, true},
    {"that_closes_after_the_work", "close, 200", 502, true},
    {"that_answers_junk", "malformed, 200", 502, true,
     true},  // nginx takes it for HTTP/0.9, and passes it on as a 200
    {"that_answers_half_a_head", "malformed=head, 200", 502, true, true},
    {"that_is_late", "late(1h), 200", 504, true},
    {"that_stalls", "stall, 200", 504, false},
    {"that_is_overloaded", "503, 200", 503, false},
    {"that_says_503_after_the_work", "503(execute=yes), 200", 503, true},
    {"that_is_a_bad_gateway_itself", "502, 200", 502, true},
};

curl::client_options quickly() {
  return {.dependency = {
              .policy = policy{{.max_attempts = 4, .deadline = 60s, .backoff = {.base = 1ms, .cap = 2ms}}},
              .budget = budget::none()}};
}

/// A proxy of that name in front of a fault server; skips the test where it is not installed.
class proxy_test {
 public:
  void start(const std::string& name, std::vector<std::string> scripts, proxy_setup setup) {
    const std::optional<std::string> program = test::find_program(name);
    if (!program) GTEST_SKIP() << name << " is not installed";
    behind.emplace(fault_server_options{.scripts = std::move(scripts)});
    setup.behind = behind->port();
    front.emplace(name == "nginx" ? test::nginx(*program, setup) : test::haproxy(*program, setup));
  }

  std::optional<fault_server> behind;
  std::optional<server_program> front;
};

struct proxied {
  const char* proxy;
  fault_behind fault;
};

void PrintTo(const proxied& of, std::ostream* out) { *out << of.proxy << ' ' << of.fault.name; }

std::vector<proxied> all_proxied() {
  std::vector<proxied> all;
  for (const char* proxy : {"nginx", "haproxy"})
    for (const fault_behind& fault : faults_behind)
      if (std::string(proxy) != "nginx" || !fault.not_with_nginx) all.push_back({proxy, fault});
  return all;
}

class server_behind : public ::testing::TestWithParam<proxied>, public proxy_test {
 protected:
  void SetUp() override {
    start(GetParam().proxy, {GetParam().fault.script}, {.patience_ms = 300 * test::patience});
  }
};

TEST_P(server_behind, is_asked_again_by_a_get) {
  curl::client asks(quickly());
  const response got = asks.get(front->url("/x"));
  EXPECT_TRUE(got.ok()) << got.what() << front->log();
  ASSERT_EQ(got.transfers.size(), 2U);
  EXPECT_EQ(got.transfers[0].status, GetParam().fault.status);
  EXPECT_EQ(behind->totals().attempts, 2U);
}

TEST_P(server_behind, is_not_asked_again_by_a_post_without_a_key) {
  curl::client asks(quickly());
  const response got = asks.post(front->url("/x"), "42", "text/plain");
  EXPECT_EQ(got.stop(), stop_reason::unsafe) << got.what() << front->log();
  EXPECT_EQ(got.status, GetParam().fault.status);
  EXPECT_EQ(behind->totals().attempts, 1U);
  EXPECT_EQ(behind->totals().executions, GetParam().fault.executed ? 1U : 0U);
}

TEST_P(server_behind, does_the_work_of_a_key_once) {
  curl::client asks(quickly());
  const response got = asks.post_with_key(front->url("/x"), "42", "text/plain", http::key_style::quoted,
                                          {.idempotency_key = "order-1"});
  EXPECT_TRUE(got.ok()) << got.what() << front->log();
  EXPECT_EQ(behind->counts("order-1").attempts, 2U);
  EXPECT_EQ(behind->counts("order-1").executions, 1U);
  EXPECT_EQ(behind->counts("order-1").bodies_different, 0U);
}

INSTANTIATE_TEST_SUITE_P(real, server_behind, ::testing::ValuesIn(all_proxied()), [](const auto& of) {
  return std::string(of.param.proxy) + '_' + of.param.fault.name;
});

class proxy : public ::testing::TestWithParam<const char*>, public proxy_test {};

TEST_P(proxy, that_finds_no_server_behind_it_is_asked_again_by_a_get_only) {
  start(GetParam(), {"refuse(1h)"}, {});
  if (!front) return;
  curl::client asks(quickly());
  const response got = asks.get(front->url());
  EXPECT_EQ(got.stop(), stop_reason::attempts);
  EXPECT_EQ(got.status, std::string(GetParam()) == "nginx" ? 502 : 503);
  EXPECT_EQ(got.report.attempts, 4U);
  EXPECT_EQ(asks.post(front->url(), "42", "text/plain").stop(), stop_reason::unsafe)
      << "its status does not prove that nothing was done";
}

TEST_P(proxy, that_passes_on_a_body_cut_short_is_no_success) {
  start(GetParam(), {"close(after=100KB, body=300KB), reset(after=100KB, body=300KB), 200(body=300KB)"}, {});
  if (!front) return;
  curl::client asks(quickly());
  const response got = asks.get(front->url());
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_TRUE(got.body == relent::testing::fault_body(0, 300'000));
  EXPECT_EQ(got.report.attempts, 3U);
}

TEST_P(proxy, passes_retry_after_on) {
  start(GetParam(), {"503(retry-after=1), 200"}, {});
  if (!front) return;
  curl::client asks(quickly());
  const response got = asks.get(front->url());
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.transfers[0].server_delay, duration(1s));
}

TEST_P(proxy, takes_a_body_without_a_length_whole) {
  start(GetParam(), {"502, 200"}, {});
  if (!front) return;
  const std::string content = relent::testing::fault_body(0, 500'000);
  std::size_t place = 0;
  request what{.method = "PUT", .url = front->url()};
  what.body = curl::stream_body(
      [&](char* to, std::size_t most) {
        const std::size_t count = content.copy(to, most, place);
        place += count;
        return count;
      },
      [&] {
        place = 0;
        return true;
      });
  curl::client asks(quickly());
  EXPECT_TRUE(asks.send(what).ok()) << front->log();
  EXPECT_EQ(behind->totals().bodies_complete, 2U);
  EXPECT_EQ(behind->totals().body_bytes, 1'000'000U);
  EXPECT_EQ(behind->totals().bodies_different, 0U);
}

TEST_P(proxy, that_is_killed_and_comes_back_is_no_reason_to_post_twice) {
  start(GetParam(), {"/warm: 200", "/pay: stall(execute=yes)"}, {.patience_ms = 20'000});
  if (!front) return;
  curl::client asks(quickly());
  ASSERT_TRUE(asks.get(front->url("/warm")).ok());
  std::thread killer([&] {
    while (behind->counts("/pay").executions == 0) std::this_thread::sleep_for(1ms);
    front->process().end(SIGKILL);
  });
  const response got = asks.post(front->url("/pay"), "42", "text/plain");
  killer.join();
  EXPECT_EQ(got.stop(), stop_reason::unsafe) << got.what();
  EXPECT_EQ(behind->counts("/pay").executions, 1U);
}

INSTANTIATE_TEST_SUITE_P(real, proxy, ::testing::Values("nginx", "haproxy"),
                         [](const auto& of) { return std::string(of.param); });

/// Whether HTTP/2 is spoken.
class kept_connections : public ::testing::TestWithParam<bool>, public proxy_test {};

TEST_P(kept_connections, that_nginx_ends_after_three_requests_lose_and_double_no_post) {
  start("nginx", {"200"}, {.requests_a_connection = 3, .http2 = GetParam()});
  if (!front) return;
  curl::client_options trusting = quickly();
  trusting.verify_tls = false;
  curl::client asks(trusting);
  request what{.method = "POST", .url = (GetParam() ? "https" : "http") + front->url("/pay").substr(4)};
  std::uint64_t done = 0;
  for (int i = 0; i < 30; ++i) {
    what.body = curl::memory_body("42");
    const response got = asks.send(what);
    done += got.ok() ? 1U : 0U;
    EXPECT_TRUE(got.ok()) << got.what() << " after " << i;
    EXPECT_EQ(got.http_version, std::string_view(GetParam() ? "2" : "1.1"));
  }
  EXPECT_EQ(behind->totals().executions, done);
  EXPECT_EQ(behind->totals().attempts, 30U);
}

INSTANTIATE_TEST_SUITE_P(of, kept_connections, ::testing::Bool(),
                         [](const auto& of) { return std::string(of.param ? "http2" : "http1"); });

}  // namespace
