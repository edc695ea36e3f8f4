// SPDX-License-Identifier: Apache-2.0
// Header fields by which a request tells how much time is left, which attempt it is, and that an outer layer
// retries: written on a request that goes out, read from one that came in. Target relent::http.
#pragma once

#include <relent/http/header_list.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace relent::http {

/// What a request tells; nothing unless asked for.
struct propagation {
  bool grpc_timeout = false;            ///< grpc-timeout: 250m
  bool envoy_expected_timeout = false;  ///< x-envoy-expected-rq-timeout-ms: 250
  bool connect_timeout = false;         ///< connect-timeout-ms: 250
  bool prefer_wait = false;             ///< Prefer: wait=10 (RFC 7240 section 4.3)
  bool envoy_attempt_count = false;     ///< x-envoy-attempt-count: 1, 2, ...
  bool stainless_retry_count = false;   ///< x-stainless-retry-count: 0, 1, ...
  bool amz_sdk_request = false;         ///< amz-sdk-request: attempt=1; max=3, and amz-sdk-invocation-id
  bool grpc_previous_attempts = false;  ///< grpc-previous-rpc-attempts: absent, 1, 2, ...
  bool enclosed_mark = false;           ///< Relent-Outer-Retries: ?1

  friend bool operator==(const propagation&, const propagation&) = default;
};

/// What is known of the attempt that the request belongs to.
struct attempt_facts {
  std::uint32_t number = 1;                ///< 1 is the first
  std::uint32_t max_attempts = 0;          ///< 0: not known
  std::optional<duration> time_left = {};  ///< of this attempt; nothing: no end
  std::string_view invocation_id = {};     ///< the same for all attempts of a call
  /// The server's clock, as far as it is known (from the Date of an earlier response); 1970: not known.
  std::chrono::system_clock::time_point wall_now = {};
  bool enclosed = false;  ///< an outer layer retries this call
};

/// Name of the mark by which this library tells another process that it retries: a Boolean (RFC 8941 section
/// 3.3.6). Who reads it as true makes a single attempt.
inline constexpr std::string_view outer_retries_field = "Relent-Outer-Retries";

/// Writes what is asked for, in place of fields of that name. A time is rounded down, and never more than is left,
/// but for the least that a field can say: 1 ns, 1 ms; Prefer is left out below one second. The mark is written
/// if the call may make several attempts, or is enclosed itself. An invocation id that is not visible ASCII is
/// left out. Thread-safe for different requests.
void add_propagation(header_list& request, const propagation& what, const attempt_facts& facts);

/// The least time that the request's fields leave to the one who answers it: grpc-timeout,
/// x-envoy-expected-rq-timeout-ms, connect-timeout-ms, Prefer: wait. What cannot be read counts as absent.
/// Zero: it is late already. Thread-safe.
std::optional<duration> deadline_in(const header_list& request);

/// Whether the request says that an outer layer retries (call_options::enclosed). Thread-safe.
bool outer_layer_retries(const header_list& request);

/// The attempt that the request says it is, from 1 on; the greatest if it says several. Thread-safe.
std::optional<std::uint32_t> attempt_number_in(const header_list& request);

}  // namespace relent::http
