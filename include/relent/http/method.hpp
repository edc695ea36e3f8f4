// SPDX-License-Identifier: Apache-2.0
// What a request's method promises: whether it changes anything, and whether twice is as good as once.
// What follows for a retry is decided by the engine. Target relent::http.
#pragma once

#include <relent/version.hpp>

#include <span>
#include <string_view>

namespace relent::http {

/// One method and what it promises (RFC 9110 section 9.2).
struct method_row {
  std::string_view name;
  bool safe;        ///< asks for no change
  bool idempotent;  ///< asked for twice, it has the effect of once; every safe method is
};

/// The methods that are known here. Thread-safe.
std::span<const method_row> methods() noexcept;

/// Whether the method asks for no change (RFC 9110 section 9.2.1). Names are case-sensitive (section 9.1); an
/// unknown one is not safe. Thread-safe.
bool is_safe(std::string_view method) noexcept;

/// Whether the method may be repeated whatever became of the first request (RFC 9110 section 9.2.2). Names are
/// case-sensitive; an unknown one is not idempotent. Thread-safe.
bool is_idempotent(std::string_view method) noexcept;

}  // namespace relent::http
