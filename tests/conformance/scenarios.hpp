// SPDX-License-Identifier: Apache-2.0
// The list of conformance scenarios: what every driver must do, the same for all. The scenarios are written
// down by subject in the headers included here; a driver joins by a runner that plays them on a stage.
#pragma once

#include "conformance/scenarios_fault.hpp"
#include "conformance/scenarios_order.hpp"
#include "conformance/scenarios_shared.hpp"
#include "conformance/scenarios_time.hpp"

#include <vector>

namespace relent::conformance {

inline std::vector<scenario> all_scenarios() {
  std::vector<scenario> all;
  const auto add = [&all](const auto& some) { all.insert(all.end(), std::begin(some), std::end(some)); };
  add(stop_reasons);
  add(order_of_questions);
  add(order_before_attempts);
  add(waits);
  add(deadlines);
  add(clocks);
  add(cancels);
  add(effects);
  add(server_errors);
  add(refreshes);
  add(breakers);
  add(budgets);
  add(sender_limits);
  add(nested_calls);
  return all;
}

}  // namespace relent::conformance
