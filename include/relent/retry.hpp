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

/// What attempts that failed leave behind: the latest one's exception, if it threw, and what a failed inner call
/// tells the enclosing attempt, which retries in its stead.
struct failure_notes {
  std::exception_ptr exception = {};
  optional<fault> handed_up = nullopt;
  std::exception_ptr handed_up_exception = {};
};

/// One call as its attempts see it. Owned by the thread that runs the call. Every success pays for making
/// one, so of whatever is needed only after a failure just a flag is written.
struct call_context {
  call_context(const call_options& said, dependency* with, relent::clock& time) noexcept
      : options(&said), shared(with), clock(&time) {}
  call_context(const call_context&) = delete;
  call_context& operator=(const call_context&) = delete;
  ~call_context() {
    if (has_notes_) [[unlikely]] notes_.~failure_notes();
  }

  /// Made at the first use.
  failure_notes& notes() noexcept {
    if (!has_notes_) ::new (static_cast<void*>(&notes_)) failure_notes;
    has_notes_ = true;
    return notes_;
  }

  const call_options* options;
  dependency* shared;
  relent::clock* clock;
  time_point attempt_deadline;  // these two are set before every attempt
  std::uint32_t number;
  bool has_notes_ = false;
  optional<fault> last_fault;  // of the latest failed attempt
  optional<relent::idempotency_key> key;
  union {
    failure_notes notes_;
  };

  std::string_view key_text();  // makes the key at its first use
};

/// An operation without its types: what the compiled loop runs.
struct erased_operation {
  /// Makes one attempt: true on success; false, and the call's last_fault is set; or throws what it threw.
  bool (*attempt)(erased_operation& self, call_context& call);
  /// The latest result's error in its own words; null where results cannot be errors.
  std::string (*text)(const erased_operation& self);
};

/// For the driver: the call behind an attempt.
struct attempt_access {
  static call_context& call_of(const attempt& of) noexcept;
};

/// Why a call was refused before its first attempt: the stop_reason plus one; 0 if it was not. A number, because
/// an optional would go through memory, and a processor waits where it reads a word just written as bytes.
using refusal = std::uint32_t;
constexpr refusal refusal_for(stop_reason reason) noexcept { return static_cast<refusal>(reason) + 1; }
constexpr stop_reason reason_of(refusal why) noexcept { return static_cast<stop_reason>(why - 1); }

/// Runs the call to its end. 0 if at least one attempt was made, else why it was refused. Throws what the
/// last attempt threw.
refusal run_call(const policy& rules, erased_operation& operation);
refusal run_call(dependency& shared, erased_operation& operation);
refusal run_call(const policy& rules, dependency* shared, const call_options& options,
                                    erased_operation& operation);

inline constexpr call_options no_call_options{};

}  // namespace detail

/// The attempt in hand, given to operations that take one. Valid until the operation returns.
/// One thread at a time.
class attempt {
 public:
  explicit attempt(detail::call_context& call) noexcept : call_(&call) {}

  /// From 1.
  std::uint32_t number() const noexcept { return call_->number; }
  bool is_retry() const noexcept { return call_->last_fault.has_value(); }
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
  optional<fault> previous_fault() const { return call_->last_fault; }

 private:
  friend struct detail::attempt_access;
  detail::call_context* call_;
};

namespace detail {

inline call_context& attempt_access::call_of(const attempt& of) noexcept { return *of.call_; }

template <class Operation>
concept takes_attempt = requires(Operation& operation, attempt a) { operation(a); };  // not std::invocable, which is dear

/// Stands for the result of what cannot be called, so that this is the only error.
struct no_result {
  template <class Any>
  operator Any() const;
};

template <class Operation>
decltype(auto) invoke(Operation& operation, call_context& call) {
  if constexpr (takes_attempt<Operation>) {
    return operation(attempt(call));
  } else if constexpr (requires { operation(); }) {
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
    if constexpr (!std::is_trivially_destructible_v<R>) full_ = true;
  }
  const R& value() const noexcept { return value_; }
  R take() { return static_cast<R&&>(value_); }
  void reset() noexcept {
    if constexpr (!std::is_trivially_destructible_v<R>) {
      if (full_) value_.~R();
      full_ = false;
    }
  }

 private:
  union {
    R value_;
  };
  bool full_ = false;  // of what must be destroyed
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

/// An operation of which only the result's type is known.
template <class R>
struct operation_with_result : erased_operation {
  explicit operation_with_result(bool (*attempt)(erased_operation&, call_context&)) noexcept
      : erased_operation{attempt, &tell} {}
  static std::string tell(const erased_operation& self) {
    return text_of_result(static_cast<const operation_with_result&>(self).result.value());
  }
  result_slot<R> result;
};

template <class Operation, class Judge, class R>
struct typed_operation : operation_with_result<R> {
  typed_operation(Operation& op, const Judge& j) noexcept
      : operation_with_result<R>(&make_attempt), operation(op), judge(j) {}

  static bool make_attempt(erased_operation& self, call_context& call) {
    auto& me = static_cast<typed_operation&>(self);
    me.result.fill(me.operation, call);
    optional<fault> found = me.judge(me.result.value());
    if (!found) return true;
    call.last_fault = std::move(found);
    return false;
  }

  Operation& operation;
  const Judge& judge;
};

template <class Operation>
struct typed_operation<Operation, judge_by_type, void> : erased_operation {
  typed_operation(Operation& op, const judge_by_type&) noexcept : erased_operation{&make_attempt, nullptr}, operation(op) {}

  static bool make_attempt(erased_operation& self, call_context& call) {
    invoke(static_cast<typed_operation&>(self).operation, call);
    return true;
  }

  Operation& operation;
};

/// Runs the operation under what run_call takes before it: a policy, a dependency, or all there is.
template <class Operation, class Judge, class... Under>
decltype(auto) run_judged(Operation& operation, const Judge& judge, Under&... under) {
  using result = decltype(invoke(operation, std::declval<call_context&>()));
  if constexpr (std::same_as<Judge, judge_by_type> && !std::is_void_v<result>)
    static_assert(judged_result<std::remove_cvref_t<result>>::known);
  typed_operation<Operation, Judge, result> typed{operation, judge};
  const refusal why = run_call(under..., typed);
  if constexpr (std::is_void_v<result>) {
    if (why != 0) [[unlikely]] throw_refused(reason_of(why));
  } else {
    if (why != 0) [[unlikely]] return refuse<result>(reason_of(why));
    return static_cast<result>(typed.result.take());
  }
}

template <class Operation, class... Under>
decltype(auto) run(Operation& operation, Under&... under) {
  return run_judged(operation, judge_by_type{}, under...);
}

template <class Operation, class Judge, class... Under>
decltype(auto) run(classified_operation<Operation, Judge>& operation, Under&... under) {
  return run_judged(operation.operation, operation.judge, under...);
}

}  // namespace detail

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
  return [&shared, function = std::forward<Function>(function)](auto&&... arguments) mutable -> decltype(auto) {
    return retry(shared, [&]() -> decltype(auto) { return function(arguments...); });
  };
}

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/retry.ipp>  // IWYU pragma: export
#endif
