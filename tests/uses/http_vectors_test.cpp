// SPDX-License-Identifier: Apache-2.0
// What the tests of other HTTP clients say of which responses are tried again, when and how often, held against
// calls that get such responses one after the other.
#include <relent/http/method.hpp>
#include <relent/http/response_fault.hpp>
#include <relent/http/status.hpp>
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vectors {

using namespace std::chrono_literals;
using relent::fault;
using relent::fault_kind;
using relent::stop_reason;
using relent::http::header_list;

/// What comes of one attempt: a response, or a connection that fails.
struct reply {
  int status = 200;
  header_list headers = {};
  std::optional<fault> broken = {};
};

std::optional<fault> relent_fault(const reply& r) {
  if (r.broken) return r.broken;
  return meaning_of_response(r.status, r.headers, std::chrono::system_clock::time_point{}).fault;
}

reply unreachable() { return {.broken = fault{.kind = fault_kind::unreachable}}; }
reply cut_off() { return {.broken = fault{.kind = fault_kind::reset}}; }

constexpr relent::policy_options steady{
    .max_attempts = 5,
    .deadline = 10min,
    .backoff = {.base = 1s, .cap = 1s, .jitter = relent::jitter::none, .rate_limited_base = 1s},
    .server_delay_spread = 0};

/// One call; the last reply comes again and again.
struct call {
  relent::report story = {};
  reply last = {};
};

call make(std::string_view method, const std::vector<reply>& replies, relent::policy_options rules = steady) {
  call made;
  relent::testing::manual_clock clock;
  const auto repeat =
      relent::http::is_idempotent(method) ? relent::repeat::allowed : relent::repeat::only_if_no_effect;
  made.last = relent::retry(relent::policy{rules},
                            [&](const relent::attempt& attempt) {
                              return replies[std::min<std::size_t>(attempt.number(), replies.size()) - 1];
                            },
                            {.report = &made.story, .repeat = repeat, .clock = &clock});
  return made;
}

bool is_retried(std::string_view method, const reply& first) {
  return make(method, {first, {}}).story.attempts == 2;
}

// --- which statuses, which methods

struct peer_row {
  const char* id;
  std::vector<int> statuses;
  std::vector<int> not_here;
  friend void PrintTo(const peer_row& row, std::ostream* out) { *out << row.id; }
};

/// Everything from 500 on, and these.
std::vector<int> from_500_and(std::initializer_list<int> others) {
  std::vector<int> all(others);
  for (int status = 500; status < 600; ++status) all.push_back(status);
  return all;
}

std::vector<int> without_501(std::vector<int> statuses) {
  std::erase(statuses, 501);
  return statuses;
}

/// What those retry who retry whatever the server calls its own failure, though it will fail again.
const std::vector<int> for_ever{501, 505, 506, 507, 508, 510, 511, 525, 526, 530};

class http_peer : public testing::TestWithParam<peer_row> {};

TEST_P(http_peer, retries_nothing_that_is_not_retried_here_but_what_is_named) {
  std::vector<int> not_here;
  for (const int status : GetParam().statuses)
    if (!is_retried("GET", {.status = status})) not_here.push_back(status);
  EXPECT_EQ(not_here, GetParam().not_here);
}

INSTANTIATE_TEST_SUITE_P(
    default_sets, http_peer,
    testing::Values(peer_row{"urllib3_with_a_given_list", {429, 503}, {}},
                    peer_row{"got", {408, 413, 429, 500, 502, 503, 504, 521, 522, 524}, {413}},
                    peer_row{"ky", {408, 413, 429, 500, 502, 503, 504}, {413}},
                    peer_row{"curl", {408, 429, 500, 502, 503, 504, 522, 524}, {}},
                    peer_row{"otlp", {429, 502, 503, 504}, {}},
                    peer_row{"aws_standard", {500, 502, 503, 504}, {}},
                    peer_row{"dotnet", from_500_and({408, 429}), for_ever},
                    peer_row{"axios_retry", from_500_and({429}), for_ever},
                    peer_row{"go_retryablehttp", without_501(from_500_and({429})), without_501(for_ever)},
                    peer_row{"failsafe_go", without_501(from_500_and({429})), without_501(for_ever)},
                    peer_row{"reqwest_retry", from_500_and({408, 429}), for_ever}),
    [](const auto& info) { return std::string(info.param.id); });

TEST(http_peers, agree_on_what_is_never_retried) {
  for (const int status : {200, 204, 301, 400, 401, 403, 404, 405, 410, 422, 501})
    EXPECT_FALSE(is_retried("GET", {.status = status})) << status;
}

TEST(http_peers, that_look_at_the_method_take_the_idempotent_ones) {
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"})
    EXPECT_TRUE(is_retried(method, {.status = 503})) << method;
  for (const char* method : {"POST", "PATCH", "CONNECT", "get"})
    EXPECT_FALSE(is_retried(method, {.status = 503})) << method;
}

// --- which header fields

TEST(http_vectors, read_retry_after_on_whatever_is_retried) {
  for (const int status : {413, 429, 500, 502, 503, 504}) {
    const call made = make("GET", {{status, {{"Retry-After", "42"}}}, {}});
    ASSERT_EQ(made.story.attempts, 2U) << status;
    EXPECT_EQ(made.story.waited, 42s) << status;
  }
}

TEST(http_vectors, retry_413_only_if_it_says_when) {
  EXPECT_FALSE(is_retried("PUT", {.status = 413}));
  EXPECT_TRUE(is_retried("PUT", {413, {{"Retry-After", "1"}}}));
  const call unreadable = make("PUT", {{413, {{"Retry-After", "a couple minutes"}}}, {}});
  EXPECT_EQ(unreadable.story.attempts, 2U);
  EXPECT_EQ(unreadable.story.waited, 1s);  // the own backoff
}

// Nothing was done with what was too large, so that even a POST is sent again.
TEST(http_vectors, retry_413_whatever_the_method) {
  EXPECT_TRUE(is_retried("POST", {413, {{"Retry-After", "1"}}}));
}

TEST(http_vectors, put_no_jitter_on_a_server_delay) {
  relent::policy_options rules = steady;
  rules.backoff.jitter = relent::jitter::full;
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(make("GET", {{503, {{"Retry-After", "42"}}}, {}}, rules).story.waited, 42s);
}

TEST(http_vectors, never_wait_less_than_asked_but_stop) {
  relent::policy_options rules = steady;
  rules.max_server_delay = 21600s;
  rules.deadline.reset();
  EXPECT_EQ(make("GET", {{503, {{"Retry-After", "21600"}}}, {}}, rules).story.waited, 21600s);
  const call made = make("GET", {{503, {{"Retry-After", "21601"}}}, {}}, rules);
  EXPECT_EQ(*made.story.stop, stop_reason::server_delay);
  EXPECT_EQ(*made.story.server_delay, 21601s);
  EXPECT_EQ(made.last.status, 503);
}

TEST(http_vectors, stop_at_once_if_the_server_delay_outlasts_the_deadline) {
  relent::policy_options rules = steady;
  rules.deadline = 30s;
  const call made = make("GET", {{503, {{"Retry-After", "30"}}}, {}}, rules);
  EXPECT_EQ(*made.story.stop, stop_reason::deadline);
  EXPECT_EQ(made.story.elapsed, 0s);
  EXPECT_EQ(made.last.status, 503);
}

TEST(http_vectors, wait_after_each_of_four_replies) {
  const reply too_large{413, {{"Retry-After", "1"}}};
  const call made = make("PUT", {too_large, too_large, too_large, too_large, {}});
  EXPECT_EQ(made.story.attempts, 5U);
  EXPECT_EQ(made.story.waited, 4s);
}

// --- how often: urllib3's counters

TEST(http_vectors, count_attempts_where_urllib3_counts_retries) {
  for (std::uint32_t total = 0; total < 4; ++total) {
    relent::policy_options rules = steady;
    rules.max_attempts = total + 1;
    const call made = make("GET", {unreachable()}, rules);
    EXPECT_EQ(made.story.attempts, total + 1);
    EXPECT_EQ(*made.story.stop, stop_reason::attempts);
    EXPECT_EQ(made.last.broken->kind, fault_kind::unreachable);  // the last error is kept
  }
}

TEST(http_vectors, end_at_once_for_a_kind_that_is_not_retried) {
  relent::policy_options rules = steady;
  rules.retry_on = relent::default_retry_on.without(fault_kind::reset);
  EXPECT_EQ(make("GET", {unreachable(), cut_off(), {}}, rules).story.attempts, 2U);
}

TEST(http_vectors, retry_what_a_list_of_statuses_names) {
  relent::policy_options rules = steady;
  rules.max_attempts = 3;
  rules.retry_on = relent::default_retry_on.with(fault_kind::rejected);
  const call made = make("GET", {{.status = 400}}, rules);
  EXPECT_EQ(made.story.attempts, 3U);
  EXPECT_EQ(*made.story.stop, stop_reason::attempts);
  EXPECT_EQ(made.last.status, 400);
}

TEST(http_vectors, send_a_post_again_only_if_nothing_of_it_was_sent) {
  EXPECT_TRUE(is_retried("POST", unreachable()));
  const call made = make("POST", {cut_off(), {}});
  EXPECT_EQ(made.story.attempts, 1U);
  EXPECT_EQ(*made.story.stop, stop_reason::unsafe);
}

TEST(http_vectors, keep_the_history_in_order) {
  const call made = make("GET", {unreachable(), cut_off(), {.status = 500}, {}});
  ASSERT_EQ(made.story.records.size(), 4U);
  const fault_kind kinds[] = {fault_kind::unreachable, fault_kind::reset, fault_kind::server_error};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(made.story.records[i].fault->kind, kinds[i]);
  EXPECT_FALSE(made.story.records[3].fault);
}

// --- nothing is done twice without proof

TEST(http_vectors, send_a_post_again_after_a_proof) {
  EXPECT_TRUE(is_retried("POST", {.status = 421}));
  EXPECT_TRUE(is_retried("POST", {.status = 425}));
  EXPECT_TRUE(is_retried("POST", {503, {{"finagle-http-nack", "true"}}}));
  EXPECT_FALSE(is_retried("POST", {503, {{"finagle-http-nonretryable-nack", "true"}}}));
  EXPECT_FALSE(is_retried("POST", {503, {{"Retry-After", "0"}}}));
}

TEST(http_vectors, do_not_send_a_post_again_on_an_invitation_alone) {
  const call made = make("POST", {{500, {{"x-should-retry", "true"}}}, {}});
  EXPECT_EQ(made.story.attempts, 1U);
  EXPECT_EQ(*made.story.stop, stop_reason::unsafe);
}

TEST(http_vectors, obey_a_veto_on_whatever_is_retried) {
  for (const int status : {408, 421, 425, 429, 500, 502, 503, 504}) {
    const call made = make("GET", {{status, {{"Stripe-Should-Retry", "false"}}}, {}});
    EXPECT_EQ(made.story.attempts, 1U) << status;
    EXPECT_EQ(*made.story.stop, stop_reason::vetoed) << status;
  }
}

}  // namespace vectors
