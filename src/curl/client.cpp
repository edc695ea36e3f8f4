// SPDX-License-Identifier: Apache-2.0
// A call: attempts on lent handles, run by the blocking driver.
#include <relent/curl/client.hpp>

#include "exchange.hpp"
#include "handle.hpp"
#include "handle_pool.hpp"
#include "origins.hpp"
#include "record_keeping.hpp"
#include "request_setup.hpp"
#include "transfer.hpp"

#include <relent/http/method.hpp>
#include <relent/retry.hpp>

#include <algorithm>
#include <utility>

namespace relent::curl {

struct client::state {
  explicit state(client_options from)
      : options(std::move(from)),
        pool(options.idle_handles, false),
        stoppable_pool(options.idle_handles, true),
        dependencies(options.dependency, options.max_origins) {}

  client_options options;
  // Two, because a connection is bound to the kind of handle that opened it.
  detail::handle_pool pool;
  detail::handle_pool stoppable_pool;
  detail::origins dependencies;
};

namespace {

using detail::body_replay;
using detail::exchange;
using detail::handle_pool;

/// What an attempt came to, as the driver wants it.
struct outcome {
  std::optional<fault> failed;
  std::string_view text;

  friend std::optional<fault> relent_fault(const outcome& of) { return of.failed; }
  friend std::string relent_text(const outcome& of) { return std::string(of.text); }
};

/// One call.
class exchange_call {
 public:
  exchange_call(const client_options& options, handle_pool& pool, const request& what, bool repeatable,
                response& result, std::uint32_t max_attempts, bool enclosed)
      : options_(options),
        pool_(pool),
        what_(what),
        repeatable_(repeatable),
        result_(result),
        max_attempts_(max_attempts),
        enclosed_(enclosed),
        limits_{options.max_body, options.max_head},
        body_(what.body),
        headers_(detail::with_defaults(what.headers, options.headers)) {}

  outcome attempt(const relent::attempt& in_hand) {
    if (!body_.begin()) return used_up();
    http::header_list headers = headers_;
    if (without_expect_) headers.remove("expect");
    add_key(headers, in_hand);
    add_propagation(headers, in_hand);
    if (what_.prepare) {
      what_.prepare(headers, in_hand);
      check_prepared(headers);
    }
    return transfer(in_hand, headers);
  }

 private:
  outcome transfer(const relent::attempt& in_hand, const http::header_list& headers) {
    const handle_pool::lease lent(pool_);
    CURL* const handle = lent->easy.get();
    detail::string_list lines;
    set_options(*lent, headers, lines);
    set_times(*lent, in_hand.time_left());
    exchange& io = lent->io;
    io.begin(handle, what_, body_, limits_, lent->closes);
    lent->closes.begin();
    lent->guard.begin();
    lent->error_text.front() = '\0';

    detail::transfer_end end = detail::run_transfer(lent->connections.get(), handle, in_hand.stop());
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
    if (!record.fault && !io.thrown()) io.complete();
    keep(handle, io, std::move(record));
    if (io.thrown()) std::rethrow_exception(io.thrown());
    if (what_.on_attempt) what_.on_attempt(result_.transfers.back());
    return {result_.fault, text_};
  }

  void set_options(detail::connected_handle& lent, const http::header_list& headers,
                   detail::string_list& lines) const {
    CURL* const handle = lent.easy.get();
    const bool plain = !elsewhere_ && repeatable_ && detail::is_plain(what_, headers);
    if (plain && lent.is_plain) {
      if (lent.url != what_.url) detail::set(handle, CURLOPT_URL, what_.url.c_str());
    } else {
      if (lent.is_plain) lent.forget_options();
      detail::describe(handle, what_, options_, body_, headers, expected() && !without_expect_, lines);
      if (elsewhere_) detail::set(handle, CURLOPT_FRESH_CONNECT, 1L);
      detail::set(handle, CURLOPT_ERRORBUFFER, lent.error_text.data());
      lent.io.bind(handle, body_.exists());
      lent.closes.bind(handle);
      if (what_.configure) what_.configure(handle);
      lent.guard.bind(handle, {.refused_stream = !repeatable_});
    }
    lent.url = what_.url;
    lent.is_plain = plain && !lines;  // the list does not outlive the attempt
  }

  static void say(detail::connected_handle& lent, std::string_view text) {
    lent.error_text[text.copy(lent.error_text.data(), lent.error_text.size() - 1)] = '\0';
  }

  void set_times(detail::connected_handle& lent, duration left) const {
    const duration connecting = std::min(left, what_.connect_timeout.value_or(options_.connect_timeout));
    const long all_ms = detail::milliseconds_of(left);
    const long connect_ms = detail::milliseconds_of(connecting);
    if (lent.timeout_ms != all_ms) detail::set(lent.easy.get(), CURLOPT_TIMEOUT_MS, all_ms);
    if (lent.connect_timeout_ms != connect_ms)
      detail::set(lent.easy.get(), CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
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

  static void check_prepared(const http::header_list& headers) {
    request prepared;
    prepared.headers = headers;
    detail::check(prepared);
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
    if (record.status == 417 && expected() && !std::exchange(without_expect_, true))
      record.fault = fault{.kind = fault_kind::not_processed, .effect = effect::none};
    if (record.fault && !body_.replayable()) record.fault->replayable = false;
    elsewhere_ = record.status == 421;  // misdirected: another connection (RFC 9110 section 15.5.20)
    result_.status = record.status;
    result_.fault = record.fault;
    result_.error = record.error;
    result_.headers = std::move(io.headers());
    result_.body = std::move(io.body());
    result_.body_is_cut = io.body_is_cut() || (record.fault && record.status > 0 && record.status < 400);
    result_.http_version = detail::http_version_of(handle);
    const char* const url = detail::info<const char*>(handle, CURLINFO_EFFECTIVE_URL);
    if (url != nullptr && result_.url != url) result_.url = url;
    if (record.fault) {
      result_.problem =
          http::parse_problem_details(result_.headers.first("content-type").value_or(""), result_.body);
      text_ = result_.what();
    }
    detail::keep_record(result_.transfers, std::move(record));
  }

  /// The body of the attempt before cannot be had again, which was not known when that attempt failed.
  outcome used_up() {
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
  response& result_;
  const std::uint32_t max_attempts_;
  const bool enclosed_;
  const detail::limits limits_;
  body_replay body_;
  const http::header_list headers_;
  std::string invocation_;
  std::string text_;
  bool without_expect_ = false;
  bool elsewhere_ = false;  // the next attempt goes over a new connection
};

request with_content(std::string_view method, std::string_view url, std::string_view content,
                     std::string_view content_type) {
  request what;
  what.method = method;
  what.url = url;
  what.headers.add("Content-Type", content_type);
  what.body = borrowed_body(content);
  return what;
}

request without_content(std::string_view method, std::string_view url) {
  request what;
  what.method = method;
  what.url = url;
  return what;
}

}  // namespace

client::client(client_options options) {
  detail::require_libcurl();
  state_ = std::make_unique<state>(std::move(options));
}

client::~client() = default;

response client::send(const request& what, const call_options& options) {
  detail::check(what);
  const bool repeatable = what.repeatable.value_or(http::is_idempotent(what.method));
  const std::string key = detail::own_key(what);
  const std::shared_ptr<dependency> own =
      state_->options.shared_dependency != nullptr ? nullptr : state_->dependencies.of(what.url);
  dependency& shared = own ? *own : *state_->options.shared_dependency;

  response result;
  call_options said = options;
  said.report = &result.report;
  if (!repeatable) said.repeat = repeat::only_if_no_effect;
  // A key counts if the server gets it, and only then.
  if (!key.empty())
    said.idempotency_key = std::string_view(key);
  else if (!what.idempotency_key)
    said.idempotency_key = relent::nullopt;
  const bool has_key = said.idempotency_key || what.idempotency_key;
  detail::handle_pool& pool = said.stop.has_token() ? state_->stoppable_pool : state_->pool;
  exchange_call call(state_->options, pool, what, repeatable || has_key, result,
                     shared.policy()->max_attempts, said.enclosed);
  try {
    static_cast<void>(
        shared.call([&call](const relent::attempt& in_hand) { return call.attempt(in_hand); }, said));
  } catch (const refused&) {
    if (result.report.attempts > 0) throw;  // of a call that a body, a sink or prepare made
  }
  if (options.report != nullptr) *options.report = result.report;
  return result;
}

response client::get(std::string_view url, const call_options& options) {
  return send(without_content("GET", url), options);
}

response client::head(std::string_view url, const call_options& options) {
  return send(without_content("HEAD", url), options);
}

response client::put(std::string_view url, std::string_view content, std::string_view content_type,
                     const call_options& options) {
  return send(with_content("PUT", url, content, content_type), options);
}

response client::post(std::string_view url, std::string_view content, std::string_view content_type,
                      const call_options& options) {
  return send(with_content("POST", url, content, content_type), options);
}

response client::post_with_key(std::string_view url, std::string_view content, std::string_view content_type,
                               http::key_style style, const call_options& options) {
  request what = with_content("POST", url, content, content_type);
  what.idempotency_key = style;
  return send(what, options);
}

response client::patch(std::string_view url, std::string_view content, std::string_view content_type,
                       const call_options& options) {
  return send(with_content("PATCH", url, content, content_type), options);
}

response client::remove(std::string_view url, const call_options& options) {
  return send(without_content("DELETE", url), options);
}

std::shared_ptr<dependency> client::dependency_of(std::string_view url) {
  if (state_->options.shared_dependency != nullptr) {
    static_cast<void>(origin_of(url));
    return {std::shared_ptr<void>(), state_->options.shared_dependency};
  }
  return state_->dependencies.of(url);
}

}  // namespace relent::curl
