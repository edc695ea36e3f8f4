// SPDX-License-Identifier: Apache-2.0
// What a response's status says about retrying, taken alone. What header fields add is in response_fault.hpp.
// Target relent::http.
#pragma once

#include <relent/fault.hpp>
#include <relent/version.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace relent::http {

/// One status from 400 on and the fault that it is.
struct status_row {
  int status;
  fault_kind kind;
  relent::effect effect;          ///< whether the work may have been done
  std::optional<bool> transient;  ///< where what the kind says is wrong for this status
  std::string_view note;          ///< why, or what defines it
};

/// Every registered status from 400 on (RFC 9110 section 15 and the registry that it founds), and some that are
/// in use without being registered; by number. Thread-safe.
std::span<const status_row> statuses() noexcept;

/// The fault that a final response of this status is; nothing from 100 to 399. An unknown status counts as
/// the first of its class, 400 or 500, and one that is none at all (below 100, above 599) as 500
/// (RFC 9110 section 15). Thread-safe.
std::optional<fault> fault_of_status(int status) noexcept;

}  // namespace relent::http
