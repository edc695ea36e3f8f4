// SPDX-License-Identifier: Apache-2.0
// Who meets which step, and what counts as executed: in virtual time, without a socket.
#include <gtest/gtest.h>

#include <chrono>
#include <relent/testing/fault_server.hpp>
#include <set>
#include <string>
#include <vector>

#include "src/fault_server/book.hpp"

namespace relent::testing::faults {
namespace {

using namespace std::chrono_literals;

/// A book with a clock that a test moves, and requests that come in whole.
class desk {
 public:
  explicit desk(const std::vector<std::string>& scripts, std::uint64_t seed = 1)
      : records(read(scripts), seed) {}

  static script_set read(const std::vector<std::string>& scripts) {
    script_reading out = read_scripts(scripts, true);
    for (const std::string& each : out.problems) ADD_FAILURE() << each;
    return out.scripts;
  }

  static request_head request(const std::string& target, const std::string& key = "") {
    request_head out{"POST", target};
    if (!key.empty()) out.headers.emplace_back("Idempotency-Key", '"' + key + '"');
    return out;
  }

  performance ask(const request_head& head, const std::string& body = "") {
    last = records.arrive(head, now);
    return finish(last, head, body);
  }
  performance ask(const std::string& target) { return ask(request(target)); }

  performance finish(const ticket& of, const request_head& head, const std::string& body = "") {
    fingerprint print;
    print.add(body);
    return records.finish(of, head, body_seen{body.size(), print.value()}, now, {});
  }

  /// The statuses of so many requests; 0 for those that nothing is answered to.
  std::vector<int> statuses(const std::string& target, int count) {
    std::vector<int> out;
    for (int i = 0; i < count; ++i) out.push_back(ask(target).status);
    return out;
  }

  time_point now{std::chrono::hours{1000}};
  book records;
  ticket last;
};

using statuses = std::vector<int>;

TEST(fault_server_walk, repeats_its_last_step_for_ever) {
  desk server({"503*2, 429, 200"});
  EXPECT_EQ(server.statuses("/", 6), (statuses{503, 503, 429, 200, 200, 200}));
}

TEST(fault_server_walk, is_one_of_its_own_for_each_key) {
  desk server({"503, 200"});
  EXPECT_EQ(server.statuses("/a", 2), (statuses{503, 200}));
  EXPECT_EQ(server.statuses("/b", 2), (statuses{503, 200}));
  EXPECT_EQ(server.statuses("/a?key=c%20d", 2), (statuses{503, 200}));
  EXPECT_EQ(server.ask(desk::request("/a", "e")).status, 503);
  EXPECT_EQ(server.records.counts("/a").attempts, 2U);
  EXPECT_EQ(server.records.counts("c d").attempts, 2U);
  EXPECT_EQ(server.records.counts("e").attempts, 1U);
  EXPECT_EQ(server.records.totals().attempts, 7U);
}

TEST(fault_server_walk, is_that_of_the_most_precise_path) {
  desk server({"/a*: 501", "/a/b*: 502", "/a/b: 503", "504"});
  EXPECT_EQ(server.ask("/a/b?x=1").status, 503);
  EXPECT_EQ(server.ask("/a/b/").status, 502);
  EXPECT_EQ(server.ask("/ab").status, 501);
  EXPECT_EQ(server.ask("/").status, 504);
  EXPECT_EQ(server.ask("http://example.com/a/b").status, 503);
}

TEST(fault_server_walk, is_404_where_no_script_fits_and_200_where_there_is_none) {
  EXPECT_EQ(desk({"/a: 200"}).ask("/b").status, 404);
  EXPECT_EQ(desk({}).ask("/b").status, 200);
  EXPECT_EQ(desk({"latency=1ms"}).ask("/b").status, 200);
}

TEST(fault_server_walk, waits_at_401_until_credentials_are_refreshed) {
  desk server({"401-until-refresh, 503, 200"});
  server.records.refresh();  // before anybody was told
  EXPECT_EQ(server.statuses("/", 2), (statuses{401, 401}));
  server.records.refresh();
  EXPECT_EQ(server.statuses("/", 3), (statuses{503, 200, 200}));
  EXPECT_EQ(server.records.counts("/").executions, 1U + 1U);

  desk last({"401-until-refresh*2"});
  EXPECT_EQ(last.ask("/").status, 401);
  last.records.refresh();
  EXPECT_EQ(last.ask("/").status, 401);
  last.records.refresh();
  EXPECT_EQ(last.statuses("/", 2), (statuses{200, 200}));
}

TEST(fault_server_walk, chooses_the_same_at_random_for_the_same_seed_and_key) {
  const std::vector<std::string> script{"random(503:0.5, 200:0.5)"};
  const statuses first = desk(script, 7).statuses("/a", 64);
  EXPECT_EQ(desk(script, 7).statuses("/a", 64), first);
  EXPECT_NE(desk(script, 8).statuses("/a", 64), first);
  EXPECT_NE(desk(script, 7).statuses("/b", 64), first);
  EXPECT_EQ(std::set<int>(first.begin(), first.end()), (std::set<int>{200, 503}));
}

TEST(fault_server_walk, chooses_by_weight) {
  desk server({"random(503:1, 200:3)"});
  int failures = 0;
  for (const int each : server.statuses("/", 10'000)) failures += each == 503 ? 1 : 0;
  EXPECT_NEAR(failures, 2500, 200);
}

TEST(fault_server_walk, begins_refusals_and_resets_ahead_of_the_next_request) {
  desk server({"refuse(2s), 503, refuse(1s)*2, reset(before=head)*3, 200"});
  EXPECT_EQ(server.records.at_start().refuse, 2s);
  EXPECT_EQ(server.records.at_start().resets, 0U);
  EXPECT_EQ(server.ask("/").status, 503);
  EXPECT_EQ(server.last.begun.refuse, 2s);
  EXPECT_EQ(server.last.begun.resets, 3U);
  EXPECT_EQ(server.ask("/").status, 200);
  EXPECT_FALSE(server.last.begun.any());
}

TEST(fault_server_walk, closes_the_connection_whose_answer_begins_a_refusal) {
  desk server({"503, refuse(1s), 200"});
  EXPECT_EQ(server.ask("/").end, ending::close);
  EXPECT_EQ(server.ask("/").end, ending::keep);
}

TEST(fault_server_walk, resets_every_connection_from_the_last_place_on) {
  EXPECT_EQ(desk({"reset(before=head)"}).records.at_start().resets, ahead::for_ever);
  desk server({"/a: reset(before=head), 200"});
  EXPECT_FALSE(server.records.at_start().any());  // the path is known only when the head is there
  EXPECT_EQ(server.ask("/a").end, ending::reset);
  EXPECT_FALSE(server.last.reads_body);
  EXPECT_EQ(server.records.counts("/a").executions, 0U);
}

TEST(fault_server_walk, refuses_again_when_a_request_meets_the_refusal) {
  desk server({"503, refuse(1s)"});
  (void)server.ask("/");
  EXPECT_EQ(server.ask("/").end, ending::reset);
  EXPECT_EQ(server.last.begun.refuse, 1s);
}

TEST(fault_server_key, is_executed_once_whatever_the_script_answers) {
  desk server({"500, reset, close, 503, 200(body=\"paid\")"});
  const request_head head = desk::request("/pay", "k");
  EXPECT_EQ(server.ask(head).status, 500);
  EXPECT_EQ(server.ask(head).end, ending::reset);
  EXPECT_EQ(server.ask(head).end, ending::close);
  EXPECT_EQ(server.ask(head).status, 503);
  const performance replayed = server.ask(head);
  EXPECT_EQ(replayed.status, 200);
  EXPECT_NE(replayed.head.find("Idempotent-Replayed: true\r\n"), std::string::npos);
  EXPECT_EQ(server.records.counts("k").attempts, 5U);
  EXPECT_EQ(server.records.counts("k").executions, 1U);
  EXPECT_EQ(server.records.counts("k").replayed, 1U);
}

TEST(fault_server_key, gets_the_stored_answer_and_not_a_later_one) {
  desk server({"201(body=\"first\", header=\"Location: /1\"), 200(body=\"second\")"});
  const request_head head = desk::request("/pay", "k");
  EXPECT_EQ(server.ask(head).head.find("Idempotent-Replayed"), std::string::npos);
  const performance replayed = server.ask(head);
  EXPECT_EQ(replayed.status, 201);
  EXPECT_EQ(replayed.body.text, "first");
  EXPECT_NE(replayed.head.find("Location: /1"), std::string::npos);
}

TEST(fault_server_key, is_executed_each_time_without_the_header) {
  desk server({"reset*2, 200"});
  (void)server.statuses("/pay", 4);
  EXPECT_EQ(server.records.counts("/pay").executions, 4U);
}

TEST(fault_server_key, is_refused_for_another_request) {
  desk server({"200"});
  EXPECT_EQ(server.ask(desk::request("/pay", "k"), "a").status, 200);
  EXPECT_EQ(server.ask(desk::request("/pay", "k"), "b").status, 422);
  EXPECT_EQ(server.ask(desk::request("/other", "k"), "a").status, 422);
  EXPECT_EQ(server.ask(desk::request("/pay", "k"), "a").status, 200);
  EXPECT_EQ(server.records.counts("k").executions, 1U);
  EXPECT_EQ(server.records.counts("k").conflicts, 2U);
  EXPECT_EQ(server.records.counts("k").bodies_different, 1U);
}

TEST(fault_server_key, conflicts_while_it_is_in_flight) {
  desk server({"409-while-in-flight(2s, body=\"done\")"});
  const request_head head = desk::request("/pay", "k");
  const ticket slow = server.records.arrive(head, server.now);
  EXPECT_EQ(server.ask(head).status, 409);  // while its body is on its way, too
  EXPECT_EQ(server.finish(slow, head).delay, 2s);
  server.now += 2s - 1ns;
  EXPECT_EQ(server.ask(head).status, 409);
  server.now += 1ns;
  const performance stored = server.ask(head);
  EXPECT_EQ(stored.status, 200);
  EXPECT_EQ(stored.delay, 0s);
  EXPECT_EQ(stored.body.text, "done");
  EXPECT_EQ(server.records.counts("k").executions, 1U);
  EXPECT_EQ(server.records.counts("k").conflicts, 2U);
}

TEST(fault_server_key, is_free_again_when_its_request_never_became_whole) {
  desk server({"409-while-in-flight(2s)"});
  const request_head head = desk::request("/pay", "k");
  server.records.abandon(server.records.arrive(head, server.now), 3);
  EXPECT_EQ(server.ask(head).status, 200);
  EXPECT_EQ(server.records.counts("k").executions, 1U);
  EXPECT_EQ(server.records.counts("k").body_bytes, 3U);
  EXPECT_EQ(server.records.counts("k").bodies_complete, 1U);
}

TEST(fault_server_rule, turns_requests_away_during_an_outage_counted_from_the_first_one) {
  desk server({"outage=2s..5s", "503, 200"});
  EXPECT_EQ(server.ask("/").status, 503);
  server.now += 2s - 1ns;
  EXPECT_EQ(server.ask("/").status, 200);
  server.now += 1ns;
  EXPECT_EQ(server.ask("/").status, 503);
  server.now += 3s;
  EXPECT_EQ(server.ask("/").status, 200);
  EXPECT_EQ(server.records.counts("/").rejected, 1U);
  server.records.reset();
  EXPECT_EQ(server.statuses("/", 2), (statuses{503, 200}));
}

TEST(fault_server_rule, admits_what_the_capacity_allows) {
  desk server({"capacity=100/s", "200"});
  EXPECT_EQ(server.statuses("/", 12), (statuses{200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 503, 503}));
  server.now += 10ms;
  EXPECT_EQ(server.statuses("/", 2), (statuses{200, 503}));
  EXPECT_EQ(server.records.counts("/").rejected, 3U);
}

/// Served of a second in which so many requests arrive evenly.
int served_of(int arriving, const std::string& rule) {
  desk server({rule});
  int served = 0;
  for (int i = 0; i < 2 * arriving; ++i) {
    const bool counts = i >= arriving;  // the second second: what was saved up is gone
    served += server.ask("/").status == 200 && counts ? 1 : 0;
    server.now += duration{1s} / arriving;
  }
  return served;
}

TEST(fault_server_rule, serves_less_the_more_it_turns_away_if_that_costs) {
  EXPECT_NEAR(served_of(300, "capacity=100/s"), 100, 2);
  EXPECT_NEAR(served_of(300, "capacity=100/s, cost=0.2"), 50, 2);  // s + 0.2 (300 - s) = 100
  EXPECT_NEAR(served_of(600, "capacity=100/s, cost=0.2"), 0, 2);
  EXPECT_NEAR(served_of(90, "capacity=100/s, cost=0.2"), 90, 0);
}

TEST(fault_server_rule, adds_latency_to_answers_of_the_walk) {
  desk server({"latency=10ms..20ms", "200(after=1s)"});
  for (int i = 0; i < 100; ++i) {
    const duration delay = server.ask("/").delay;
    EXPECT_GE(delay, 1010ms);
    EXPECT_LE(delay, 1020ms);
  }
}

TEST(fault_server_load, is_told_in_tenths_of_a_second) {
  desk server({"outage=200ms..300ms", "200"});
  EXPECT_TRUE(server.records.load(server.now).empty());
  (void)server.statuses("/", 2);
  server.now += 200ms;
  (void)server.ask("/");
  server.now += 250ms;
  EXPECT_EQ(server.records.load(server.now), (std::vector<load_bucket>{{2, 2, 0}, {}, {1, 0, 1}, {}, {}}));
  server.now += 2h;
  (void)server.ask("/");
  EXPECT_EQ(server.records.load(server.now).size(), 36'000U);
}

TEST(fault_server_counts, are_json_with_every_key_and_the_totals) {
  desk server({"200"});
  server.records.connected();
  (void)server.ask(desk::request("/a\"b\xC3"), "xyz");
  EXPECT_EQ(
      server.records.counts_json(server.now),
      "{\"keys\":{\"/a\\\"b\\u00c3\":{\"attempts\":1,\"executions\":1,\"bodies_complete\":1,\"body_bytes\":3,"
      "\"bodies_different\":0,\"answered\":0,\"rejected\":0,\"conflicts\":0,\"replayed\":0,\"dropped\":0}},"
      "\"totals\":{\"attempts\":1,\"executions\":1,\"bodies_complete\":1,\"body_bytes\":3,"
      "\"bodies_different\":0,\"answered\":0,\"rejected\":0,\"conflicts\":0,\"replayed\":0,\"dropped\":0},"
      "\"connections\":1,\"load\":{\"bucket_ms\":100,\"arrived\":[1],\"served\":[1],\"rejected\":[0]}}");
}

TEST(fault_server_counts, do_not_hear_of_requests_from_before_a_reset) {
  desk server({"503, 200"});
  const request_head head = desk::request("/");
  const ticket old = server.records.arrive(head, server.now);
  server.records.reset();
  EXPECT_EQ(server.finish(old, head).status, 503);
  server.records.answered(old);
  EXPECT_EQ(server.records.totals(), key_counts{});
  EXPECT_EQ(server.ask(head).status, 503);
}

}  // namespace
}  // namespace relent::testing::faults
