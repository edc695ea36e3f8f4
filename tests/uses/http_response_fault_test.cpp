// SPDX-License-Identifier: Apache-2.0
// What a response as a whole comes to.
#include <relent/http/response_fault.hpp>

#include <relent/http/status.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

namespace {

using namespace relent::http;
using namespace std::chrono_literals;
using relent::duration;
using relent::effect;
using relent::fault;
using relent::fault_kind;

const std::chrono::system_clock::time_point noon{std::chrono::seconds{1'700'000'000}};

response_meaning read(int status, const header_list& headers, const response_rules& rules = {}) {
  return meaning_of_response(status, headers, noon, rules);
}

fault of(fault_kind kind, effect done) { return {.kind = kind, .effect = done}; }
fault vetoed(fault f) {
  f.vetoed = true;
  return f;
}
fault invited(fault f) {
  f.transient = true;
  return f;
}
fault after(fault f, duration wait) {
  f.server_delay = wait;
  return f;
}

struct meaning_row {
  const char* id;
  int status;
  header_list headers;
  std::optional<pushback> entry;  // that decides
  fault expected;
  const char* decided_by;
  friend void PrintTo(const meaning_row& row, std::ostream* out) { *out << row.id; }
};

class http_response : public testing::TestWithParam<meaning_row> {};

TEST_P(http_response, is_the_fault_that_it_should_be) {
  const meaning_row& row = GetParam();
  const response_meaning meaning = read(row.status, row.headers);
  ASSERT_TRUE(meaning.fault);
  EXPECT_EQ(*meaning.fault, row.expected) << to_string(meaning.fault->kind);
  EXPECT_EQ(meaning.decided_by, row.decided_by);
}

TEST_P(http_response, is_what_its_status_says_if_the_entry_is_switched_off) {
  const meaning_row& row = GetParam();
  if (!row.entry) return;
  const response_meaning meaning =
      read(row.status, row.headers, {.pushbacks = default_pushbacks.without(*row.entry)});
  fault by_status = *fault_of_status(row.status);
  by_status.server_delay = meaning.fault->server_delay;
  EXPECT_EQ(*meaning.fault, by_status);
  EXPECT_EQ(meaning.decided_by, "");
}

using enum fault_kind;
constexpr effect none = effect::none;
constexpr effect possible = effect::possible;

const fault limited = of(rate_limited, possible);
const fault overload = of(overloaded, possible);
const fault refused = of(rejected, none);
const fault refused_for_now = of(rate_limited, none);
const fault nacked = of(not_processed, none);

INSTANTIATE_TEST_SUITE_P(
    responses, http_response,
    testing::Values(
        meaning_row{"plain_503", 503, {{"Content-Type", "text/plain"}}, {}, overload, ""},
        meaning_row{"retry_after_of_503", 503, {{"Retry-After", "7"}}, {}, after(overload, 7s), ""},
        meaning_row{
            "retry_after_of_zero_proves_nothing", 503, {{"Retry-After", "0"}}, {}, after(overload, 0s), ""},
        meaning_row{"retry_after_of_429", 429, {{"Retry-After", "7"}}, {}, after(limited, 7s), ""},
        meaning_row{
            "retry_after_of_502", 502, {{"Retry-After", "7"}}, {}, after(of(bad_gateway, possible), 7s), ""},
        meaning_row{
            "retry_after_of_409", 409, {{"Retry-After", "1"}}, {}, after(of(conflict, possible), 1s), ""},
        meaning_row{"retry_after_of_404_is_told_all_the_same",
                    404,
                    {{"Retry-After", "7"}},
                    {},
                    after(refused, 7s),
                    ""},
        meaning_row{"junk_in_retry_after", 503, {{"Retry-After", "soon"}}, {}, overload, ""},
        meaning_row{"x_should_retry_false",
                    503,
                    {{"X-Should-Retry", "false"}, {"Retry-After", "7"}},
                    pushback::x_should_retry,
                    vetoed(after(overload, 7s)),
                    "x-should-retry"},
        meaning_row{"x_should_retry_true",
                    400,
                    {{"X-Should-Retry", "true"}},
                    pushback::x_should_retry,
                    invited(refused),
                    "x-should-retry"},
        meaning_row{"stripe_should_retry_false",
                    409,
                    {{"Stripe-Should-Retry", "false"}},
                    pushback::stripe_should_retry,
                    vetoed(of(conflict, possible)),
                    "stripe-should-retry"},
        meaning_row{"stripe_should_retry_true",
                    402,
                    {{"Stripe-Should-Retry", "true"}},
                    pushback::stripe_should_retry,
                    invited(refused),
                    "stripe-should-retry"},
        meaning_row{"envoy_ratelimited",
                    429,
                    {{"x-envoy-ratelimited", "true"}},
                    pushback::envoy_ratelimited,
                    vetoed(limited),
                    "x-envoy-ratelimited"},
        meaning_row{"envoy_overloaded_of_503_says_nothing_new",
                    503,
                    {{"x-envoy-overloaded", "true"}},
                    {},
                    overload,
                    ""},
        meaning_row{"envoy_overloaded_of_500",
                    500,
                    {{"x-envoy-overloaded", "true"}},
                    pushback::envoy_overloaded,
                    overload,
                    "x-envoy-overloaded"},
        meaning_row{"finagle_nack",
                    503,
                    {{"finagle-http-nack", "true"}},
                    pushback::finagle_nack,
                    nacked,
                    "finagle-http-nack"},
        meaning_row{"finagle_nonretryable_nack",
                    503,
                    {{"finagle-http-nonretryable-nack", "true"}},
                    pushback::finagle_nonretryable_nack,
                    vetoed(nacked),
                    "finagle-http-nonretryable-nack"},
        meaning_row{"grpc_pushback_negative",
                    503,
                    {{"grpc-retry-pushback-ms", "-1"}},
                    pushback::grpc_pushback,
                    vetoed(overload),
                    "grpc-retry-pushback-ms"},
        meaning_row{"github_primary_limit",
                    403,
                    {{"x-ratelimit-remaining", "0"}},
                    pushback::github_rate_limit,
                    refused_for_now,
                    "x-ratelimit-remaining"},
        meaning_row{"github_secondary_limit",
                    403,
                    {{"retry-after", "60"}},
                    pushback::github_rate_limit,
                    after(refused_for_now, 60s),
                    "retry-after"},
        meaning_row{"forbidden_with_calls_remaining", 403, {{"x-ratelimit-remaining", "9"}}, {}, refused, ""},
        meaning_row{"too_large_for_now",
                    413,
                    {{"Retry-After", "3"}},
                    pushback::retry_after_on_413,
                    invited(after(refused, 3s)),
                    "retry-after"},
        meaning_row{"too_large_for_now_at_a_time_nobody_can_read",
                    413,
                    {{"Retry-After", "soon"}},
                    pushback::retry_after_on_413,
                    invited(refused),
                    "retry-after"},
        meaning_row{"too_large", 413, {}, {}, refused, ""},
        meaning_row{"userver_deadline",
                    498,
                    {{"X-YaTaxi-Deadline-Expired", "1"}},
                    pushback::userver_deadline_expired,
                    of(fault_kind::timeout, possible),
                    "x-yataxi-deadline-expired"}),
    [](const auto& info) { return std::string(info.param.id); });

TEST(http_responses, below_400_are_no_faults_whatever_else_they_say) {
  const header_list headers{{"X-Should-Retry", "true"}, {"finagle-http-nack", "true"}, {"Retry-After", "5"}};
  for (const int status : {100, 200, 204, 206, 299}) {
    EXPECT_FALSE(read(status, headers).fault) << status;
    EXPECT_FALSE(read(status, headers).delay) << status;
    EXPECT_EQ(read(status, headers).decided_by, "") << status;
  }
}

TEST(http_responses, that_redirect_may_ask_for_a_wait_before_it) {
  for (const int status : {301, 302, 303, 307, 308}) {
    const response_meaning meaning = read(status, {{"Retry-After", "5"}});
    EXPECT_FALSE(meaning.fault) << status;
    ASSERT_TRUE(meaning.delay) << status;
    EXPECT_EQ(meaning.delay->wait, 5s) << status;
  }
}

TEST(http_responses, tell_which_field_asked_for_the_wait) {
  const response_meaning meaning = read(503, {{"Retry-After", "5"}});
  ASSERT_TRUE(meaning.delay);
  EXPECT_EQ(meaning.delay->wait, 5s);
  EXPECT_TRUE(same_name(meaning.delay->header, "retry-after")) << meaning.delay->header;
}

TEST(http_responses, with_a_pushback_in_milliseconds_wait_for_exactly_that) {
  const header_list headers{{"Retry-After", "5"}, {"grpc-retry-pushback-ms", "250"}};
  const response_meaning meaning = read(503, headers);
  EXPECT_EQ(meaning.delay->wait, 250ms);
  EXPECT_EQ(meaning.delay->header, "grpc-retry-pushback-ms");
  EXPECT_EQ(*meaning.fault, after(overload, 250ms));
  EXPECT_EQ(meaning.decided_by, "");  // when, not whether
  const response_meaning without =
      read(503, headers, {.pushbacks = default_pushbacks.without(pushback::grpc_pushback)});
  EXPECT_EQ(*without.fault, after(overload, 5s));
}

// gRFC A6: a pushback does not make a status retryable that is not.
TEST(http_responses, are_not_made_transient_by_a_wait) {
  EXPECT_EQ(*read(404, {{"grpc-retry-pushback-ms", "250"}}).fault, after(refused, 250ms));
}

TEST(http_responses, that_veto_and_invite_veto) {
  const response_meaning meaning = read(500, {{"X-Should-Retry", "true"}, {"Stripe-Should-Retry", "false"}});
  EXPECT_TRUE(meaning.fault->vetoed);
  EXPECT_EQ(meaning.decided_by, "stripe-should-retry");
  EXPECT_TRUE(read(500, {{"X-Should-Retry", "false"}, {"Stripe-Should-Retry", "true"}}).fault->vetoed);
  EXPECT_TRUE(read(503, {{"finagle-http-nack", "1"}, {"finagle-http-nonretryable-nack", "1"}}).fault->vetoed);
}

TEST(http_responses, stay_invited_when_another_field_makes_them_another_kind) {
  const response_meaning meaning = read(403, {{"X-Should-Retry", "true"}, {"Retry-After", "5"}});
  EXPECT_EQ(*meaning.fault, invited(after(refused_for_now, 5s)));
}

TEST(http_responses, of_finagle_are_not_processed_if_they_say_zero) {
  const response_rules rules{.pushbacks = default_pushbacks.with(pushback::finagle_retry_after_zero)};
  EXPECT_EQ(*read(503, {{"Retry-After", "0"}}, rules).fault, after(nacked, 0s));
  EXPECT_EQ(*read(503, {{"Retry-After", "1"}}, rules).fault, after(overload, 1s));
}

TEST(http_responses, never_lose_a_proof_or_gain_one_by_an_invitation) {
  EXPECT_EQ(effect_of(*read(500, {{"X-Should-Retry", "true"}}).fault), possible);
  EXPECT_EQ(effect_of(*read(503, {{"X-Should-Retry", "true"}}).fault), possible);
  EXPECT_EQ(effect_of(*read(425, {{"X-Should-Retry", "true"}}).fault), none);
}

TEST(http_responses, are_read_by_their_status_alone_if_all_entries_are_off) {
  const header_list everything{{"X-Should-Retry", "false"},       {"Stripe-Should-Retry", "false"},
                               {"x-envoy-ratelimited", "true"},   {"x-envoy-overloaded", "true"},
                               {"finagle-http-nack", "true"},     {"finagle-http-nonretryable-nack", "true"},
                               {"grpc-retry-pushback-ms", "-1"},  {"x-ratelimit-remaining", "0"},
                               {"X-YaTaxi-Deadline-Expired", "1"}};
  const response_rules rules{.pushbacks = {}};
  for (int status = 400; status < 600; ++status) {
    EXPECT_EQ(read(status, everything, rules).fault, fault_of_status(status)) << status;
  }
}

// 10 MB, NUL bytes, every byte there is: a clear result all the same.
TEST(http_responses, with_hostile_fields_are_read) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  for (const std::string& value : {bytes, std::string(10'000'000, '9'), std::string(10'000'000, ' ')}) {
    header_list headers;
    for (const pushback_row& row : pushbacks()) headers.add(row.header, value);
    const response_meaning meaning = read(503, headers);
    EXPECT_TRUE(meaning.fault->vetoed);
  }
}

}  // namespace
