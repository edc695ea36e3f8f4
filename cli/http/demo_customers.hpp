// SPDX-License-Identifier: Apache-2.0
// The two ways of placing an order in `relent demo`: the loop that many write, and Relent with its defaults. Both by
// the same HTTP client, so that they differ in what they repeat and when. Layer 5.
#pragma once

#include "demo_plan.hpp"

#include <relent/curl/client.hpp>

#include <cstdint>
#include <stop_token>
#include <string>

namespace relent::cli {

/// Thread-safe.
class demo_customers {
 public:
  demo_customers() = default;
  demo_customers(const demo_customers&) = delete;
  demo_customers& operator=(const demo_customers&) = delete;
  virtual ~demo_customers() = default;

  /// Whether the order was confirmed.
  virtual bool place(std::uint32_t number, std::stop_token stop) = 0;
};

/// Sends a POST again after every failure: at a fixed interval, so many times, as if it were new each time.
class naive_customers final : public demo_customers {
 public:
  /// The address is that of the orders.
  naive_customers(const demo_plan& plan, std::string url);
  bool place(std::uint32_t number, std::stop_token stop) override;

 private:
  demo_plan plan_;
  std::string url_;
  curl::client client_;
};

/// Default policy, default budget, an idempotency key.
class relent_customers final : public demo_customers {
 public:
  relent_customers(const demo_plan& plan, std::string url);
  bool place(std::uint32_t number, std::stop_token stop) override;

 private:
  std::string url_;
  curl::client client_;
};

}  // namespace relent::cli
