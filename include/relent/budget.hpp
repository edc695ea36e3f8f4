// SPDX-License-Identifier: Apache-2.0
// Budgets: what bounds retries against requests, shared by all calls to one dependency. Three rules as
// options, and `budget`, the shared state that keeps to one of them exactly, however many threads use it.
// When a budget is asked is the engine's business (engine.hpp); how fast a client may send is
// sender_limit.hpp. Layer 1.
#pragma once

#include <relent/fault.hpp>
#include <relent/optional.hpp>
#include <relent/problem.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cstddef>
#include <cstdint>

namespace relent {

/// A bucket of tokens, full at first: a retry takes its cost in full or is refused, a successful call
/// gives something back, never above the capacity. Amounts count in thousandths: the capacity and the
/// credit rounded down, costs rounded up.
struct token_budget {
  double capacity = 10;                     ///< from 0.001 to 1000000
  double success_credit = 0.1;              ///< given back by a successful call; 0, or from 0.001 to 1000000
  double retry_cost = 1;                    ///< from 0.001 to 1000000, as are the two below
  optional<double> timeout_cost = nullopt;  ///< a retry after a timeout, else retry_cost
  optional<double> rate_limited_cost = nullopt;  ///< after rate_limited or overloaded, else retry_cost
  /// A call that succeeds after retries gives the cost of its last retry back, in place of success_credit.
  bool refund_last_cost = false;

  /// The retry quota of the AWS SDKs' standard mode.
  static constexpr token_budget aws_standard() noexcept;
  /// The retry quota that the AWS SDKs offer since 2026, which charges less for throttling than for failures.
  static constexpr token_budget aws_2026() noexcept;

  friend constexpr bool operator==(const token_budget&, const token_budget&) noexcept = default;
};

constexpr token_budget token_budget::aws_standard() noexcept {
  return {
      .capacity = 500, .success_credit = 1, .retry_cost = 5, .timeout_cost = 10, .refund_last_cost = true};
}

constexpr token_budget token_budget::aws_2026() noexcept {
  return {.capacity = 500,
          .success_credit = 1,
          .retry_cost = 14,
          .rate_limited_cost = 5,
          .refund_last_cost = true};
}

/// Within a sliding window, retries <= max(min_retries, reserve + ratio * requests).
/// The window moves in ten steps: what happened in the present tenth and in the nine before it counts.
struct ratio_budget {
  double ratio = 0.1;                     ///< retries per request, from 0 to 1000, in millionths rounded down
  duration window = detail::seconds(10);  ///< from 1 s to 60 s
  std::uint32_t min_retries = 3;          ///< granted in a window however few the requests
  std::uint32_t reserve = 0;              ///< granted in a window on top of the ratio

  friend constexpr bool operator==(const ratio_budget&, const ratio_budget&) noexcept = default;
};

/// The retry throttle of gRPC (gRFC A6): a failure takes one token, a success gives the credit back, and
/// retries are granted while more than half of the capacity is left.
struct throttle_budget {
  double capacity = 10;         ///< from 0.001 to 1000
  double success_credit = 0.1;  ///< from 0.001 to 1000; digits after the third decimal are ignored

  friend constexpr bool operator==(const throttle_budget&, const throttle_budget&) noexcept = default;
};

/// Which rule a budget follows.
enum class budget_kind : std::uint8_t { none, token, ratio, throttle };

/// One of the three rules, or budget::none(). Default: the token budget with its defaults. Immutable.
class budget_options {
 public:
  constexpr budget_options() noexcept = default;
  constexpr budget_options(const token_budget& rule) noexcept : token_(rule) {}
  constexpr budget_options(const ratio_budget& rule) noexcept : kind_(budget_kind::ratio), ratio_(rule) {}
  constexpr budget_options(const throttle_budget& rule) noexcept
      : kind_(budget_kind::throttle), throttle_(rule) {}

  constexpr budget_kind kind() const noexcept { return kind_; }
  /// The rule of that kind; its defaults if kind() is another.
  constexpr const token_budget& token() const noexcept { return token_; }
  constexpr const ratio_budget& ratio() const noexcept { return ratio_; }
  constexpr const throttle_budget& throttle() const noexcept { return throttle_; }

  friend constexpr bool operator==(const budget_options&, const budget_options&) noexcept = default;

 private:
  friend class budget;
  constexpr explicit budget_options(budget_kind kind) noexcept : kind_(kind) {}

  budget_kind kind_ = budget_kind::token;
  token_budget token_{};
  ratio_budget ratio_{};
  throttle_budget throttle_{};
};

namespace detail {
struct budget_state;
}

/// Every rule that the options break, by field; empty if a budget can be made from them.
problem_list problems(const budget_options& options) noexcept;

/// The shared state of one budget. Every function is thread-safe, lock-free (reconfigure excepted) and
/// allocates nothing. At every instant, whatever the threads do, the retries granted are no more than the
/// rule allows for the requests or successes reported until then.
class budget {
 public:
  /// Grants every retry and counts nothing.
  static constexpr budget_options none() noexcept { return budget_options{budget_kind::none}; }

  /// Starts full. Throws options_error.
  explicit budget(const budget_options& options = {});
  budget(const budget&) = delete;
  budget& operator=(const budget&) = delete;

  budget_kind kind() const noexcept { return kind_; }

  /// Whether the rule depends on time. Only the ratio kind's does; the others ignore every `now`.
  bool reads_time() const noexcept { return kind_ == budget_kind::ratio; }

  /// A call begins its first attempt. The ratio kind counts it.
  void requested(time_point now) noexcept;

  /// Asks for a retry after a fault of that kind. True: it is granted and paid for in full.
  /// False: it is refused and nothing has changed but refusals().
  bool try_take(fault_kind after, time_point now) noexcept;

  /// Undoes a try_take(after) that was granted, because the attempt never started.
  void give_back(fault_kind after, time_point now) noexcept;

  /// A retryable or vetoed failure, told before try_take is asked. The throttle kind takes one token for it.
  void failed(time_point now) noexcept;

  /// A call succeeded at its first attempt. A full budget costs this one relaxed load.
  void succeeded(time_point now) noexcept;

  /// A call succeeded at a retry, its last one granted after a fault of that kind.
  void succeeded_after_retry(fault_kind last_retry_after, time_point now) noexcept;

  /// Tokens left (token, throttle) or retries that would be granted now (ratio); infinity for none().
  double balance(time_point now) const noexcept;

  /// How often try_take said no.
  std::uint64_t refusals() const noexcept;

  /// Goes on under new options of the same kind. Token and throttle keep the filled fraction, rounded down;
  /// the ratio kind keeps what its window holds, and its window cannot change.
  /// Throws options_error and changes nothing if the kind or the window is another or the options are wrong.
  void reconfigure(const budget_options& options);

 private:
  detail::budget_state& state() noexcept;
  const detail::budget_state& state() const noexcept;

  budget_kind kind_;
  // Holds a detail::budget_state. Bytes, so that this header does not need <atomic>.
  alignas(64) unsigned char storage_[512];
};

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/budget.ipp>  // IWYU pragma: export
#endif
