// SPDX-License-Identifier: Apache-2.0
// What a call, or a dependency, says of exceptions. A thrown type is not known at compile time, so no hook
// beside it can be found; a classifier names the types. Ready ones: retry_on in classify.hpp. Layer 0.
#pragma once

#include <relent/fault.hpp>
#include <relent/optional.hpp>

#include <concepts>
#include <exception>
#include <type_traits>

namespace relent {

namespace detail {

template <class F>
concept judges_exceptions = requires(const F& judge, const std::exception_ptr& exception) {
  { judge(exception) } -> std::convertible_to<optional<fault>>;
};

template <class F>
concept judge_without_state =
    judges_exceptions<F> && std::is_empty_v<F> && std::is_default_constructible_v<F>;

}  // namespace detail

/// Looks at an exception before the usual classification; nothing means "not mine".
/// A function, or a lambda without captures, that takes a const std::exception_ptr& and returns a
/// std::optional<fault>. One that throws has said nothing. A plain value.
class exception_classifier {
 public:
  using function = optional<fault> (*)(const std::exception_ptr&);

  constexpr exception_classifier() noexcept = default;
  constexpr exception_classifier(function classify) noexcept : classify_(classify) {}
  template <detail::judge_without_state Lambda>
  constexpr exception_classifier(Lambda) noexcept
      : classify_(
            [](const std::exception_ptr& exception) -> optional<fault> { return Lambda{}(exception); }) {}

  constexpr explicit operator bool() const noexcept { return classify_ != nullptr; }
  optional<fault> operator()(const std::exception_ptr& exception) const { return classify_(exception); }

 private:
  function classify_ = nullptr;
};

}  // namespace relent
