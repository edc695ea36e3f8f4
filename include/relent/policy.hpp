// SPDX-License-Identifier: Apache-2.0
// The rules of retrying, as one immutable value that is checked when it is made.
// What calls share (budget, breaker) is in dependency.hpp; what is said for one call in retry.hpp. Layer 2.
#pragma once

#include <relent/backoff.hpp>
#include <relent/fault.hpp>
#include <relent/optional.hpp>
#include <relent/problem.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cstdint>

namespace relent {

/// What a call does that runs inside an attempt of another relent call. Three layers of three tries
/// would make 27 attempts, so one layer retries.
enum class nesting : std::uint8_t {
  single_attempt,  ///< one attempt; the fault goes up, classified, to the layer that retries
  retry,           ///< retry all the same
};

struct policy;

/// The rules for the calls of one policy. Append only: the order of members is API.
struct policy_options {
  /// Tries in all, the first included; 1 never retries. At least 1.
  std::uint32_t max_attempts = 3;
  /// By when the whole call must have ended, counted from its beginning. Above zero; nothing: no limit.
  optional<duration> deadline = detail::seconds(30);
  /// What one attempt gets at most. Above zero; nothing: what is left of the deadline.
  optional<duration> attempt_timeout = nullopt;
  /// The shortest time in which an attempt can be of use; none is started with less left.
  duration least_attempt_time = duration::zero();
  /// The waits between attempts.
  backoff_options backoff = {};
  /// The kinds of faults that are worth another try.
  fault_set retry_on = default_retry_on;
  /// Kinds that this server answers only without having done anything, so that even an operation that
  /// is not repeatable may be tried again. Candidates: rate_limited, overloaded.
  fault_set no_effect_on = {};
  /// At most so many retries after a server_error (0 to 7); nothing: only max_attempts limits them.
  optional<std::uint32_t> server_error_retries = 1;
  /// The longest server delay that is waited for. Above it the call stops: never earlier than asked.
  duration max_server_delay = detail::minutes(5);
  /// A server delay is lengthened by a random part of itself up to this ratio (0 to 1), so that all who
  /// were told the same do not come back together.
  double server_delay_spread = 0.1;
  /// What a call with this policy does inside an attempt of another call.
  relent::nesting nested = nesting::single_attempt;

  constexpr operator policy() const;

  friend constexpr bool operator==(const policy_options&, const policy_options&) = default;
};

/// Every rule that these options break; empty if they can be used.
constexpr problem_list problems(const policy_options& options) noexcept {
  problem_list found;
  found.require(options.max_attempts >= 1, "max_attempts",
                "must be at least 1: it counts the first attempt too");
  found.require(!options.deadline || *options.deadline > duration::zero(), "deadline", "must be above zero");
  found.require(!options.attempt_timeout || *options.attempt_timeout > duration::zero(), "attempt_timeout",
                "must be above zero");
  found.require(options.least_attempt_time >= duration::zero(), "least_attempt_time", "must not be negative");
  found.add(problems(options.backoff));
  found.require(!options.retry_on.contains(fault_kind::cancelled), "retry_on",
                "must not hold cancelled: our own stop is never retried");
  found.require(!options.server_error_retries || *options.server_error_retries <= 7, "server_error_retries",
                "must be 0 to 7, or absent for no limit of its own");
  found.require(options.max_server_delay >= duration::zero(), "max_server_delay", "must not be negative");
  found.require(options.server_delay_spread >= 0 && options.server_delay_spread <= 1, "server_delay_spread",
                "must be a ratio from 0 to 1");
  return found;
}

namespace detail {

/// Throws options_error with all of them.
[[noreturn]] void throw_problems(const problem_list& found);

/// What makes a policy check the options it is made from.
struct policy_check {
  constexpr explicit policy_check(const policy_options& options) {
    const problem_list found = problems(options);
    if (!found.empty()) throw_problems(found);
  }
  friend constexpr bool operator==(policy_check, policy_check) noexcept { return true; }
};

}  // namespace detail

/// Checked options: policy{{.max_attempts = 4}} throws options_error naming every problem. Immutable; may be
/// a constant, in which case impossible options do not compile. Without options, the defaults: 3
/// attempts, waits from 100 ms to 10 s with full jitter, 30 s in all.
/// An aggregate, so that the compiler names the option that is misspelt or has no unit; with a constructor
/// it would only say that none fits. The members are for nobody but policy itself.
struct policy {
  policy_options options_ = {};
  [[no_unique_address]] detail::policy_check checked_ = detail::policy_check(options_);

  constexpr const policy_options& options() const noexcept { return options_; }
  constexpr const policy_options* operator->() const noexcept { return &options_; }

  friend constexpr bool operator==(const policy&, const policy&) = default;
};

/// Options are as good as the policy made from them. Throws options_error.
constexpr policy_options::operator policy() const { return policy{*this}; }

/// The policy of a call that names none.
inline constexpr policy default_policy{};

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/policy.ipp>  // IWYU pragma: export
#endif
