// SPDX-License-Identifier: Apache-2.0
// Reading the names of faults.
#pragma once

#include <relent/fault.hpp>

namespace relent {

RELENT_INLINE optional<fault_kind> fault_kind_from(std::string_view name) noexcept {
  for (int i = 0; i < fault_kind_count; ++i)
    if (to_string(static_cast<fault_kind>(i)) == name) return static_cast<fault_kind>(i);
  return nullopt;
}

}  // namespace relent
