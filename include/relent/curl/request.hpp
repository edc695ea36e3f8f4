// SPDX-License-Identifier: Apache-2.0
// A request as its caller describes it, the same for all attempts. Target relent::curl.
#pragma once

#include <relent/attempt.hpp>
#include <relent/curl/body.hpp>
#include <relent/curl/response.hpp>
#include <relent/curl/sink.hpp>
#include <relent/http/header_list.hpp>
#include <relent/http/idempotency_key_field.hpp>
#include <relent/time.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace relent::curl {

/// What is asked of a server. Append only: the order of members is API.
struct request {
  std::string method = "GET";
  /// http:// or https://; others are refused.
  std::string url = {};
  http::header_list headers = {};
  /// Null: none.
  curl::body body = {};
  /// Null: the answer's body is in response::body.
  curl::sink sink = {};
  /// Sends the call's identity as Idempotency-Key, the same for all attempts, which makes a POST repeatable.
  /// A header of that name in `headers` counts likewise.
  std::optional<http::key_style> idempotency_key = std::nullopt;
  /// Whether the request may be executed twice; by its method (RFC 9110 section 9.2.2) unless said here.
  std::optional<bool> repeatable = std::nullopt;
  /// Redirects that are followed; 0: the 3xx is the answer. Credentials stay with the first origin.
  std::uint32_t max_redirects = 0;
  /// How long connecting may take, TLS included; bounded by what the attempt has.
  std::optional<duration> connect_timeout = std::nullopt;
  /// Changes the headers of one attempt: the place to put a token that a refresh hook renews.
  std::function<void(http::header_list& headers, const attempt& in_hand)> prepare = {};
  /// Sets further libcurl options on the CURL* of one attempt, after ours. Not the callbacks, the time-outs, the
  /// method, the headers or CURLOPT_PRIVATE: those are ours.
  std::function<void(void* handle)> configure = {};
  /// Called when an attempt has ended, before it is decided what follows.
  std::function<void(const transfer_record& made)> on_attempt = {};
  /// Headers that libcurl would add by itself and shall not: {"Accept", "Expect"}.
  std::vector<std::string> without = {};
};

}  // namespace relent::curl
