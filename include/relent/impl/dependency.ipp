// SPDX-License-Identifier: Apache-2.0
// Making a dependency from its options, and telling its observers.
#pragma once

#include <relent/dependency.hpp>

#include <utility>

namespace relent {

RELENT_INLINE void refresh_hook::swap(refresh_hook& other) noexcept {
  std::swap(hook_, other.hook_);
  std::swap(run_, other.run_);
  std::swap(copy_, other.copy_);
  std::swap(destroy_, other.destroy_);
}

RELENT_INLINE bool refresh_hook::operator()() const noexcept {
  try {
    return hook_ != nullptr && run_(hook_);
  } catch (...) {
    return false;  // the call's own error is the better one to give back
  }
}

RELENT_INLINE problem_list problems(const dependency_options& options) {
  problem_list found = problems(options.budget);
  if (options.breaker) found.add(problems(*options.breaker));
  if (options.sender_limit) found.add(problems(*options.sender_limit));
  found.require(options.observers.complete(), "observers", "must be at most 8, and none of them null");
  return found;
}

namespace detail {

RELENT_INLINE dependency_options checked(dependency_options options) {
  const problem_list found = problems(options);
  if (!found.empty()) throw_problems(found);
  return options;
}

}  // namespace detail

RELENT_INLINE dependency::dependency(dependency_options options)
    : options_(detail::checked(std::move(options))), budget_(options_.budget) {
  shared_.budget = options_.shared_budget != nullptr ? options_.shared_budget : &budget_;
  shared_.can_refresh = static_cast<bool>(options_.refresh);
  if (options_.breaker) shared_.breaker = new relent::breaker(*options_.breaker);
  if (options_.sender_limit) shared_.sender_limit = new relent::sender_limit(*options_.sender_limit);
}

RELENT_INLINE dependency::~dependency() {
  delete shared_.breaker;
  delete shared_.sender_limit;
}

}  // namespace relent
