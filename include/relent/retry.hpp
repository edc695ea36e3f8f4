// SPDX-License-Identifier: Apache-2.0
// The blocking driver: relent::retry and dependency::call run an operation until it succeeds or the engine
// (engine.hpp) says stop, and give back its last result or throw its last exception, unchanged.
// The templates here only carry the operation and its result; the loop is compiled once. Layer 3.
#pragma once

#include <relent/classify.hpp>
#include <relent/clock.hpp>
#include <relent/dependency.hpp>
#include <relent/engine.hpp>
#include <relent/idempotency_key.hpp>
#include <relent/outcome.hpp>
#include <relent/policy.hpp>
#include <relent/report.hpp>
#include <relent/stop.hpp>
#include <relent/version.hpp>

#include <concepts>
#include <exception>
#include <new>
#include <relent/optional.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace relent {

class attempt;

/// Whether the operation may be done twice.
enum class repeat : std::uint8_t {
  allowed,            ///< it is safe, idempotent, or the caller accepts a repetition
  only_if_no_effect,  ///< only after faults that prove that nothing was done
};

/// What is said for one call. Append only: the order of members is API.
struct call_options {
  /// A std::stop_token: ends the wait at once, and no attempt starts afterwards.
  stop_handle stop = {};
  /// Where to write the story of the call.
  relent::report* report = nullptr;
  /// From the beginning of the call; tightens the policy's deadline, never extends it.
  optional<duration> deadline = nullopt;
  relent::repeat repeat = repeat::allowed;
  /// The call's identity, if the caller has one (a payment's number); must outlive the call. Otherwise one
  /// is made when an attempt first asks for it.
  optional<std::string_view> idempotency_key = nullopt;
  /// Looks at exceptions before the usual classification: relent::retry_on<db_busy>.
  exception_classifier classify = nullptr;
  /// The enclosing attempt, where the call runs in another thread than it.
  const attempt* outer = nullptr;
  /// Where time and jitter come from; the dependency's, or the steady clock and the thread's generator.
  relent::clock* clock = nullptr;
  optional<random_ref> random = nullopt;
};

/// The clock of the operating system: std::chrono::steady_clock, and waits that a stop token ends at once.
relent::clock& steady_clock() noexcept;

namespace detail {

struct attempt_access;

/// What a failed inner call tells the enclosing attempt, which retries in its stead.
struct handed_up_fault {
  bool present = false;
  fault what = {};
  std::exception_ptr exception = {};
};

/// One call as its attempts see it. Owned by the thread that runs the call.
struct call_context {
  const call_options* options;
  relent::clock* clock;
  random_ref* random;
  time_point attempt_deadline = no_deadline;
  std::uint32_t number = 0;
  bool failed_before = false;
  fault last_fault = {};
  optional<relent::idempotency_key> key = nullopt;
  handed_up_fault handed_up = {};

  std::string_view key_text();  // makes the key at its first use
};

/// An operation without its types: what the compiled loop runs.
struct erased_operation {
  /// Makes one attempt: true on success, else `what` is set.
  bool (*attempt)(erased_operation& self, call_context& call, fault& what);
  /// The latest error in its own words.
  std::string (*text)(const erased_operation& self);
  /// The latest attempt's exception, if it threw.
  std::exception_ptr exception = {};
};

/// For the driver: the call behind an attempt.
struct attempt_access {
  static call_context& call_of(const attempt& of) noexcept;
};

/// Runs the call to its end. Nothing if at least one attempt was made, else why it was refused.
optional<stop_reason> run_call(const policy& rules, dependency* shared, const call_options& options,
                                    erased_operation& operation);

/// Called in a catch clause: keeps the exception in flight and classifies it. Returns false.
bool attempt_threw(erased_operation& self, call_context& call, fault& what) noexcept;

const call_options& no_call_options() noexcept;

}  // namespace detail

/// The attempt in hand, given to operations that take one. Valid until the operation returns.
/// One thread at a time.
class attempt {
 public:
  explicit attempt(detail::call_context& call) noexcept : call_(&call) {}

  /// From 1.
  std::uint32_t number() const noexcept { return call_->number; }
  bool is_retry() const noexcept { return call_->failed_before; }
  /// By when this attempt must have ended; no_deadline if it may take for ever.
  time_point deadline() const noexcept { return call_->attempt_deadline; }
  /// What is left until then, never negative; max_duration without a deadline. Reads the clock.
  duration time_left() const noexcept {
    return deadline() == no_deadline ? max_duration : time_between(call_->clock->now(), deadline());
  }
  /// The call's stop token, for operations that can be interrupted.
  const stop_handle& stop() const noexcept { return call_->options->stop; }
  /// The call's identity, the same for all its attempts: a UUID version 7 unless the caller gave one.
  /// Who asks for it is taken to send it along: the call then counts as repeatable.
  std::string_view idempotency_key() const { return call_->key_text(); }
  /// Why the attempt before failed; nothing in the first.
  optional<fault> previous_fault() const {
    return call_->failed_before ? optional(call_->last_fault) : nullopt;
  }

 private:
  friend struct detail::attempt_access;
  detail::call_context* call_;
};

namespace detail {

inline call_context& attempt_access::call_of(const attempt& of) noexcept { return *of.call_; }

template <class Operation>
inline constexpr bool takes_attempt = std::invocable<Operation&, attempt>;

/// Stands for the result of what cannot be called, so that this is the only error.
struct no_result {
  template <class Any>
  operator Any() const;
};

template <class Operation>
decltype(auto) invoke(Operation& operation, call_context& call) {
  if constexpr (takes_attempt<Operation>) {
    return operation(attempt(call));
  } else if constexpr (std::invocable<Operation&>) {
    return operation();
  } else {
    static_assert(takes_attempt<Operation>,
                  "relent: the operation must be callable without arguments, or with a relent::attempt");
    return no_result{};
  }
}

/// Accepts every result as a success or failure by its type.
struct judge_by_type {
  template <class R>
  optional<fault> operator()(const R& result) const {
    return fault_in(result);
  }
};

/// Room for the latest result of the operation.
template <class R>
class result_slot {
 public:
  result_slot() noexcept {}
  result_slot(const result_slot&) = delete;
  result_slot& operator=(const result_slot&) = delete;
  ~result_slot() { reset(); }

  template <class Operation>
  void fill(Operation& operation, call_context& call) {
    reset();
    ::new (static_cast<void*>(&value_)) R(invoke(operation, call));
    full_ = true;
  }
  const R& value() const noexcept { return value_; }
  R take() { return static_cast<R&&>(value_); }
  bool full() const noexcept { return full_; }
  void reset() noexcept {
    if (full_) value_.~R();
    full_ = false;
  }

 private:
  union {
    R value_;
  };
  bool full_ = false;
};

template <class R>
class result_slot<R&> {
 public:
  template <class Operation>
  void fill(Operation& operation, call_context& call) {
    value_ = &invoke(operation, call);
  }
  const R& value() const noexcept { return *value_; }
  R& take() const noexcept { return *value_; }

 private:
  R* value_ = nullptr;
};

template <class Operation, class Judge, class R>
struct typed_operation : erased_operation {
  typed_operation(Operation& op, const Judge& j) noexcept : erased_operation{&make_attempt, &tell}, operation(op), judge(j) {}

  static bool make_attempt(erased_operation& self, call_context& call, fault& what) {
    auto& me = static_cast<typed_operation&>(self);
    try {
      me.result.fill(me.operation, call);
      const optional<fault> found = me.judge(me.result.value());
      if (!found) return true;
      what = *found;
      return false;
    } catch (...) {
      return attempt_threw(self, call, what);
    }
  }

  static std::string tell(const erased_operation& self) {
    if (self.exception) return describe(self.exception);
    return text_of_result(static_cast<const typed_operation&>(self).result.value());
  }

  Operation& operation;
  const Judge& judge;
  result_slot<R> result;
};

template <class Operation>
struct typed_operation<Operation, judge_by_type, void> : erased_operation {
  typed_operation(Operation& op, const judge_by_type&) noexcept : erased_operation{&make_attempt, &tell}, operation(op) {}

  static bool make_attempt(erased_operation& self, call_context& call, fault& what) {
    try {
      invoke(static_cast<typed_operation&>(self).operation, call);
      return true;
    } catch (...) {
      return attempt_threw(self, call, what);
    }
  }

  static std::string tell(const erased_operation& self) { return describe(self.exception); }

  Operation& operation;
};

template <class Operation, class Judge>
decltype(auto) run(const policy& rules, dependency* shared, Operation& operation, const Judge& judge,
                   const call_options& options) {
  using result = decltype(invoke(operation, std::declval<call_context&>()));
  if constexpr (std::same_as<Judge, judge_by_type> && !std::is_void_v<result>)
    static_assert(judged_result<std::remove_cvref_t<result>>::known);
  typed_operation<Operation, Judge, result> typed{operation, judge};
  const optional<stop_reason> refusal = run_call(rules, shared, options, typed);
  if constexpr (std::is_void_v<result>) {
    if (refusal) throw refused(*refusal);
    if (typed.exception) std::rethrow_exception(std::move(typed.exception));
  } else {
    if (refusal) return refuse<result>(*refusal);
    if (typed.exception) std::rethrow_exception(std::move(typed.exception));
    return static_cast<result>(typed.result.take());
  }
}

template <class Operation>
decltype(auto) run(const policy& rules, dependency* shared, Operation& operation, const call_options& options) {
  return run(rules, shared, operation, judge_by_type{}, options);
}

template <class Operation, class Judge>
decltype(auto) run(const policy& rules, dependency* shared, classified_operation<Operation, Judge>& operation,
                   const call_options& options) {
  return run(rules, shared, operation.operation, operation.judge, options);
}

}  // namespace detail

/// Runs the operation until it succeeds, and gives back its result: what the last attempt returned, or threw.
/// The operation takes nothing or a relent::attempt, and returns anything but bool. Calling this asserts that
/// the operation may be repeated (see call_options::repeat). Throws `refused`, or returns it where the
/// result type can hold it, only when not even one attempt could be made. Thread-safe.
template <class Operation>
decltype(auto) retry(const policy& rules, Operation&& operation, const call_options& options) {
  return detail::run(rules, nullptr, operation, options);
}

template <class Operation>
decltype(auto) retry(const policy& rules, Operation&& operation) {
  return detail::run(rules, nullptr, operation, detail::no_call_options());
}

/// With the default policy.
template <class Operation>
decltype(auto) retry(Operation&& operation, const call_options& options) {
  return detail::run(default_policy, nullptr, operation, options);
}

template <class Operation>
decltype(auto) retry(Operation&& operation) {
  return detail::run(default_policy, nullptr, operation, detail::no_call_options());
}

/// With a dependency's policy and all that its calls share; the same as shared.call(operation, options).
template <class Operation>
decltype(auto) retry(dependency& shared, Operation&& operation, const call_options& options) {
  return detail::run(shared.policy(), &shared, operation, options);
}

template <class Operation>
decltype(auto) retry(dependency& shared, Operation&& operation) {
  return detail::run(shared.policy(), &shared, operation, detail::no_call_options());
}

template <class Operation>
decltype(auto) dependency::call(Operation&& operation) {
  return detail::run(policy(), this, operation, detail::no_call_options());
}

template <class Operation>
decltype(auto) dependency::call(Operation&& operation, const call_options& options) {
  return detail::run(policy(), this, operation, options);
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
  return [&shared, function = std::forward<Function>(function)](auto&&... arguments) mutable -> decltype(auto) {
    return retry(shared, [&]() -> decltype(auto) { return function(arguments...); });
  };
}

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/retry.ipp>  // IWYU pragma: export
#endif
