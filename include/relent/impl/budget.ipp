// SPDX-License-Identifier: Apache-2.0
// The budget's state and what each event does to it under each of the rules.
// The arithmetic under concurrency is in budget_level.ipp and budget_window.ipp.
#pragma once

#include <relent/budget.hpp>
#include <relent/impl/budget_level.ipp>
#include <relent/impl/budget_window.ipp>

#include <atomic>
#include <limits>
#include <new>

namespace relent {

namespace detail {

// Far above the error of a product of doubles in the accepted ranges, far below the unit counted in.
inline constexpr double rounding_slack = 1e-6;

/// `amount` in units of 1/parts, rounded down; only for amounts that problems() accepts.
inline std::uint32_t parts_below(double amount, double parts) noexcept {
  return static_cast<std::uint32_t>(amount * parts + rounding_slack);
}

/// `amount` in thousandths, rounded up; only for amounts that problems() accepts.
inline std::uint32_t thousandths_above(double amount) noexcept {
  const auto whole = static_cast<std::uint32_t>(amount * 1000);
  return whole + (amount * 1000 - whole > rounding_slack ? 1U : 0U);
}

/// Not-a-number lies nowhere.
inline bool within(double value, double least, double most) noexcept {
  return value >= least && value <= most;
}

inline void find_problems(const token_budget& rule, problem_list& found) noexcept {
  constexpr const char* range = "must be from 0.001 to 1000000";
  const auto fits = [](double value) { return within(value, 0.001, 1e6); };
  found.require(fits(rule.capacity), "budget.capacity", range);
  found.require(rule.success_credit == 0 || fits(rule.success_credit), "budget.success_credit",
                "must be 0 or from 0.001 to 1000000");
  found.require(fits(rule.retry_cost), "budget.retry_cost", range);
  found.require(!rule.timeout_cost || fits(*rule.timeout_cost), "budget.timeout_cost", range);
  found.require(!rule.rate_limited_cost || fits(*rule.rate_limited_cost), "budget.rate_limited_cost", range);
}

inline void find_problems(const ratio_budget& rule, problem_list& found) noexcept {
  found.require(rule.ratio == 0 || within(rule.ratio, 1e-6, 1000), "budget.ratio",
                "must be 0 or from 0.000001 to 1000");
  found.require(rule.window >= std::chrono::seconds{1} && rule.window <= std::chrono::seconds{60},
                "budget.window", "must be from 1s to 60s");
}

inline void find_problems(const throttle_budget& rule, problem_list& found) noexcept {
  constexpr const char* range = "must be from 0.001 to 1000";
  found.require(within(rule.capacity, 0.001, 1000), "budget.capacity", range);
  found.require(within(rule.success_credit, 0.001, 1000), "budget.success_credit", range);
}

}  // namespace detail

RELENT_INLINE problem_list problems(const budget_options& options) noexcept {
  problem_list found;
  switch (options.kind()) {
    case budget_kind::none: break;
    case budget_kind::token: detail::find_problems(options.token(), found); break;
    case budget_kind::ratio: detail::find_problems(options.ratio(), found); break;
    case budget_kind::throttle: detail::find_problems(options.throttle(), found); break;
  }
  return found;
}
namespace detail {

/// One budget, whatever its kind. What every success reads, what is rarely written, and what every refusal
/// writes lie on cache lines of their own.
struct budget_state {
  alignas(64) reservoir tokens;

  // The rule. Each operation reads the numbers it needs once; one that runs during a reconfigure may still
  // go by the old ones.
  alignas(64) std::atomic<std::uint32_t> success_credit{0};
  std::atomic<std::uint32_t> retry_cost{0};
  std::atomic<std::uint32_t> timeout_cost{0};
  std::atomic<std::uint32_t> rate_limited_cost{0};
  std::atomic<bool> refund_last_cost{false};
  std::atomic<std::uint32_t> ratio_millionths{0};
  std::atomic<std::uint32_t> min_retries{0};
  std::atomic<std::uint32_t> reserve{0};
  std::atomic<bool> reconfiguring{false};

  alignas(64) std::atomic<std::uint64_t> refusals{0};
  alignas(64) sliding_window window;

  explicit budget_state(const budget_options& options) noexcept;
  void follow(const budget_options& options) noexcept;
  void follow(const token_budget& rule) noexcept;
  void follow(const ratio_budget& rule) noexcept;
  void follow(const throttle_budget& rule) noexcept;

  void credit() noexcept {
    if (!tokens.full()) tokens.add(read(success_credit));
  }
  std::uint32_t cost_after(fault_kind kind) const noexcept;

  /// How many retries the ratio rule allows in a window with so many requests.
  std::uint64_t allowed(std::uint64_t requests) const noexcept {
    const std::uint64_t earned = read(reserve) + requests * read(ratio_millionths) / 1000000;
    const std::uint64_t floor = read(min_retries);
    return earned < floor ? floor : earned;
  }

  static std::uint32_t read(const std::atomic<std::uint32_t>& number) noexcept {
    return number.load(std::memory_order_relaxed);
  }
  static void write(std::atomic<std::uint32_t>& number, std::uint32_t value) noexcept {
    number.store(value, std::memory_order_relaxed);
  }
};

RELENT_INLINE std::uint32_t bucket_size(const budget_options& options) noexcept {
  switch (options.kind()) {
    case budget_kind::token: return parts_below(options.token().capacity, 1000);
    case budget_kind::throttle: return parts_below(options.throttle().capacity, 1000);
    case budget_kind::none:
    case budget_kind::ratio: return 0;
  }
  return 0;
}

RELENT_INLINE budget_state::budget_state(const budget_options& options) noexcept
    : tokens(bucket_size(options)), window(options.ratio().window) {
  follow(options);
}

RELENT_INLINE void budget_state::follow(const budget_options& options) noexcept {
  switch (options.kind()) {
    case budget_kind::none: return;
    case budget_kind::token: return follow(options.token());
    case budget_kind::ratio: return follow(options.ratio());
    case budget_kind::throttle: return follow(options.throttle());
  }
}

RELENT_INLINE void budget_state::follow(const token_budget& rule) noexcept {
  write(success_credit, parts_below(rule.success_credit, 1000));
  write(retry_cost, thousandths_above(rule.retry_cost));
  write(timeout_cost, thousandths_above(rule.timeout_cost.value_or(rule.retry_cost)));
  write(rate_limited_cost, thousandths_above(rule.rate_limited_cost.value_or(rule.retry_cost)));
  refund_last_cost.store(rule.refund_last_cost, std::memory_order_relaxed);
}

RELENT_INLINE void budget_state::follow(const ratio_budget& rule) noexcept {
  write(ratio_millionths, parts_below(rule.ratio, 1e6));
  write(min_retries, rule.min_retries);
  write(reserve, rule.reserve);
}

RELENT_INLINE void budget_state::follow(const throttle_budget& rule) noexcept {
  write(success_credit, parts_below(rule.success_credit, 1000));
}

RELENT_INLINE std::uint32_t budget_state::cost_after(fault_kind kind) const noexcept {
  if (kind == fault_kind::timeout) return read(timeout_cost);
  const bool throttled = kind == fault_kind::rate_limited || kind == fault_kind::overloaded;
  return read(throttled ? rate_limited_cost : retry_cost);
}

}  // namespace detail

RELENT_INLINE detail::budget_state& budget::state() noexcept {
  return *std::launder(reinterpret_cast<detail::budget_state*>(storage_));
}

RELENT_INLINE const detail::budget_state& budget::state() const noexcept {
  return *std::launder(reinterpret_cast<const detail::budget_state*>(storage_));
}

RELENT_INLINE budget::budget(const budget_options& options) : kind_(options.kind()) {
  static_assert(sizeof(detail::budget_state) <= sizeof storage_ && alignof(detail::budget_state) <= 64);
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  if (const problem_list found = problems(options); !found.empty()) throw options_error(found);
  ::new (static_cast<void*>(storage_)) detail::budget_state(options);
}

RELENT_INLINE void budget::requested(time_point now) noexcept {
  if (kind_ == budget_kind::ratio) state().window.add_request(now);
}

RELENT_INLINE bool budget::try_take(fault_kind after, time_point now) noexcept {
  detail::budget_state& s = state();
  const auto granted = [&] {
    switch (kind_) {
      case budget_kind::none: return true;
      case budget_kind::token: return s.tokens.take(s.cost_after(after));
      case budget_kind::ratio: return s.window.grant(now, [&s](std::uint64_t n) { return s.allowed(n); });
      case budget_kind::throttle: return s.tokens.more_than_half_full();
    }
    return false;
  }();
  if (!granted) s.refusals.fetch_add(1, std::memory_order_relaxed);
  return granted;
}

RELENT_INLINE void budget::give_back(fault_kind after, time_point now) noexcept {
  detail::budget_state& s = state();
  if (kind_ == budget_kind::token) s.tokens.add(s.cost_after(after));
  if (kind_ == budget_kind::ratio) s.window.give_back(now);
}

RELENT_INLINE void budget::failed(time_point /*now*/) noexcept {
  if (kind_ == budget_kind::throttle) state().tokens.drain(1000);
}

RELENT_INLINE void budget::succeeded(time_point /*now*/) noexcept {
  if (kind_ == budget_kind::token || kind_ == budget_kind::throttle) state().credit();
}

RELENT_INLINE void budget::succeeded_after_retry(fault_kind last_retry_after, time_point now) noexcept {
  detail::budget_state& s = state();
  if (kind_ == budget_kind::token && s.refund_last_cost.load(std::memory_order_relaxed))
    s.tokens.add(s.cost_after(last_retry_after));
  else
    succeeded(now);
}

RELENT_INLINE double budget::balance(time_point now) const noexcept {
  const detail::budget_state& s = state();
  switch (kind_) {
    case budget_kind::none: return std::numeric_limits<double>::infinity();
    case budget_kind::token:
    case budget_kind::throttle: return s.tokens.level() / 1000.0;
    case budget_kind::ratio:
      return static_cast<double>(s.window.grantable(now, [&s](std::uint64_t n) { return s.allowed(n); }));
  }
  return 0;
}

RELENT_INLINE std::uint64_t budget::refusals() const noexcept {
  return state().refusals.load(std::memory_order_relaxed);
}

RELENT_INLINE void budget::reconfigure(const budget_options& options) {
  detail::budget_state& s = state();
  problem_list found = problems(options);
  found.require(options.kind() == kind_, "budget.kind", "must stay the same when a budget is reconfigured");
  if (kind_ == budget_kind::ratio && options.kind() == kind_)
    found.require(s.window.spans(options.ratio().window), "budget.window",
                  "must stay the same when a budget is reconfigured");
  if (!found.empty()) throw options_error(found);

  // Two at once would leave a mixture of both behind.
  for (detail::contention others; s.reconfiguring.exchange(true, std::memory_order_acquire);) others.wait();
  s.follow(options);
  if (kind_ == budget_kind::token || kind_ == budget_kind::throttle)
    s.tokens.resize(detail::bucket_size(options));
  s.reconfiguring.store(false, std::memory_order_release);
}

}  // namespace relent
