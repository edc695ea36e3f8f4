// SPDX-License-Identifier: Apache-2.0
// Placing an order.
#include "demo_customers.hpp"

#include <relent/retry.hpp>

#include <curl/curl.h>

#include <utility>

namespace relent::cli {
namespace {

constexpr std::string_view order = R"({"item": "tea", "quantity": 1})";
constexpr std::string_view order_type = "application/json";

/// As client::post makes it, and never by way of a proxy, which may be set for this machine.
curl::request post_of_an_order(std::string url) {
  return {.method = "POST",
          .url = std::move(url),
          .headers = {{"Content-Type", std::string(order_type)}},
          .body = curl::borrowed_body(order),
          .configure = [](void* handle) { curl_easy_setopt(handle, CURLOPT_NOPROXY, "*"); }};
}

/// A client that never retries by itself.
curl::client_options single_attempts(const demo_plan& plan) {
  return {.dependency = {.policy = {{.max_attempts = 1}}, .budget = budget::none()},
          .idle_handles = plan.clients};
}

curl::client_options defaults(const demo_plan& plan) { return {.idle_handles = plan.clients}; }

}  // namespace

naive_customers::naive_customers(const demo_plan& plan, std::string url)
    : plan_(plan), url_(std::move(url)), client_(single_attempts(plan)) {}

bool naive_customers::place(std::uint32_t number, std::stop_token stop) {
  for (std::uint32_t attempt = 1; !stop.stop_requested(); ++attempt) {
    const curl::request again = post_of_an_order(url_ + "?key=" + order_name(number));  // to count it by
    if (client_.send(again, {.stop = stop}).ok()) return true;
    if (attempt == plan_.naive_attempts) return false;
    steady_clock().wait_until(saturating_add(steady_clock().now(), plan_.naive_pause), stop);
  }
  return false;
}

relent_customers::relent_customers(const demo_plan& plan, std::string url)
    : url_(std::move(url)), client_(defaults(plan)) {}

bool relent_customers::place(std::uint32_t number, std::stop_token stop) {
  const std::string key = order_name(number);
  const call_options call{.stop = stop, .idempotency_key = std::string_view(key)};
  curl::request once = post_of_an_order(url_);
  once.idempotency_key = http::key_style::quoted;
  return client_.send(once, call).ok();
}

}  // namespace relent::cli
