// SPDX-License-Identifier: Apache-2.0
// One call of a client: its attempts on lent handles, and the response that they leave.
#pragma once

#include "exchange.hpp"
#include "handle.hpp"
#include "handle_pool.hpp"
#include "origins.hpp"
#include "record_keeping.hpp"
#include "request_setup.hpp"
#include "transfer.hpp"

#include <relent/curl/client.hpp>
#include <relent/retry.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace relent::curl::detail {

/// What an attempt came to, as the driver wants it.
struct attempt_outcome {
  std::optional<fault> failed;
  std::string_view text;

  friend std::optional<fault> relent_fault(const attempt_outcome& of) { return of.failed; }
  friend std::string relent_text(const attempt_outcome& of) { return std::string(of.text); }
};

/// One call.
class client_call {
 public:
  client_call(const client_options& options, handle_pool& pool, const request& what, bool repeatable,
              bool keyed, response& result, std::uint32_t max_attempts, bool enclosed)
      : options_(options),
        pool_(pool),
        what_(what),
        repeatable_(repeatable),
        keyed_(keyed),
        result_(result),
        max_attempts_(max_attempts),
        enclosed_(enclosed),
        limits_{options.max_body, options.max_head},
        body_(what.body),
        headers_(with_defaults(what.headers, options.headers)) {}

  attempt_outcome attempt(const relent::attempt& in_hand) {
    if (!body_.begin()) return used_up();
    http::header_list headers = headers_;
    if (without_expect_) headers.remove("expect");
    add_key(headers, in_hand);
    add_propagation(headers, in_hand);
    if (what_.prepare) {
      what_.prepare(headers, in_hand);
      check(headers, what_);
    }
    if (keyed_) check_key(headers);
    return transfer(in_hand, headers);
  }

  /// What a body, a sink or on_attempt threw; the call's caller gets it.
  const std::exception_ptr& thrown() const noexcept { return thrown_; }

 private:
  template <class Action>
  void guarded(Action&& action) {
    if (thrown_) return;
    try {
      action();
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  attempt_outcome transfer(const relent::attempt& in_hand, const http::header_list& headers) {
    const handle_pool::lease lent(pool_);
    CURL* const handle = lent->easy.get();
    string_list lines;
    set_options(*lent, headers, lines);
    set_times(*lent, in_hand.time_left());
    exchange& io = lent->io;
    io.begin(handle, what_, body_, limits_, lent->closes);
    lent->closes.begin();
    lent->guard.begin();
    lent->error_text.front() = '\0';

    transfer_end end = run_transfer(lent->connections.get(), handle, in_hand.stop());
    if (end.code == CURLE_OK && lent->closes.missed()) {
      end.code = CURLE_PARTIAL_FILE;
      say(*lent, "the connection ended without a TLS close: the body may be cut short");
    }
    transfer_record record = record_of(handle, end, lent->guard,
                                       {.attempt = in_hand.number(),
                                        .body_is_complete = body_.complete(),
                                        .error_text = lent->error_text.data()},
                                       io.headers(), options_.rules);
    note_excess(record, io);
    thrown_ = io.thrown();
    const bool succeeded = !record.fault;
    if (succeeded) guarded([&] { io.complete(); });
    keep(handle, io, std::move(record));
    if (what_.on_attempt) guarded([&] { what_.on_attempt(result_.transfers.back()); });
    // Whatever it means elsewhere: it says nothing about the server, which has the request.
    if (thrown_)
      result_.fault =
          fault{.kind = fault_kind::rejected, .effect = effect::possible, .transient = false, .local = true};
    return {result_.fault, text_};
  }

  void set_options(connected_handle& lent, const http::header_list& headers, string_list& lines) const {
    CURL* const handle = lent.easy.get();
    const bool plain = !elsewhere_ && repeatable_ && is_plain(what_, headers);
    if (plain && lent.is_plain) {
      if (lent.url != what_.url) set(handle, CURLOPT_URL, what_.url.c_str());
    } else {
      if (lent.is_plain) lent.forget_options();
      describe(handle, what_, options_, body_, headers, expected() && !without_expect_, lines);
      if (elsewhere_) set(handle, CURLOPT_FRESH_CONNECT, 1L);
      set(handle, CURLOPT_ERRORBUFFER, lent.error_text.data());
      lent.io.bind(handle, body_.exists());
      lent.closes.bind(handle);
      if (what_.configure) what_.configure(handle);
      lent.guard.bind(handle, {.refused_stream = !repeatable_});
    }
    lent.url = what_.url;
    lent.is_plain = plain && !lines;  // the list does not outlive the attempt
  }

  static void say(connected_handle& lent, std::string_view text) {
    lent.error_text[text.copy(lent.error_text.data(), lent.error_text.size() - 1)] = '\0';
  }

  void set_times(connected_handle& lent, duration left) const {
    const duration connecting = std::min(left, what_.connect_timeout.value_or(options_.connect_timeout));
    const long all_ms = milliseconds_of(left);
    const long connect_ms = milliseconds_of(connecting);
    if (lent.timeout_ms != all_ms) set(lent.easy.get(), CURLOPT_TIMEOUT_MS, all_ms);
    if (lent.connect_timeout_ms != connect_ms) set(lent.easy.get(), CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
    lent.timeout_ms = all_ms;
    lent.connect_timeout_ms = connect_ms;
  }

  void add_key(http::header_list& headers, const relent::attempt& in_hand) const {
    if (!what_.idempotency_key || headers.contains("idempotency-key")) return;
    headers.add("Idempotency-Key",
                http::write_idempotency_key(in_hand.idempotency_key(), *what_.idempotency_key));
  }

  void add_propagation(http::header_list& headers, const relent::attempt& in_hand) {
    if (options_.propagation == http::propagation{}) return;
    if (invocation_.empty()) {
      thread_random own;
      invocation_ = std::string(idempotency_key::make(std::chrono::system_clock::now(), own).text());
    }
    const duration left = in_hand.time_left();
    http::add_propagation(headers, options_.propagation,
                          {.number = in_hand.number(),
                           .max_attempts = max_attempts_,
                           .time_left = left == max_duration ? std::nullopt : std::optional(left),
                           .invocation_id = invocation_,
                           .wall_now = {},
                           .enclosed = enclosed_});
  }

  /// What makes the call repeatable must reach the server, the same in every attempt.
  void check_key(const http::header_list& headers) {
    const std::vector<std::string_view> keys = headers.all("idempotency-key");
    if (keys.size() != 1 || keys.front().empty() || (!sent_key_.empty() && keys.front() != sent_key_))
      throw std::invalid_argument(
          "relent: the headers must have one Idempotency-Key, the same in every attempt");
    sent_key_ = keys.front();
  }

  /// A limit of ours ended the transfer: trying again would end the same way.
  static void note_excess(transfer_record& record, const exchange& io) {
    if (io.excess().empty()) return;
    record.error.text = io.excess();
    record.fault = fault{.kind = fault_kind::rejected, .effect = effect::possible, .local = true};
  }

  /// Whether a 100 is asked for before the body: for long ones and those of unknown length, or if a header says so.
  bool expected() const {
    constexpr std::uint64_t long_body = std::uint64_t{1} << 20U;
    if (!body_.exists()) return false;
    return headers_.contains("expect") || !body_.size() || *body_.size() >= long_body;
  }

  /// The response as this attempt leaves it.
  void keep(CURL* handle, exchange& io, transfer_record record) {
    // The expectation was refused, not the request, which goes again without it (RFC 9110 section 10.1.1).
    const bool redirected = info<long>(handle, CURLINFO_REDIRECT_COUNT) > 0;
    if (record.status == 417 && !redirected && expected() && !std::exchange(without_expect_, true))
      record.fault = fault{.kind = fault_kind::not_processed, .effect = effect::none};
    // Renewed credentials would send it again from the beginning.
    if (redirected && !repeatable_ && record.fault && record.fault->kind == fault_kind::unauthenticated)
      record.fault->kind = fault_kind::rejected;
    if (record.fault && !body_.replayable()) record.fault->replayable = false;
    // Misdirected (RFC 9110 section 15.5.20), or broken in a way that libcurl may not have noticed.
    elsewhere_ = record.status == 421 || (record.status == 0 && record.fault && !record.new_connection);
    if (record.status == 0) {
      io.headers().clear();
      io.body().clear();
    }
    result_.status = record.status;
    result_.fault = record.fault;
    result_.error = record.error;
    result_.headers = std::move(io.headers());
    result_.body = std::move(io.body());
    result_.body_is_cut = io.body_is_cut() || (record.fault && record.status > 0 && record.status < 400);
    result_.http_version = http_version_of(handle);
    const char* const url = info<const char*>(handle, CURLINFO_EFFECTIVE_URL);
    if (url != nullptr && result_.url != url) result_.url = without_userinfo(url);
    if (record.fault) {
      result_.problem =
          http::parse_problem_details(result_.headers.first("content-type").value_or(""), result_.body);
      text_ = result_.what();
    }
    keep_record(result_.transfers, std::move(record));
  }

  /// The body of the attempt before cannot be had again, which was not known when that attempt failed.
  attempt_outcome used_up() {
    if (!result_.fault)
      result_.fault = fault{.kind = fault_kind::rejected, .effect = effect::none, .local = true};
    result_.fault->replayable = false;
    if (text_.empty()) text_ = "the body cannot be read from its beginning";
    return {result_.fault, text_};
  }

  const client_options& options_;
  handle_pool& pool_;
  const request& what_;
  const bool repeatable_;
  const bool keyed_;  // by a key that the server gets
  response& result_;
  const std::uint32_t max_attempts_;
  const bool enclosed_;
  const limits limits_;
  body_replay body_;
  const http::header_list headers_;
  std::exception_ptr thrown_;
  std::string sent_key_;
  std::string invocation_;
  std::string text_;
  bool without_expect_ = false;
  bool elsewhere_ = false;  // the next attempt goes over a new connection
};

}  // namespace relent::curl::detail
