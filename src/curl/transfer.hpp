// SPDX-License-Identifier: Apache-2.0
// One transfer on a handle that is ready: run until it ends or is told to stop, without libcurl's silent
// repetitions, and asked afterwards how far it got.
#pragma once

#include <relent/curl/response.hpp>
#include <relent/fault.hpp>
#include <relent/http/response_fault.hpp>
#include <relent/stop.hpp>
#include <relent/time.hpp>
#include "handle.hpp"

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relent::curl::detail {

/// What is to be known of a transfer's requests.
struct watched {
  /// Whether a stream was refused, the proof that a request was not processed: libcurl's comments are read for it,
  /// which takes CURLOPT_VERBOSE and CURLOPT_DEBUGFUNCTION.
  bool refused_stream = false;
  /// Whether the first request's method may be repeated.
  bool method = false;
};

/// Watches the requests that libcurl sends in one transfer. On a reused connection that turns out dead it would send
/// the request again by itself, whatever the method, up to five times, while the server may have executed what it
/// got before. That ends the transfer here: whether and when a request is repeated, the engine decides. Bound to a
/// handle for as long as that has its options; in one place. One thread.
class resend_guard {
 public:
  /// Sets the handle's options.
  void bind(CURL* handle, const watched& what);
  /// A transfer begins.
  void begin() noexcept;

  /// A request was about to be written: the connection stood.
  bool connected() const noexcept { return requests_ > 0; }
  /// Whether the first request went over a connection made for it.
  bool on_new_connection() const noexcept { return on_new_connection_; }
  /// Whether the first request's method may be repeated; false if none was sent.
  bool first_is_idempotent() const noexcept { return first_is_idempotent_; }
  /// The latest request got an answer, or the beginning of one.
  bool answered() const noexcept {
    return !prevented_ && info<long>(handle_, CURLINFO_HEADER_SIZE) > answered_bytes_;
  }
  /// A repetition was prevented, which ended the transfer.
  bool prevented() const noexcept { return prevented_; }
  /// The server said that it did not process the request, which got no answer: its stream was refused, or lies beyond
  /// what a GOAWAY names as the last one (RFC 9113 sections 6.8 and 8.7).
  bool refused_stream() const noexcept {
    return (prevented_ && refused_stream_) || (last_stream_ && stream_ && *stream_ > *last_stream_);
  }

 private:
  static int before_request(void* self, char*, char*, int, int);
  static int hear(CURL*, curl_infotype type, char* text, std::size_t size, void* self);
  bool allow_request();
  void hear_text(std::string_view text);

  CURL* handle_ = nullptr;
  bool asks_method_ = false;
  bool first_is_idempotent_ = false;
  bool on_new_connection_ = false;
  bool prevented_ = false;
  bool refused_stream_ = false;
  std::optional<std::uint32_t> stream_;       // of the latest request
  std::optional<std::uint32_t> last_stream_;  // that the server will process
  std::uint32_t requests_ = 0;
  long followed_ = 0;
  long answered_bytes_ = 0;  // of response heads, at the latest request
};

/// How a transfer ended.
struct transfer_end {
  CURLcode code = CURLE_OK;
  bool stopped = false;  ///< the stop token ended it
};

/// Runs it within `connections`, where a stop is felt at once if the token is a std::stop_token, and within 20 ms
/// otherwise; or by curl_easy_perform, which is leaner and cannot be stopped, if that is null.
transfer_end run_transfer(CURLM* connections, CURL* handle, const stop_handle& stop);

/// What the attempt may take, as libcurl wants to know it: whole milliseconds, rounded up, and one more because
/// libcurl counts up to one too many: an attempt that runs into its end leaves no time for another one; 0, which stands for no limit, only for max_duration.
long milliseconds_of(duration time) noexcept;

/// What is to be known of the request beyond what libcurl says.
struct request_facts {
  std::uint32_t attempt = 1;
  bool body_is_complete = true;  ///< all of it was taken, or there is none
  const char* error_text = "";   ///< libcurl's error buffer
};

/// The handle's latest transfer as a record, with its fault: by the status and headers if there was an answer,
/// else by what broke.
transfer_record record_of(CURL* handle, const transfer_end& end, const resend_guard& guard,
                          const request_facts& facts, const http::header_list& headers,
                          const http::response_rules& rules);

/// Whether the transfer was one of HTTP.
bool speaks_http(CURL* handle) noexcept;

/// "1.1", "2", "3"; empty without an answer.
std::string_view http_version_of(CURL* handle) noexcept;

}  // namespace relent::curl::detail
