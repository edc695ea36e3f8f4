// SPDX-License-Identifier: Apache-2.0
// What happens in `relent demo`: how many orders come, what the server can take, when it is down. Layer 5.
#pragma once

#include <relent/time.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace relent::cli {

/// The circumstances, the same without Relent and with it.
struct demo_plan {
  std::uint32_t orders_per_second = 60;
  std::uint32_t capacity = 100;  ///< requests that the server can take in a second
  double rejection_cost = 0.25;  ///< what turning one away costs it, in requests
  double answers_lost = 0.05;    ///< the share of orders done whose answer never arrives
  duration outage_from = std::chrono::seconds{3};
  duration outage_to = std::chrono::seconds{6};
  duration end = std::chrono::seconds{15};      ///< no new orders from then on
  duration window = std::chrono::seconds{1};    ///< over which rates are looked at
  duration patience = std::chrono::seconds{5};  ///< for the orders under way at the end
  std::uint32_t naive_attempts = 10;
  duration naive_pause = std::chrono::milliseconds{100};
  std::uint32_t clients = 64;
  std::uint64_t seed = 1;

  /// In a sixth of the time, for tests.
  static demo_plan fast();

  std::uint32_t orders() const;
  std::vector<std::string> scripts() const;
};

/// What an order is called, as idempotency key and in the server's counts.
std::string order_name(std::uint32_t number);

}  // namespace relent::cli
