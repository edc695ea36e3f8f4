// SPDX-License-Identifier: Apache-2.0
// Header fields by which a server says whether to try again, as one table whose entries can be switched. How long
// to wait is in server_delay.hpp; what all of it comes to is in response_fault.hpp. Target relent::http.
#pragma once

#include <relent/http/header_list.hpp>
#include <relent/version.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace relent::http {

/// A convention that can be honoured or not. Its words in the table are its rows.
enum class pushback : std::uint8_t {
  x_should_retry,             ///< x-should-retry: true or false (OpenAI and other generated SDKs)
  stripe_should_retry,        ///< Stripe-Should-Retry: true or false
  envoy_ratelimited,          ///< x-envoy-ratelimited: do not retry
  envoy_overloaded,           ///< x-envoy-overloaded: dropped by a circuit breaker or for maintenance
  finagle_nack,               ///< finagle-http-nack: not processed
  finagle_nonretryable_nack,  ///< finagle-http-nonretryable-nack: not processed, do not retry
  finagle_retry_after_zero,  ///< 503 with Retry-After: 0 means "not processed"; true of Finagle's servers only
  grpc_pushback,             ///< grpc-retry-pushback-ms: wait so long, or do not retry
  github_rate_limit,         ///< a 403 with Retry-After or with nothing remaining is a rate limit
  retry_after_on_413,        ///< a 413 with Retry-After is temporary (RFC 9110 section 15.5.14)
  userver_deadline_expired,  ///< X-YaTaxi-Deadline-Expired: the time that the request gave had run out
};
inline constexpr int pushback_count = 11;

/// The name in policies and documents: "x_should_retry". Thread-safe.
std::string_view to_string(pushback entry) noexcept;
/// The entry of that name, or nothing. Thread-safe.
std::optional<pushback> pushback_from(std::string_view name) noexcept;

/// Which entries are honoured. A plain value.
class pushback_set {
 public:
  constexpr pushback_set() noexcept = default;
  constexpr pushback_set(std::initializer_list<pushback> entries) noexcept {
    for (const pushback entry : entries) bits_ |= bit(entry);
  }

  constexpr bool contains(pushback entry) const noexcept { return (bits_ & bit(entry)) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }

  /// This set with one entry more, or one less.
  constexpr pushback_set with(pushback entry) const noexcept { return pushback_set{bits_ | bit(entry)}; }
  constexpr pushback_set without(pushback entry) const noexcept { return pushback_set{bits_ & ~bit(entry)}; }

  friend constexpr bool operator==(pushback_set, pushback_set) noexcept = default;

 private:
  constexpr explicit pushback_set(std::uint32_t bits) noexcept : bits_(bits) {}
  static constexpr std::uint32_t bit(pushback entry) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(entry);
  }
  std::uint32_t bits_ = 0;
};

/// All but finagle_retry_after_zero: anybody else's 503 with Retry-After: 0 proves nothing.
inline constexpr pushback_set default_pushbacks{
    pushback::x_should_retry,     pushback::stripe_should_retry,
    pushback::envoy_ratelimited,  pushback::envoy_overloaded,
    pushback::finagle_nack,       pushback::finagle_nonretryable_nack,
    pushback::grpc_pushback,      pushback::github_rate_limit,
    pushback::retry_after_on_413, pushback::userver_deadline_expired,
};

/// What a field's value must be for a row to apply.
enum class pushback_value : std::uint8_t {
  any,           ///< the field is there
  not_empty,     ///< with any text
  is_true,       ///< "true", in small letters
  is_false,      ///< "false", in small letters
  is_zero,       ///< "0"
  milliseconds,  ///< one whole number from 0 to 2^31-1, without leading zeros
  no_wait,       ///< anything but that: negative, junk, several lines
};

/// What a row says about a response that is a fault.
enum class pushback_says : std::uint8_t {
  do_not_retry,
  retry,          ///< transient, whatever the status says; whether it is safe is still asked
  not_processed,  ///< proven to have had no effect
  rate_limited,
  overloaded,
  timed_out,
  wait,  ///< that many milliseconds
};

/// One header field, one reading of it, and in which responses.
struct pushback_row {
  pushback entry;
  std::string_view header;  ///< in small letters
  pushback_value value;
  int least_status;
  int greatest_status;
  pushback_says says;
  std::string_view source;
};

/// The table; rows of an entry stand together. Thread-safe.
std::span<const pushback_row> pushbacks() noexcept;

/// Whether the row applies to a response of this status with these header fields. Thread-safe.
bool applies(const pushback_row& row, int status, const header_list& headers) noexcept;

/// The wait that grpc-retry-pushback-ms names, if one line does and names one (gRFC A6). Thread-safe.
std::optional<std::int32_t> grpc_pushback_ms(const header_list& headers) noexcept;

}  // namespace relent::http
