// SPDX-License-Identifier: Apache-2.0
// Whether an operation's result is a success, by the shape of its type: expected-like types, error codes,
// values that carry a status, an optional fault. No expected type is named here; whatever looks like one is
// one. Layer 1.
//
// A result type that carries a status says so by the same hook as an error type, with an optional fault:
//     std::optional<relent::fault> relent_fault(const my_response&);     // nothing: a success
#pragma once

#include <relent/classify.hpp>
#include <relent/event.hpp>
#include <relent/fault.hpp>
#include <relent/optional.hpp>
#include <relent/refusal.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace relent {

/// std::expected, tl::expected, boost::outcome's result, your own.
template <class R>
concept expected_like = requires(const R& result) {
  { result.has_value() } -> std::convertible_to<bool>;
  result.error();
};

/// A value whose type has the hook with an optional fault.
template <class R>
concept carries_status = requires(const R& result) {
  { relent_fault(result) } -> detail::optional_like<fault>;
};

namespace detail {

template <class R>
inline constexpr bool error_is_classified = true;
template <expected_like R>
inline constexpr bool error_is_classified<R> =
    is_classified<std::remove_cvref_t<decltype(std::declval<const R&>().error())>>;

/// Refuses results that fault_in would have to guess at. Apart from it, so that a driver can ask at the
/// caller's line.
template <class R>
struct judged_result {
  static_assert(
      !std::same_as<R, bool>,
      "relent: a bare bool does not say what went wrong. Return std::expected, std::error_code or a type "
      "with a relent_fault hook, throw, or wrap the operation in relent::classified(operation, judge).");
  static_assert(
      carries_status<R> || error_is_classified<R>,
      "relent: nobody has said what this error type means. Beside the type, in its namespace, write: "
      "relent::fault relent_fault(const your_error&);");
  static_assert(
      carries_status<R> || expected_like<R> || !has_fault_hook<R>,
      "relent: the relent_fault of this result type makes a fault of every result. To say that a result "
      "is a success it must return std::optional<relent::fault>.");
  static_assert(
      !std::same_as<R, fault> && !std::same_as<R, fault_kind>,
      "relent: an operation that returns a fault never succeeds. Return std::optional<relent::fault>.");
  static constexpr bool known = true;
};

/// The fault in a result, nothing if it is a success.
template <class R>
optional<fault> fault_in(const R& result) {
  if constexpr (carries_status<R>) {
    return relent_fault(result);
  } else if constexpr (expected_like<R>) {
    if (result.has_value()) return nullopt;
    if constexpr (error_is_classified<R>)
      return fault_of(result.error());
    else
      return fault{};  // refused by judged_result
  } else if constexpr (optional_like<R, fault>) {
    return result;
  } else if constexpr (std::convertible_to<const R&, std::error_code>) {
    const std::error_code code = result;
    return code ? optional(fault_of(code)) : nullopt;
  } else {
    return nullopt;
  }
}

/// An error value in its own words, as far as its type has any.
template <class E>
std::string text_of_error(const E& error) {
  if constexpr (requires {
                  { relent_text(error) } -> std::convertible_to<std::string>;
                })
    return relent_text(error);
  else if constexpr (std::convertible_to<const E&, std::string_view>)
    return std::string(std::string_view(error));
  else if constexpr (requires {
                       { error.message() } -> std::convertible_to<std::string>;
                     })
    return error.message();
  else if constexpr (std::is_error_code_enum_v<E>)
    return make_error_code(error).message();
  else if constexpr (std::is_error_condition_enum_v<E>)
    return make_error_condition(error).message();
  else if constexpr (requires {
                       { error.what() } -> std::convertible_to<std::string>;
                     })
    return error.what();
  else if constexpr (std::same_as<E, std::exception_ptr>)
    return describe(error);
  else
    return {};
}

/// The text of a failed result.
template <class R>
std::string text_of_result(const R& result) {
  if constexpr (expected_like<R> && !carries_status<R>)
    return text_of_error(result.error());
  else
    return text_of_error(result);
}

/// A result made from a refusal, where its type allows; otherwise `refused` is thrown.
template <class R>
R refuse(stop_reason reason) {
  if constexpr (std::same_as<R, std::error_code>)
    return make_refusal(reason);
  else if constexpr (requires {
                       typename R::unexpected_type;
                       typename R::error_type;
                       requires std::constructible_from<typename R::error_type, std::error_code>;
                       requires std::constructible_from<R, typename R::unexpected_type>;
                     })
    return R(typename R::unexpected_type(typename R::error_type(make_refusal(reason))));
  else
    throw_refused(reason);
}

}  // namespace detail

/// An operation together with its judge, for results that have no hook of their own. The judge gets the
/// operation's result and returns a std::optional<fault>: nothing is a success.
template <class Operation, class Judge>
struct classified_operation {
  Operation operation;
  Judge judge;
};

/// For one call: relent::retry(policy, relent::classified(operation, judge)).
template <class Operation, class Judge>
classified_operation<std::decay_t<Operation>, std::decay_t<Judge>> classified(Operation&& operation,
                                                                              Judge&& judge) {
  return {static_cast<Operation&&>(operation), static_cast<Judge&&>(judge)};
}

}  // namespace relent
