// SPDX-License-Identifier: Apache-2.0
// The plan as the server's scripts.
#include "demo_plan.hpp"

#include <relent/duration_text.hpp>

#include <fmt/format.h>

namespace relent::cli {

demo_plan demo_plan::fast() {
  using std::chrono::milliseconds;
  return {.outage_from = milliseconds{500},
          .outage_to = milliseconds{1200},
          .end = milliseconds{2700},
          .window = milliseconds{500},
          .patience = milliseconds{1500},
          .naive_pause = milliseconds{60}};
}

std::uint32_t demo_plan::orders() const {
  return static_cast<std::uint32_t>(orders_per_second * end / duration{std::chrono::seconds{1}});
}

std::vector<std::string> demo_plan::scripts() const {
  return {fmt::format("capacity={}/s, cost={}", capacity, rejection_cost),
          fmt::format("outage={}..{}", to_text(outage_from), to_text(outage_to)),
          fmt::format("/orders: random(200:{}, reset:{})", 1 - answers_lost, answers_lost)};
}

std::string order_name(std::uint32_t number) { return fmt::format("order-{}", number); }

}  // namespace relent::cli
