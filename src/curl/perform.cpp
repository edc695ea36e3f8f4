// SPDX-License-Identifier: Apache-2.0
// Retries around a handle that belongs to somebody else.
#include <relent/curl/perform.hpp>

#include "handle.hpp"
#include "record_keeping.hpp"
#include "transfer.hpp"

#include <relent/retry.hpp>

#include <optional>
#include <string>
#include <utility>

namespace relent::curl {
namespace {

using detail::resend_guard;

/// The headers of the latest answer, if it is a failure, without taking the handle's callback.
http::header_list headers_of_failure(CURL* handle) {
  http::header_list headers;
  if (detail::info<long>(handle, CURLINFO_RESPONSE_CODE) < 400) return headers;
  curl_header* one = nullptr;
  while ((one = curl_easy_nextheader(handle, CURLH_HEADER, -1, one)) != nullptr)
    headers.add(one->name, one->value);
  return headers;
}

struct outcome {
  std::optional<fault> failed;
  std::string text;

  friend std::optional<fault> relent_fault(const outcome& of) { return of.failed; }
  friend std::string relent_text(const outcome& of) { return of.text; }
};

std::string text_of(const transfer_record& record) {
  if (!record.fault) return {};
  return record.status >= 400 ? "HTTP " + std::to_string(record.status) : record.error.text;
}

/// The guard is bound to the handle no longer than it lives.
struct unbinding {
  CURL* handle;
  ~unbinding() {
    curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, static_cast<curl_prereq_callback>(nullptr));
    curl_easy_setopt(handle, CURLOPT_PREREQDATA, nullptr);
  }
};

class handle_call {
 public:
  handle_call(CURL* handle, const perform_options& options, call_options& said, performed& result)
      : handle_(handle), options_(options), said_(said), result_(result), connections_(options.connections) {
    if (connections_ != nullptr || !said.stop.has_token()) return;
    own_connections_ = detail::make_multi();
    connections_ = own_connections_.get();
  }

  outcome attempt(const relent::attempt& in_hand) {
    if (in_hand.is_retry() && options_.restart && !options_.restart(handle_)) return used_up();
    detail::set(handle_, CURLOPT_NOSIGNAL, 1L);
    detail::set(handle_, CURLOPT_QUICK_EXIT, 1L);
    detail::set(handle_, CURLOPT_TIMEOUT_MS, detail::milliseconds_of(in_hand.time_left()));
    detail::set(handle_, CURLOPT_CONNECTTIMEOUT_MS, detail::milliseconds_of(in_hand.time_left()));
    resend_guard guard;
    const unbinding at_the_end{handle_};
    guard.bind(handle_, {.method = true});
    guard.begin();
    if (elsewhere_) detail::set(handle_, CURLOPT_FRESH_CONNECT, 1L);
    const detail::transfer_end end = run(in_hand.stop());
    if (elsewhere_) detail::set(handle_, CURLOPT_FRESH_CONNECT, 0L);
    return keep(in_hand, end, guard);
  }

 private:
  detail::transfer_end run(const stop_handle& stop) {
    return detail::run_transfer(connections_, handle_, stop);
  }

  outcome keep(const relent::attempt& in_hand, const detail::transfer_end& end, const resend_guard& guard) {
    // Only now libcurl says with which method; the driver reads `repeat` when an attempt has failed.
    if (!options_.repeatable.value_or(detail::speaks_http(handle_) && guard.first_is_idempotent()))
      said_.repeat = repeat::only_if_no_effect;
    transfer_record record = record_of(handle_, end, guard, {.attempt = in_hand.number()},
                                       headers_of_failure(handle_), options_.rules);
    // The handle's own callbacks have read and written.
    if (record.fault && !options_.restart && record.body_bytes_sent + record.body_bytes_received > 0)
      record.fault->replayable = false;
    result_.code = static_cast<CURLcode>(record.error.code);
    result_.status = record.status;
    result_.fault = record.fault;
    elsewhere_ = record.status == 421 || (record.status == 0 && record.fault && !record.new_connection);
    outcome of{record.fault, text_of(record)};
    detail::keep_record(result_.transfers, std::move(record));
    return of;
  }

  outcome used_up() {
    if (!result_.fault) result_.fault = fault{.kind = fault_kind::rejected, .local = true};
    result_.fault->replayable = false;
    return {result_.fault, "what the attempt before read or wrote cannot be taken back"};
  }

  CURL* handle_;
  const perform_options& options_;
  call_options& said_;
  performed& result_;
  detail::multi_handle own_connections_;
  CURLM* connections_;
  bool elsewhere_ = false;  // the next attempt goes over a new connection
};

}  // namespace

performed perform(CURL* handle, relent::dependency& shared, const perform_options& options) {
  detail::require_libcurl();
  performed result;
  call_options said = options.call;
  said.report = &result.report;
  handle_call call(handle, options, said, result);
  try {
    static_cast<void>(
        shared.call([&call](const relent::attempt& in_hand) { return call.attempt(in_hand); }, said));
  } catch (const refused&) {
    if (result.report.attempts > 0) throw;  // of a call that the hook made
  }
  if (options.call.report != nullptr) *options.call.report = result.report;
  return result;
}

}  // namespace relent::curl
