// SPDX-License-Identifier: Apache-2.0
// The error of a call that was refused before its first attempt: the only error of our own. Layer 0.
#pragma once

#include <relent/event.hpp>
#include <relent/version.hpp>

#include <system_error>

namespace relent {

/// Why a call was refused before its first attempt; thrown, as there is no real error to give back. A result
/// type that can be made from its code() gets that instead: std::error_code, and expected-like types
/// whose error is constructible from a std::error_code.
class refused : public std::system_error {
 public:
  explicit refused(stop_reason reason);
  stop_reason reason() const noexcept { return reason_; }

 private:
  stop_reason reason_;
};

/// The category "relent"; the values are those of stop_reason plus one.
const std::error_category& refusal_category() noexcept;

/// The error code of a refusal for this reason.
std::error_code make_refusal(stop_reason reason) noexcept;

namespace detail {

/// Throws `refused`. Out of line, so that call sites stay small.
[[noreturn]] void throw_refused(stop_reason reason);

}  // namespace detail

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/refusal.ipp>  // IWYU pragma: export
#endif
