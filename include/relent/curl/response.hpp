// SPDX-License-Identifier: Apache-2.0
// What came of a request: the answer or the error, and the story of every attempt. Target relent::curl.
#pragma once

#include <relent/fault.hpp>
#include <relent/http/header_list.hpp>
#include <relent/http/problem_details.hpp>
#include <relent/report.hpp>
#include <relent/time.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace relent::curl {

/// Why a transfer gave no whole answer.
struct transfer_error {
  int code = 0;           ///< the CURLcode; 0: there was none
  int os_errno = 0;       ///< what the system said last; 0: nothing
  std::string text = {};  ///< for a person

  explicit operator bool() const noexcept { return code != 0; }
};

/// One attempt as libcurl saw it.
struct transfer_record {
  std::uint32_t number = 0;  ///< of the attempt, from 1
  phase reached = phase::resolve;
  int status = 0;  ///< 0: no answer
  std::optional<relent::fault> fault = std::nullopt;
  transfer_error error = {};
  /// What the server asked for, and in which header.
  std::optional<duration> server_delay = std::nullopt;
  std::string_view delay_header = {};
  /// The header that vetoed or allowed a retry against what the status says; empty: none did.
  std::string_view decided_by = {};
  bool new_connection = false;
  std::uint64_t body_bytes_sent = 0;
  std::uint64_t body_bytes_received = 0;
  /// Since the attempt began: until connected (zero on a connection in use), until the first byte of the
  /// answer, in all.
  duration connected_after = duration::zero();
  duration first_byte_after = duration::zero();
  duration took = duration::zero();
};

/// The end of a call. A plain value.
struct response {
  /// Of the last attempt; 0 if it brought no answer.
  int status = 0;
  http::header_list headers = {};
  /// The body, unless it went to a sink; of a failure the first 64 KiB.
  std::string body = {};
  bool body_is_cut = false;
  /// The address that answered, after redirects.
  std::string url = {};
  /// "1.1", "2"; empty without an answer.
  std::string_view http_version = {};
  /// What went wrong in the last attempt; nothing: the call succeeded, with a status below 400.
  std::optional<relent::fault> fault = std::nullopt;
  /// Why the last attempt brought no whole answer.
  transfer_error error = {};
  /// The server's own words on its failure (RFC 9457), if it sent any.
  std::optional<http::problem_details> problem = std::nullopt;
  /// Attempts, waits and why it ended.
  relent::report report = {};
  /// The first 32 attempts and the last one.
  std::vector<transfer_record> transfers = {};

  /// Whether the call succeeded.
  bool ok() const noexcept { return !fault && !report.stop; }
  /// Why no further attempt was made; nothing on success. With report.attempts 0 the call was refused before
  /// its first.
  std::optional<stop_reason> stop() const noexcept { return report.stop; }
  /// What went wrong, in a line for a person: "HTTP 503: out of order", "Could not connect to …". Empty on success.
  std::string what() const;
  /// This, if the call succeeded. Throws curl::failed otherwise.
  const response& value() const&;
  response value() &&;
};

/// How response::value() says that there is none. Carries the response.
class failed : public std::runtime_error {
 public:
  explicit failed(response of);
  const response& of() const noexcept { return of_; }

 private:
  response of_;
};

}  // namespace relent::curl
