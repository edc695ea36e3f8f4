// SPDX-License-Identifier: Apache-2.0
// Placing an order.
#include "demo_customers.hpp"

#include <relent/retry.hpp>

#include <utility>

namespace relent::cli {
namespace {

constexpr std::string_view order = R"({"item": "tea", "quantity": 1})";
constexpr std::string_view order_type = "application/json";

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
  const std::string url = url_ + "?key=" + order_name(number);  // for the server's counts
  for (std::uint32_t attempt = 1; !stop.stop_requested(); ++attempt) {
    if (client_.post(url, order, order_type, {.stop = stop}).ok()) return true;
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
  return client_.post_with_key(url_, order, order_type, http::key_style::quoted, call).ok();
}

}  // namespace relent::cli
