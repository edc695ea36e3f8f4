// SPDX-License-Identifier: Apache-2.0
// For people who own their CURL handle: curl_easy_perform with retries. Target relent::curl.
#pragma once

#include <relent/call_options.hpp>
#include <relent/curl/response.hpp>
#include <relent/dependency.hpp>
#include <relent/http/response_fault.hpp>

#include <curl/curl.h>

#include <functional>
#include <optional>
#include <vector>

namespace relent::curl {

/// What is said for one perform. Append only.
struct perform_options {
  /// An idempotency_key in here says that the handle's headers carry it, which makes any request repeatable.
  call_options call = {};
  /// Whether the request may be executed twice. Nothing: by the handle's method, as libcurl reports it
  /// (CURLINFO_EFFECTIVE_METHOD).
  std::optional<bool> repeatable = std::nullopt;
  /// Called before every retry: takes back what the attempt before wrote, and rewinds what it read. False: that
  /// cannot be done, and the call ends as not_replayable. Without
  /// it there is no retry once a byte of a body was sent or received: whoever knows that nothing need be taken back, as
  /// with CURLOPT_POSTFIELDS and an answer that is thrown away, returns true.
  std::function<bool(CURL* handle)> restart = {};
  http::response_rules rules = {};
  /// Where connections live: a multi handle that holds no other handle and is used by one thread at a time, and this one
  /// is in none. Null: in the handle, as with
  /// curl_easy_perform; with a stop token, which needs one, in a multi handle of this call.
  CURLM* connections = nullptr;
};

/// What came of it.
struct performed {
  CURLcode code = CURLE_OK;  ///< of the last attempt
  long status = 0;           ///< of the last attempt; 0: no answer
  std::optional<relent::fault> fault = std::nullopt;
  relent::report report = {};
  std::vector<transfer_record> transfers = {};

  bool ok() const noexcept { return !fault && !report.stop; }
};

/// Performs the transfer that the handle describes until it succeeds or the engine says stop. Sets, and leaves
/// set, CURLOPT_TIMEOUT_MS, CURLOPT_CONNECTTIMEOUT_MS, CURLOPT_PREREQFUNCTION, CURLOPT_NOSIGNAL and
/// CURLOPT_QUICK_EXIT, and after a 421 or a broken connection clears CURLOPT_FRESH_CONNECT; a time-out that the handle had is lost: say it in the policy (attempt_timeout). A status of
/// 400 or more is a fault, whether or not CURLOPT_FAILONERROR is set. The handle belongs to this call until it returns.
performed perform(CURL* handle, relent::dependency& shared, const perform_options& options = {});

}  // namespace relent::curl
