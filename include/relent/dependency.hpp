// SPDX-License-Identifier: Apache-2.0
// The thing being called, and what all calls to it share: its policy, budget, breaker, counters, observers and
// the hook that renews credentials. Keep one per dependency, next to its connection pool.
// Running a call is the business of the drivers: call() is defined in retry.hpp. Layer 2.
#pragma once

#include <relent/breaker.hpp>
#include <relent/budget.hpp>
#include <relent/counters.hpp>
#include <relent/engine.hpp>
#include <relent/event.hpp>
#include <relent/exception_classifier.hpp>
#include <relent/optional.hpp>
#include <relent/policy.hpp>
#include <relent/random.hpp>
#include <relent/sender_limit.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>

namespace relent {

class clock;
struct call_options;

/// Up to eight observers, not owned: they must outlive the dependency.
class observer_list {
 public:
  static constexpr std::size_t capacity = 8;

  constexpr observer_list() noexcept = default;
  constexpr observer_list(std::initializer_list<observer*> observers) noexcept {
    for (observer* one : observers) {
      if (size_ < capacity && one != nullptr)
        items_[size_++] = one;
      else
        complete_ = false;
    }
  }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr observer* const* begin() const noexcept { return items_; }
  constexpr observer* const* end() const noexcept { return items_ + size_; }
  /// False if there were too many, or a null among them.
  constexpr bool complete() const noexcept { return complete_; }

 private:
  observer* items_[capacity]{};
  std::size_t size_ = 0;
  bool complete_ = true;
};

/// What renews the credentials after an `unauthenticated` fault: any callable without arguments, of result
/// void, or bool to say whether it managed to. An exception of it counts as false, and is dropped: the
/// call's own error stays the result. Called by the thread that runs the call; must be thread-safe.
class refresh_hook {
 public:
  refresh_hook() noexcept = default;

  template <class F>
    requires(!std::same_as<std::decay_t<F>, refresh_hook> && std::invocable<std::decay_t<F>&>)
  refresh_hook(F&& hook)
      : hook_(new std::decay_t<F>(static_cast<F&&>(hook))),
        run_([](void* h) { return run_as<std::decay_t<F>>(h); }),
        copy_([](const void* h) -> void* {
          return new std::decay_t<F>(*static_cast<const std::decay_t<F>*>(h));
        }),
        destroy_([](void* h) { delete static_cast<std::decay_t<F>*>(h); }) {}

  refresh_hook(const refresh_hook& other)
      : hook_(other.hook_ != nullptr ? other.copy_(other.hook_) : nullptr),
        run_(other.run_),
        copy_(other.copy_),
        destroy_(other.destroy_) {}
  refresh_hook(refresh_hook&& other) noexcept { swap(other); }
  refresh_hook& operator=(refresh_hook other) noexcept {
    swap(other);
    return *this;
  }
  ~refresh_hook() {
    if (hook_ != nullptr) destroy_(hook_);
  }

  explicit operator bool() const noexcept { return hook_ != nullptr; }

  /// Runs the hook; false if there is none, or it could not renew.
  bool operator()() const noexcept;

 private:
  template <class F>
  static bool run_as(void* hook) {
    if constexpr (std::convertible_to<std::invoke_result_t<F&>, bool>) {
      return (*static_cast<F*>(hook))();
    } else {
      (*static_cast<F*>(hook))();
      return true;
    }
  }

  void swap(refresh_hook& other) noexcept;

  void* hook_ = nullptr;
  bool (*run_)(void*) = nullptr;
  void* (*copy_)(const void*) = nullptr;
  void (*destroy_)(void*) = nullptr;
};

/// What a dependency is made from. Append only: the order of members is API.
struct dependency_options {
  /// As it stands in events, reports and metrics.
  std::string name = {};
  relent::policy policy = {};
  /// What bounds retries against requests: token_budget, ratio_budget, throttle_budget or budget::none().
  budget_options budget = token_budget{};
  /// What stops calling a dependency that is clearly down; none unless given.
  optional<breaker_options> breaker = nullopt;
  /// What slows all sending down after throttling; none unless given.
  optional<sender_limit_options> sender_limit = nullopt;
  /// Renews the credentials after an unauthenticated fault, at most once a call.
  refresh_hook refresh = {};
  /// Told of every attempt, retry and outcome.
  observer_list observers = {};
  /// A budget shared with other dependencies takes the place of `budget`; not owned.
  relent::budget* shared_budget = nullptr;
  /// Where time comes from; the steady clock if null. Not owned.
  relent::clock* clock = nullptr;
  /// Where jitter comes from; the thread's own generator if absent. Used by all threads that call.
  optional<random_ref> random = nullopt;
  /// What the exceptions of this dependency's client mean, where a call does not say otherwise:
  /// relent::retry_on<db_busy>.
  exception_classifier classify = {};
};

/// Every rule that these options break; empty if they can be used.
problem_list problems(const dependency_options& options);

namespace detail {
struct policy_history;  // in impl/dependency.ipp, so that <mutex> stays there
}

/// Thread-safe. Neither copied nor moved: calls refer to it.
class dependency {
 public:
  /// Throws options_error naming every problem.
  explicit dependency(dependency_options options = {});
  ~dependency();
  dependency(const dependency&) = delete;
  dependency& operator=(const dependency&) = delete;

  const std::string& name() const noexcept { return options_.name; }
  /// The policy in force. The reference stays valid, and its policy the same, for the dependency's life.
  const relent::policy& policy() const noexcept {
    return *__atomic_load_n(&policy_, __ATOMIC_ACQUIRE);  // std::atomic without the cost of its header
  }
  relent::budget& budget() noexcept { return *shared_.budget; }
  const relent::budget& budget() const noexcept { return *shared_.budget; }
  /// Null without a breaker.
  relent::breaker* breaker() noexcept { return shared_.breaker; }
  const relent::breaker* breaker() const noexcept { return shared_.breaker; }
  /// A reading of the counters.
  counter_values counters() const noexcept { return counters_.read(); }

  /// Runs the operation as relent::retry does, with this dependency's policy and shared state (retry.hpp).
  template <class Operation>
  decltype(auto) call(Operation&& operation);
  template <class Operation>
  decltype(auto) call(Operation&& operation, const call_options& options);

  /// Later calls go by this policy; one that has begun keeps the policy it began with. A policy is kept until
  /// the dependency goes, for whoever refers to it: some 300 bytes for each different one, nothing for one
  /// that was in force before. Thread-safe.
  void reconfigure(const relent::policy& rules);

  /// Later calls go by these options' policy, and budget and breaker go on under their new options as
  /// budget::reconfigure and breaker::reconfigure say. All or nothing: throws options_error, and changes
  /// nothing, if the options have problems or want what cannot change at run time: another kind of budget or
  /// ratio window, other sender limit options, another shared_budget, a breaker more or less.
  /// name, refresh, observers, clock, random and classify are ignored. Thread-safe; two at once go one after the other.
  void reconfigure(const dependency_options& options);

  /// For drivers: what the engine shares between calls, and the rest of the options.
  const engine::shared_state& shared() const noexcept { return shared_; }
  relent::counters& counting() noexcept { return counters_; }
  const observer_list& observers() const noexcept { return options_.observers; }
  const refresh_hook& refresh() const noexcept { return options_.refresh; }
  const exception_classifier& classify() const noexcept { return options_.classify; }
  relent::clock* clock() const noexcept { return options_.clock; }
  const optional<random_ref>& random() const noexcept { return options_.random; }

 private:
  dependency_options
      options_;  // as made; its policy and the settings of budget and breaker may be others by now
  relent::budget budget_;
  relent::counters counters_;
  engine::shared_state shared_;
  const relent::policy* policy_ = nullptr;  // atomic; in options_ or in history_
  detail::policy_history* history_ = nullptr;
};

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/dependency.ipp>  // IWYU pragma: export
#endif
