// SPDX-License-Identifier: Apache-2.0
// Reading the names of jitters and growths.
#pragma once

#include <relent/backoff.hpp>

namespace relent {

RELENT_INLINE optional<jitter> jitter_from(std::string_view name) noexcept {
  for (int i = 0; i < jitter_count; ++i)
    if (to_string(static_cast<jitter>(i)) == name) return static_cast<jitter>(i);
  return nullopt;
}

RELENT_INLINE optional<growth> growth_from(std::string_view name) noexcept {
  for (int i = 0; i < growth_count; ++i)
    if (to_string(static_cast<growth>(i)) == name) return static_cast<growth>(i);
  return nullopt;
}

}  // namespace relent
