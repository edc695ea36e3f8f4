// SPDX-License-Identifier: Apache-2.0
// Making a dependency from its options, and changing those while it is in use.
#pragma once

#include <relent/dependency.hpp>

#include <mutex>
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

namespace detail {

/// The policies that came after the first one, and the lock under which all of a reconfiguring happens.
struct policy_history {
  struct entry {
    policy rules;
    entry* older;
  };

  std::mutex mutex;
  entry* newest = nullptr;

  policy_history() = default;
  policy_history(const policy_history&) = delete;
  policy_history& operator=(const policy_history&) = delete;
  ~policy_history() {
    while (newest != nullptr) delete std::exchange(newest, newest->older);
  }

  /// One that is equal to `rules` and stays where it is: `first`, or one kept before, or a copy.
  const policy* keep(const policy& rules, const policy& first) {
    if (rules == first) return &first;
    for (const entry* each = newest; each != nullptr; each = each->older)
      if (each->rules == rules) return &each->rules;
    newest = new entry{rules, newest};
    return &newest->rules;
  }
};

/// What of `wanted` a dependency that was made from `made` cannot change to.
RELENT_INLINE problem_list unchangeable(const dependency_options& made, const dependency_options& wanted) {
  constexpr const char* as_made = "must stay as it was when the dependency was made";
  problem_list found;
  found.require(wanted.shared_budget == made.shared_budget, "shared_budget", as_made);
  if (made.shared_budget == nullptr) {
    found.require(wanted.budget.kind() == made.budget.kind(), "budget.kind", as_made);
    if (made.budget.kind() == budget_kind::ratio && wanted.budget.kind() == budget_kind::ratio)
      found.require(wanted.budget.ratio().window == made.budget.ratio().window, "budget.window", as_made);
  }
  found.require(wanted.breaker.has_value() == made.breaker.has_value(), "breaker",
                made.breaker ? "must not be taken away from a dependency that has one"
                             : "must not be given to a dependency made without one");
  found.require(wanted.sender_limit == made.sender_limit, "sender_limit", as_made);
  return found;
}

}  // namespace detail

RELENT_INLINE dependency::dependency(dependency_options options)
    : options_(detail::checked(std::move(options))), budget_(options_.budget), policy_(&options_.policy) {
  shared_.budget = options_.shared_budget != nullptr ? options_.shared_budget : &budget_;
  shared_.can_refresh = static_cast<bool>(options_.refresh);
  history_ = new detail::policy_history;
  if (options_.breaker) shared_.breaker = new relent::breaker(*options_.breaker);
  if (options_.sender_limit) shared_.sender_limit = new relent::sender_limit(*options_.sender_limit);
}

RELENT_INLINE dependency::~dependency() {
  delete shared_.breaker;
  delete shared_.sender_limit;
  delete history_;
}

RELENT_INLINE void dependency::reconfigure(const relent::policy& rules) {
  const std::lock_guard one_at_a_time(history_->mutex);
  __atomic_store_n(&policy_, history_->keep(rules, options_.policy), __ATOMIC_RELEASE);
}

RELENT_INLINE void dependency::reconfigure(const dependency_options& options) {
  problem_list found = problems(options.budget);
  if (options.breaker) found.add(problems(*options.breaker));
  found.add(detail::unchangeable(options_, options));
  if (!found.empty()) detail::throw_problems(found);

  const std::lock_guard one_at_a_time(history_->mutex);
  const relent::policy* const rules = history_->keep(options.policy, options_.policy);
  // Nothing below can fail any more.
  if (options_.shared_budget == nullptr) budget_.reconfigure(options.budget);
  if (shared_.breaker != nullptr) shared_.breaker->reconfigure(*options.breaker);
  __atomic_store_n(&policy_, rules, __ATOMIC_RELEASE);
}

}  // namespace relent
