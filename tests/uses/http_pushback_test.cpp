// SPDX-License-Identifier: Apache-2.0
// The table of what servers say about retrying: when each row applies, and how entries are switched.
#include <relent/http/pushback.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace relent::http;
using enum pushback;

struct reading_row {
  const char* id;
  pushback entry;
  int status;
  header_list headers;
  std::set<pushback_says> says;
  friend void PrintTo(const reading_row& row, std::ostream* out) { *out << row.id; }
};

/// What the entry's rows say of a response.
std::set<pushback_says> said(const reading_row& response) {
  std::set<pushback_says> says;
  for (const pushback_row& row : pushbacks())
    if (row.entry == response.entry && applies(row, response.status, response.headers)) says.insert(row.says);
  return says;
}

class http_pushback : public testing::TestWithParam<reading_row> {};

TEST_P(http_pushback, is_read) { EXPECT_EQ(said(GetParam()), GetParam().says); }

const std::set<pushback_says> silent;
const std::set<pushback_says> veto{pushback_says::do_not_retry};
const std::set<pushback_says> retry{pushback_says::retry};
const std::set<pushback_says> nack{pushback_says::not_processed};
const std::set<pushback_says> limited{pushback_says::rate_limited};
const std::set<pushback_says> overloaded{pushback_says::overloaded};
const std::set<pushback_says> late{pushback_says::timed_out};
const std::set<pushback_says> wait{pushback_says::wait};

header_list grpc(std::string_view value) { return {{"grpc-retry-pushback-ms", std::string(value)}}; }

const reading_row rows[] = {
    {"x_should_retry_false", x_should_retry, 429, {{"x-should-retry", "false"}}, veto},
    {"x_should_retry_true", x_should_retry, 400, {{"x-should-retry", "true"}}, retry},
    {"x_should_retry_whatever_the_case_of_its_name",
     x_should_retry,
     500,
     {{"X-Should-Retry", "false"}},
     veto},
    {"x_should_retry_between_blanks", x_should_retry, 500, {{"x-should-retry", " false\t"}}, veto},
    {"x_should_retry_in_other_letters", x_should_retry, 500, {{"x-should-retry", "False"}}, silent},
    {"x_should_retry_of_another_word", x_should_retry, 500, {{"x-should-retry", "no"}}, silent},
    {"x_should_retry_empty", x_should_retry, 500, {{"x-should-retry", ""}}, silent},
    {"x_should_retry_of_a_success", x_should_retry, 200, {{"x-should-retry", "false"}}, silent},
    {"x_should_retry_of_two_minds",
     x_should_retry,
     500,
     {{"x-should-retry", "true"}, {"x-should-retry", "false"}},
     {pushback_says::retry, pushback_says::do_not_retry}},
    {"stripe_false", stripe_should_retry, 409, {{"Stripe-Should-Retry", "false"}}, veto},
    {"stripe_true", stripe_should_retry, 429, {{"Stripe-Should-Retry", "true"}}, retry},
    {"stripe_of_another_word", stripe_should_retry, 429, {{"Stripe-Should-Retry", "1"}}, silent},
    {"envoy_ratelimited", envoy_ratelimited, 429, {{"x-envoy-ratelimited", "true"}}, veto},
    {"envoy_ratelimited_of_any_text", envoy_ratelimited, 429, {{"x-envoy-ratelimited", ""}}, veto},
    {"envoy_overloaded", envoy_overloaded, 503, {{"x-envoy-overloaded", "true"}}, overloaded},
    {"envoy_overloaded_not_of_a_rejection", envoy_overloaded, 404, {{"x-envoy-overloaded", "true"}}, silent},
    {"finagle_nack_of_503", finagle_nack, 503, {{"finagle-http-nack", "true"}}, nack},
    {"finagle_nack_of_500", finagle_nack, 500, {{"finagle-http-nack", "true"}}, silent},
    {"finagle_nonretryable_nack_of_503",
     finagle_nonretryable_nack,
     503,
     {{"finagle-http-nonretryable-nack", "true"}},
     {pushback_says::not_processed, pushback_says::do_not_retry}},
    {"finagle_nonretryable_nack_of_502",
     finagle_nonretryable_nack,
     502,
     {{"finagle-http-nonretryable-nack", "true"}},
     silent},
    {"finagle_retry_after_zero", finagle_retry_after_zero, 503, {{"Retry-After", "0"}}, nack},
    {"finagle_retry_after_one", finagle_retry_after_zero, 503, {{"Retry-After", "1"}}, silent},
    {"finagle_retry_after_zero_of_429", finagle_retry_after_zero, 429, {{"Retry-After", "0"}}, silent},
    {"grpc_wait", grpc_pushback, 503, grpc("250"), wait},
    {"grpc_wait_of_nothing", grpc_pushback, 503, grpc("0"), wait},
    {"grpc_longest_wait", grpc_pushback, 503, grpc("2147483647"), wait},
    {"grpc_beyond_32_bits", grpc_pushback, 503, grpc("2147483648"), veto},
    {"grpc_beyond_64_bits", grpc_pushback, 503, grpc("99999999999999999999"), veto},
    {"grpc_negative", grpc_pushback, 503, grpc("-1"), veto},
    {"grpc_minus_zero", grpc_pushback, 503, grpc("-0"), veto},
    {"grpc_with_a_sign", grpc_pushback, 503, grpc("+5"), veto},
    {"grpc_with_a_leading_zero", grpc_pushback, 503, grpc("007"), veto},
    {"grpc_of_a_word", grpc_pushback, 503, grpc("soon"), veto},
    {"grpc_of_a_number_and_more", grpc_pushback, 503, grpc("5ms"), veto},
    {"grpc_empty", grpc_pushback, 503, grpc(""), veto},
    {"grpc_twice",
     grpc_pushback,
     503,
     {{"grpc-retry-pushback-ms", "5"}, {"grpc-retry-pushback-ms", "5"}},
     veto},
    {"grpc_absent", grpc_pushback, 503, {}, silent},
    {"github_retry_after", github_rate_limit, 403, {{"retry-after", "60"}}, limited},
    {"github_remaining_zero", github_rate_limit, 403, {{"x-ratelimit-remaining", "0"}}, limited},
    {"github_remaining_some", github_rate_limit, 403, {{"x-ratelimit-remaining", "10"}}, silent},
    {"github_remaining_zero_of_404", github_rate_limit, 404, {{"x-ratelimit-remaining", "0"}}, silent},
    {"too_large_for_now", retry_after_on_413, 413, {{"Retry-After", "10"}}, retry},
    {"too_large_for_now_at_a_time_nobody_can_read",
     retry_after_on_413,
     413,
     {{"Retry-After", "soon"}},
     retry},
    {"too_large_for_ever", retry_after_on_413, 413, {}, silent},
    {"retry_after_of_414", retry_after_on_413, 414, {{"Retry-After", "10"}}, silent},
    {"userver_deadline", userver_deadline_expired, 498, {{"X-YaTaxi-Deadline-Expired", "1"}}, late},
    {"userver_deadline_of_504", userver_deadline_expired, 504, {{"X-YaTaxi-Deadline-Expired", "yes"}}, late},
    {"userver_deadline_empty", userver_deadline_expired, 498, {{"X-YaTaxi-Deadline-Expired", ""}}, silent},
};

INSTANTIATE_TEST_SUITE_P(readings, http_pushback, testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.id); });

TEST(http_pushbacks, are_each_read_by_a_row_above) {
  for (const pushback_row& each : pushbacks()) {
    bool read = false;
    for (const reading_row& row : rows)
      read = read || (row.entry == each.entry && row.says.contains(each.says) &&
                      applies(each, row.status, row.headers));
    EXPECT_TRUE(read) << each.header << " of " << to_string(each.entry);
  }
}

TEST(http_pushbacks, have_names_that_lead_back_to_them) {
  std::set<std::string_view> names;
  for (int i = 0; i < pushback_count; ++i) {
    const auto entry = static_cast<pushback>(i);
    EXPECT_EQ(pushback_from(to_string(entry)), entry);
    EXPECT_TRUE(names.insert(to_string(entry)).second);
  }
  EXPECT_EQ(to_string(envoy_ratelimited), "envoy_ratelimited");
  EXPECT_EQ(to_string(userver_deadline_expired), "userver_deadline_expired");
  EXPECT_FALSE(pushback_from("unknown"));
  EXPECT_FALSE(pushback_from(""));
  EXPECT_EQ(to_string(static_cast<pushback>(pushback_count)), "unknown");
}

TEST(http_pushbacks, are_honoured_but_for_the_one_that_only_finagle_means) {
  for (int i = 0; i < pushback_count; ++i) {
    const auto entry = static_cast<pushback>(i);
    EXPECT_EQ(default_pushbacks.contains(entry), entry != finagle_retry_after_zero) << to_string(entry);
  }
}

TEST(http_pushback_sets, gain_and_lose_single_entries) {
  constexpr pushback_set one{grpc_pushback};
  static_assert(one.contains(grpc_pushback) && !one.contains(x_should_retry) && !one.empty());
  static_assert(one.without(grpc_pushback).empty());
  static_assert(one.with(x_should_retry) == pushback_set{x_should_retry, grpc_pushback});
  EXPECT_EQ(default_pushbacks.without(envoy_ratelimited).with(envoy_ratelimited), default_pushbacks);
}

TEST(grpc_pushback_ms, is_read_from_one_line_only) {
  EXPECT_EQ(grpc_pushback_ms(grpc("250")), 250);
  EXPECT_FALSE(grpc_pushback_ms({}));
  EXPECT_FALSE(grpc_pushback_ms({{"grpc-retry-pushback-ms", "1"}, {"Grpc-Retry-Pushback-Ms", "1"}}));
}

}  // namespace
