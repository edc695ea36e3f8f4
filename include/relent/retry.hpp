// SPDX-License-Identifier: Apache-2.0
// The blocking driver: relent::retry and dependency::call run an operation until it succeeds or the engine
// (engine.hpp) says stop, and give back its last result or throw its last exception, unchanged.
// The templates here only carry the operation and its result; the loop is compiled once. Layer 3.
#pragma once

#include <relent/attempt.hpp>
#include <relent/call_options.hpp>
#include <relent/classify.hpp>
#include <relent/clock.hpp>
#include <relent/dependency.hpp>
#include <relent/impl/typed_operation.ipp>
#include <relent/outcome.hpp>
#include <relent/policy.hpp>
#include <relent/report.hpp>
#include <relent/version.hpp>

#include <utility>

namespace relent {

/// The clock of the operating system: std::chrono::steady_clock, and waits that a stop token ends at once.
relent::clock& steady_clock() noexcept;

/// Runs the operation until it succeeds, and gives back its result: what the last attempt returned, or threw.
/// The operation takes nothing or a relent::attempt, and returns anything but bool. Calling this asserts that
/// the operation may be repeated (see call_options::repeat). Throws `refused`, or returns it where the
/// result type can hold it, only when not even one attempt could be made. Thread-safe.
template <class Operation>
decltype(auto) retry(const policy& rules, Operation&& operation, const call_options& options) {
  dependency* const none = nullptr;
  return detail::run(operation, rules, none, options);
}

template <class Operation>
decltype(auto) retry(const policy& rules, Operation&& operation) {
  return detail::run(operation, rules);
}

/// With the default policy.
template <class Operation>
decltype(auto) retry(Operation&& operation, const call_options& options) {
  return retry(default_policy, operation, options);
}

template <class Operation>
decltype(auto) retry(Operation&& operation) {
  return retry(default_policy, operation);
}

/// With a dependency's policy and all that its calls share; the same as shared.call(operation, options).
template <class Operation>
decltype(auto) retry(dependency& shared, Operation&& operation, const call_options& options) {
  return shared.call(operation, options);
}

template <class Operation>
decltype(auto) retry(dependency& shared, Operation&& operation) {
  return shared.call(operation);
}

template <class Operation>
decltype(auto) dependency::call(Operation&& operation) {
  return detail::run(operation, *this);
}

template <class Operation>
decltype(auto) dependency::call(Operation&& operation, const call_options& options) {
  dependency* const self = this;
  return detail::run(operation, policy(), self, options);
}

/// A callable of the same signature as `function` that retries it, so that its callers need not change.
/// Arguments are handed to each attempt as they came, never moved from. Copies policy and function.
template <class Function>
auto retrying(const policy& rules, Function&& function) {
  return [rules, function = std::forward<Function>(function)](auto&&... arguments) mutable -> decltype(auto) {
    return retry(rules, [&]() -> decltype(auto) { return function(arguments...); });
  };
}

/// The same with a dependency, which must outlive the callable.
template <class Function>
auto retrying(dependency& shared, Function&& function) {
  return
      [&shared, function = std::forward<Function>(function)](auto&&... arguments) mutable -> decltype(auto) {
        return retry(shared, [&]() -> decltype(auto) { return function(arguments...); });
      };
}

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/retry.ipp>  // IWYU pragma: export
#endif
