// SPDX-License-Identifier: Apache-2.0
// The template half of the blocking driver: an operation with its types, which carries the result past the
// compiled loop. Included by retry.hpp in both modes. Layer 3.
#pragma once

#include <relent/attempt.hpp>
#include <relent/outcome.hpp>
#include <relent/policy.hpp>

#include <concepts>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace relent::detail {

/// An operation without its types: what the compiled loop runs.
struct erased_operation {
  /// Makes one attempt: true on success; false, and the call's last_fault is set; or throws what it threw.
  bool (*attempt)(erased_operation& self, call_context& call);
  /// The latest result's error in its own words; null where results cannot be errors.
  std::string (*text)(const erased_operation& self);
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

template <class Operation>
concept takes_attempt = requires(Operation& operation, attempt a) {
  operation(a);
};  // not std::invocable, which is dear

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
  result_slot() noexcept {}  // NOLINT(modernize-use-equals-default): of a union, that would be deleted
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
    const optional<fault> found = me.judge(me.result.value());
    if (!found) return true;
    call.last_fault = found;
    return false;
  }

  Operation& operation;
  // One without state is copied, which takes nothing.
  [[no_unique_address]] std::conditional_t<std::is_empty_v<Judge> && std::is_trivially_copyable_v<Judge>,
                                           Judge, const Judge&>
      judge;
};

template <class Operation>
struct typed_operation<Operation, judge_by_type, void> : erased_operation {
  typed_operation(Operation& op, const judge_by_type&) noexcept
      : erased_operation{&make_attempt, nullptr}, operation(op) {}

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
    if (why != 0) [[unlikely]]
      throw_refused(reason_of(why));
  } else {
    if (why != 0) [[unlikely]]
      return refuse<result>(reason_of(why));
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

}  // namespace relent::detail
