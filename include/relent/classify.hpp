// SPDX-License-Identifier: Apache-2.0
// From an error to a fault: errno, getaddrinfo, std::error_code, exceptions, and the hook for everything else.
// How an operation's result is searched for an error is in outcome.hpp. Layer 1.
//
// The hook: beside your error type, in its namespace, write
//     relent::fault relent_fault(const my_error&);
// It is found by argument-dependent lookup. For one call only, pass a classifier in call_options instead.
#pragma once

#include <relent/exception_classifier.hpp>
#include <relent/fault.hpp>
#include <relent/optional.hpp>
#include <relent/version.hpp>

#include <concepts>
#include <exception>
#include <string>
#include <system_error>
#include <type_traits>

namespace relent {

/// What an errno value means for retrying, given how far the attempt got; without a phase, an effect is
/// only excluded where the error proves it (ECONNREFUSED). Values that say nothing are `unknown`. Thread-safe.
fault classify_errno(int code, optional<phase> reached = nullopt) noexcept;

/// What a getaddrinfo result (EAI_…) means; `errno_value` is looked at for EAI_SYSTEM. Never has an effect:
/// nothing was sent. Where the system has no getaddrinfo, everything is `unknown`. Thread-safe.
fault classify_getaddrinfo(int code, int errno_value = 0) noexcept;

/// What a std::error_code means: codes of the generic and system categories, and of every category whose
/// default condition is a generic one, like errno; the refusal of an inner call is permanent, or `cancelled`.
/// Others are `unknown`. Thread-safe.
fault classify(const std::error_code& code, optional<phase> reached = nullopt) noexcept;

/// What an exception means: std::system_error by its code; every other type is `unknown`, thus permanent,
/// because most exceptions are programming errors. Thread-safe.
fault classify(const std::exception_ptr& exception) noexcept;

namespace detail {

template <class E>
concept has_fault_hook = requires(const E& error) {
  { relent_fault(error) } -> std::convertible_to<fault>;
};

/// A base class or the class itself is a std::system_error or has a code() of that type.
template <class E>
concept has_error_code = requires(const E& error) {
  { error.code() } -> std::convertible_to<std::error_code>;
};

template <class E>
inline constexpr bool is_classified =
    std::same_as<E, fault> || std::same_as<E, fault_kind> || has_fault_hook<E> ||
    std::is_error_code_enum_v<E> || std::is_error_condition_enum_v<E> ||
    std::convertible_to<const E&, std::error_code> || std::same_as<E, std::exception_ptr> ||
    has_error_code<E>;

/// An error value, by the first of: the hook, being a fault, an error code, an exception.
template <class E>
  requires is_classified<E> fault fault_of(const E& error) {
    if constexpr (has_fault_hook<E>)
      return relent_fault(error);
    else if constexpr (std::same_as<E, fault>)
      return error;
    else if constexpr (std::same_as<E, fault_kind>)
      return fault{.kind = error};
    else if constexpr (std::is_error_condition_enum_v<E>)
      return classify(
          std::error_code(make_error_condition(error).value(), make_error_condition(error).category()));
    else if constexpr (std::is_error_code_enum_v<E>)
      return classify(make_error_code(error));
    else if constexpr (std::convertible_to<const E&, std::error_code>)
      return classify(static_cast<std::error_code>(error));
    else if constexpr (std::same_as<E, std::exception_ptr>)
      return classify(error);
    else
      return classify(error.code());
  }

template <class E>
optional<fault> fault_if_caught(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const E& error) {
    if constexpr (is_classified<E>) {
      return fault_of(error);
    } else {
      static_cast<void>(error);
      return fault{.transient = true};
    }
  } catch (...) {
    return nullopt;
  }
}

}  // namespace detail

/// A classifier for one call: these exception types are worth another try. A type with a hook, or with an
/// error code, is classified by it; any other counts as transient with a possible effect.
///     relent::retry(save_row, {.classify = relent::retry_on<db_busy, db_gone>});
template <class... Exceptions>
  requires(sizeof...(Exceptions) > 0)
optional<fault> retry_on(const std::exception_ptr& exception) {
  optional<fault> found;
  static_cast<void>(((found = detail::fault_if_caught<Exceptions>(exception)).has_value() || ...));
  return found;
}

/// The type and the text of an exception for a person: "db_busy: table is locked". Empty for no exception.
std::string describe(const std::exception_ptr& exception);

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/classify.ipp>  // IWYU pragma: export
#endif
