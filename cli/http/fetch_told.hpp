// SPDX-License-Identifier: Apache-2.0
// What there is to tell of a call of `relent fetch`: the facts and sentences that stderr and the log share. Nothing
// secret is among them: no headers, no bodies, no query. Layer 5.
#pragma once

#include <relent/curl/response.hpp>
#include <relent/event.hpp>
#include <relent/policy.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// One call of the driver, and its attempts so far.
struct fetch_told {
  const policy& rules;
  std::string method = {};
  std::string address = {};  ///< web_address::shown
  std::uint32_t max_attempts = 1;
  bool has_key = false;
  /// The deadline of an enclosing run comes before the policy's own.
  bool outer_deadline = false;
  /// The whole of it is used up.
  bool out_of_time = false;
  /// Why what is sent cannot be had again; empty if it can.
  std::string used_up = {};
  int signal = 0;  ///< that ended it; 0: none
};

/// "attempt 2 of 3".
std::string attempt_name(const fetch_told& facts, std::uint32_t attempt);

/// How an attempt ended: "HTTP 503 Service Unavailable", "Failed to connect to example.com port 443".
std::string what_happened(const curl::transfer_record& made);

/// Where a wait comes from: "backoff", "retry-after".
std::string wait_origin(const event& retry, const curl::transfer_record* made);

/// "all 3 attempts are used".
std::string why_stopped(const fetch_told& facts, stop_reason reason, const curl::transfer_record* made);

}  // namespace relent::cli
