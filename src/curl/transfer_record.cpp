// SPDX-License-Identifier: Apache-2.0
// What a transfer was: read from libcurl's own counters.
#include "curl_fault.hpp"
#include "handle.hpp"
#include "transfer.hpp"

namespace relent::curl::detail {
namespace {

duration microseconds(CURL* handle, CURLINFO what) noexcept {
  return std::chrono::microseconds(info<curl_off_t>(handle, what));
}

bool positive(CURL* handle, CURLINFO what) noexcept { return info<curl_off_t>(handle, what) > 0; }

/// Of the answer; 0 for none, or only an interim one (RFC 9110 section 15.2).
int status_of(CURL* handle) noexcept {
  const long status = info<long>(handle, CURLINFO_RESPONSE_CODE);
  return status < 200 ? 0 : static_cast<int>(status);
}

/// Before the first request it is the connection that says how far it got; afterwards, the bytes.
phase phase_of(CURL* handle, const resend_guard& guard, const request_facts& facts) noexcept {
  if (!guard.connected()) {
    if (positive(handle, CURLINFO_CONNECT_TIME_T)) return phase::handshake;
    return positive(handle, CURLINFO_NAMELOOKUP_TIME_T) ? phase::connect : phase::resolve;
  }
  if (guard.answered() && positive(handle, CURLINFO_SIZE_DOWNLOAD_T)) return phase::response_body;
  if (guard.answered() && status_of(handle) != 0) return phase::response_head;
  if (info<long>(handle, CURLINFO_REQUEST_SIZE) == 0) return phase::connected;
  return facts.body_is_complete ? phase::request_written : phase::request_partial;
}

std::string text_of(CURLcode code, const request_facts& facts) {
  return *facts.error_text != '\0' ? facts.error_text : curl_easy_strerror(code);
}

transfer_error error_of(CURL* handle, const transfer_end& end, const resend_guard& guard,
                        const request_facts& facts, int status) {
  if (end.code == CURLE_OK) return {};
  if (end.stopped) return {CURLE_ABORTED_BY_CALLBACK, 0, "the call was cancelled"};
  if (guard.refused_stream() && status == 0)
    return {CURLE_HTTP2_STREAM, 0, "the server refused the stream before it processed the request"};
  if (guard.prevented()) return {CURLE_GOT_NOTHING, 0, "the connection was closed before an answer came"};
  // What libcurl calls want of memory is a line longer than it takes, as long as the request was sent.
  if (end.code == CURLE_OUT_OF_MEMORY && guard.connected())
    return {CURLE_WEIRD_SERVER_REPLY, 0, "a line of the response's head is longer than 100 KB"};
  return {end.code, static_cast<int>(info<long>(handle, CURLINFO_OS_ERRNO)), text_of(end.code, facts)};
}

/// What broke, where no answer came or not the whole of it.
fault fault_without_answer(CURL* handle, const transfer_end& end, const resend_guard& guard,
                           const transfer_record& record) noexcept {
  const bool redirected = info<long>(handle, CURLINFO_REDIRECT_COUNT) > 0;
  if (end.stopped) return {.kind = fault_kind::cancelled, .effect = effect_in(record.reached)};
  if (guard.refused_stream() && record.status == 0)
    return after_redirect({.kind = fault_kind::not_processed}, redirected);
  return fault_of({.code = static_cast<CURLcode>(record.error.code),
                   .os_errno = record.error.os_errno,
                   .reached = record.reached,
                   .redirected = redirected,
                   .proxy_status = static_cast<int>(info<long>(handle, CURLINFO_HTTP_CONNECTCODE))});
}

}  // namespace

transfer_record record_of(CURL* handle, const transfer_end& end, const resend_guard& guard,
                          const request_facts& facts, const http::header_list& headers,
                          const http::response_rules& rules) {
  transfer_record record;
  record.number = facts.attempt;
  record.reached = phase_of(handle, guard, facts);
  if (guard.connected() && guard.answered()) record.status = status_of(handle);
  record.error = error_of(handle, end, guard, facts, record.status);
  record.new_connection = guard.on_new_connection();
  record.body_bytes_sent = static_cast<std::uint64_t>(info<curl_off_t>(handle, CURLINFO_SIZE_UPLOAD_T));
  record.body_bytes_received = static_cast<std::uint64_t>(info<curl_off_t>(handle, CURLINFO_SIZE_DOWNLOAD_T));
  record.connected_after =
      microseconds(handle, positive(handle, CURLINFO_APPCONNECT_TIME_T) ? CURLINFO_APPCONNECT_TIME_T
                                                                        : CURLINFO_CONNECT_TIME_T);
  record.first_byte_after = microseconds(handle, CURLINFO_STARTTRANSFER_TIME_T);
  record.took = microseconds(handle, CURLINFO_TOTAL_TIME_T);

  // A head with a status of failure says more than that its body broke off.
  if (record.status >= 400 && !end.stopped) {
    const http::response_meaning said =
        http::meaning_of_response(record.status, headers, std::chrono::system_clock::now(), rules);
    if (said.fault)
      record.fault = after_redirect(*said.fault, info<long>(handle, CURLINFO_REDIRECT_COUNT) > 0);
    if (said.delay) {
      record.server_delay = said.delay->wait;
      record.delay_header = said.delay->header;
    }
    record.decided_by = said.decided_by;
  } else if (record.status == 0 && end.code == CURLE_OK && speaks_http(handle)) {
    record.error = {CURLE_WEIRD_SERVER_REPLY, 0, "the server's answer has no final status"};
    record.fault = fault{.kind = fault_kind::unknown, .effect = effect::possible};
  } else if (end.code != CURLE_OK) {
    record.fault = fault_without_answer(handle, end, guard, record);
  }
  return record;
}

bool speaks_http(CURL* handle) noexcept {
  const char* const scheme = info<const char*>(handle, CURLINFO_SCHEME);
  return scheme != nullptr && (http::same_name(scheme, "http") || http::same_name(scheme, "https"));
}

std::string_view http_version_of(CURL* handle) noexcept {
  switch (info<long>(handle, CURLINFO_HTTP_VERSION)) {
    case CURL_HTTP_VERSION_1_0: return "1.0";
    case CURL_HTTP_VERSION_1_1: return "1.1";
    case CURL_HTTP_VERSION_2_0: return "2";
    case CURL_HTTP_VERSION_3: return "3";
    default: return {};
  }
}

}  // namespace relent::curl::detail
