// SPDX-License-Identifier: Apache-2.0
// A call: attempts on lent handles, run by the blocking driver.
#include <relent/curl/client.hpp>

#include "client_call.hpp"
#include "handle.hpp"
#include "handle_pool.hpp"
#include "origins.hpp"
#include "request_setup.hpp"

#include <relent/http/method.hpp>
#include <relent/retry.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

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

void tell(const call_options& asked, const response& result) {
  if (asked.report != nullptr) *asked.report = result.report;
}

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
  detail::check(options);
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
  detail::client_call call(state_->options, pool, what, repeatable || has_key, has_key, result,
                           shared.policy()->max_attempts, said.enclosed);
  try {
    static_cast<void>(
        shared.call([&call](const relent::attempt& in_hand) { return call.attempt(in_hand); }, said));
  } catch (const refused&) {
    tell(options, result);
    if (result.report.attempts > 0) throw;  // of a call that prepare made
  } catch (...) {
    tell(options, result);
    throw;
  }
  tell(options, result);
  if (call.thrown()) std::rethrow_exception(call.thrown());
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
