// SPDX-License-Identifier: Apache-2.0
// What is known of one key: its counts, its walks, and what an Idempotency-Key protects.
#pragma once

#include <relent/testing/fault_server.hpp>

#include <map>
#include <optional>

#include "script.hpp"
#include "walk.hpp"

namespace relent::testing::faults {

/// All that is known of one key.
struct key_entry {
  key_counts counts = {};
  std::map<const walk_script*, walk> walks = {};
  std::optional<std::uint64_t> first_body = std::nullopt;
  // Of requests with an Idempotency-Key:
  bool executed = false;
  std::uint64_t request_print = 0;            ///< of what was executed: method, target, body
  std::optional<step> stored = std::nullopt;  ///< the answer that was made by the execution
  time_point busy_until = time_point::min();
};

}  // namespace relent::testing::faults
