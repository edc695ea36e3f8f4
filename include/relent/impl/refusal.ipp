// SPDX-License-Identifier: Apache-2.0
// The error of a call that was refused before its first attempt.
#pragma once

#include <relent/refusal.hpp>

#include <string>

namespace relent {
namespace detail {

class refusal_category_type final : public std::error_category {
 public:
  const char* name() const noexcept override { return "relent"; }
  std::string message(int value) const override {
    if (value < 1 || value > stop_reason_count) return "not a refusal";
    return "refused before the first attempt: " + std::string(explain(static_cast<stop_reason>(value - 1)));
  }
};

}  // namespace detail

RELENT_INLINE const std::error_category& refusal_category() noexcept {
  static const detail::refusal_category_type category;
  return category;
}

RELENT_INLINE std::error_code make_refusal(stop_reason reason) noexcept {
  return {static_cast<int>(reason) + 1, refusal_category()};
}

RELENT_INLINE refused::refused(stop_reason reason)
    : std::system_error(make_refusal(reason)), reason_(reason) {}

namespace detail {

RELENT_INLINE void throw_refused(stop_reason reason) { throw refused(reason); }

}  // namespace detail

}  // namespace relent
