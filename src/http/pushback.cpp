// SPDX-License-Identifier: Apache-2.0
// The table of what servers say about retrying besides the status, and when a row applies.
#include <relent/http/pushback.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

namespace relent::http {
namespace {

using enum pushback_value;
constexpr int any_fault = 400;
constexpr int greatest = 999;

constexpr pushback_row rows[] = {
    {pushback::x_should_retry, "x-should-retry", is_false, any_fault, greatest, pushback_says::do_not_retry,
     "OpenAI and other generated SDKs"},
    {pushback::x_should_retry, "x-should-retry", is_true, any_fault, greatest, pushback_says::retry,
     "OpenAI and other generated SDKs"},
    {pushback::stripe_should_retry, "stripe-should-retry", is_false, any_fault, greatest,
     pushback_says::do_not_retry, "Stripe's SDKs"},
    {pushback::stripe_should_retry, "stripe-should-retry", is_true, any_fault, greatest, pushback_says::retry,
     "Stripe's SDKs"},
    {pushback::envoy_ratelimited, "x-envoy-ratelimited", any, any_fault, greatest,
     pushback_says::do_not_retry, "Envoy's router"},
    {pushback::envoy_overloaded, "x-envoy-overloaded", any, 500, greatest, pushback_says::overloaded,
     "Envoy's router; does not prove that no earlier try of Envoy's was executed"},
    {pushback::finagle_nack, "finagle-http-nack", any, 503, 503, pushback_says::not_processed, "Finagle"},
    {pushback::finagle_nonretryable_nack, "finagle-http-nonretryable-nack", any, 503, 503,
     pushback_says::not_processed, "Finagle"},
    {pushback::finagle_nonretryable_nack, "finagle-http-nonretryable-nack", any, 503, 503,
     pushback_says::do_not_retry, "Finagle"},
    {pushback::finagle_retry_after_zero, "retry-after", is_zero, 503, 503, pushback_says::not_processed,
     "Finagle"},
    {pushback::grpc_pushback, "grpc-retry-pushback-ms", no_wait, any_fault, greatest,
     pushback_says::do_not_retry, "gRFC A6"},
    {pushback::grpc_pushback, "grpc-retry-pushback-ms", milliseconds, any_fault, greatest,
     pushback_says::wait, "gRFC A6"},
    {pushback::github_rate_limit, "retry-after", any, 403, 403, pushback_says::rate_limited, "GitHub's API"},
    {pushback::github_rate_limit, "x-ratelimit-remaining", is_zero, 403, 403, pushback_says::rate_limited,
     "GitHub's API"},
    {pushback::retry_after_on_413, "retry-after", any, 413, 413, pushback_says::retry,
     "RFC 9110 section 15.5.14"},
    {pushback::userver_deadline_expired, "x-yataxi-deadline-expired", not_empty, any_fault, greatest,
     pushback_says::timed_out, "userver"},
};

constexpr std::string_view names[] = {
    "x_should_retry",    "stripe_should_retry",       "envoy_ratelimited",        "envoy_overloaded",
    "finagle_nack",      "finagle_nonretryable_nack", "finagle_retry_after_zero", "grpc_pushback",
    "github_rate_limit", "retry_after_on_413",        "userver_deadline_expired",
};
static_assert(std::size(names) == pushback_count);

/// Whether one line's value is what a row asks for; what grpc-retry-pushback-ms needs all its lines for.
bool is(std::string_view value, pushback_value wanted) noexcept {
  switch (wanted) {
    case any: return true;
    case not_empty: return !value.empty();
    case is_true: return value == "true";
    case is_false: return value == "false";
    case is_zero: return value == "0";
    case milliseconds:
    case no_wait: return false;
  }
  return false;
}

/// A number in the one form that gRFC A6 allows.
std::optional<std::int32_t> canonical(std::string_view text) noexcept {
  if (text.empty() || text.front() == '-' || (text.front() == '0' && text.size() > 1)) return std::nullopt;
  std::int32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

}  // namespace

std::string_view to_string(pushback entry) noexcept {
  const auto index = static_cast<std::size_t>(entry);
  return index < std::size(names) ? names[index] : "unknown";
}

std::optional<pushback> pushback_from(std::string_view name) noexcept {
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name) return static_cast<pushback>(i);
  return std::nullopt;
}

std::span<const pushback_row> pushbacks() noexcept { return rows; }

std::optional<std::int32_t> grpc_pushback_ms(const header_list& headers) noexcept {
  std::optional<std::string_view> only;
  for (const header& line : headers) {
    if (!same_name(line.name, "grpc-retry-pushback-ms")) continue;
    if (only) return std::nullopt;  // several do not agree on anything
    only = trimmed(line.value);
  }
  return only ? canonical(*only) : std::nullopt;
}

bool applies(const pushback_row& row, int status, const header_list& headers) noexcept {
  if (status < row.least_status || status > row.greatest_status) return false;
  if (row.value == milliseconds || row.value == no_wait)
    return headers.contains(row.header) &&
           grpc_pushback_ms(headers).has_value() == (row.value == milliseconds);
  return std::any_of(headers.begin(), headers.end(), [&row](const header& line) {
    return same_name(line.name, row.header) && is(trimmed(line.value), row.value);
  });
}

}  // namespace relent::http
