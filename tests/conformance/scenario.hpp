// SPDX-License-Identifier: Apache-2.0
// The vocabulary of the conformance scenarios: one call written down as plain data, and the decisions that
// every driver must come to. The scenarios are in scenarios.hpp, what all runners share in stage.hpp.
#pragma once

#include <relent/breaker.hpp>
#include <relent/budget.hpp>
#include <relent/event.hpp>
#include <relent/fault.hpp>
#include <relent/policy.hpp>
#include <relent/sender_limit.hpp>
#include <relent/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace relent::conformance {

using namespace std::chrono_literals;
using kind = fault_kind;
using why = stop_reason;
using from = wait_source;

/// A few values of a scenario; too many do not compile.
template <class T, std::size_t Capacity>
class few {
 public:
  constexpr few() = default;
  constexpr few(std::initializer_list<T> values) {
    for (const T& value : values) items_.at(size_++) = value;
  }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](std::size_t i) const { return items_[i]; }
  constexpr const T& last() const { return items_.at(size_ - 1); }
  constexpr const T& or_last(std::size_t i) const { return i < size_ ? items_[i] : last(); }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + size_; }

 private:
  std::array<T, Capacity> items_{};
  std::size_t size_ = 0;
};

// ---- what happens to the call ------------------------------------------------------------------------------

/// What happens while an attempt or a refresh runs.
struct meanwhile {
  duration takes = duration::zero();  ///< negative: the clock steps back
  bool cancelled = false;             ///< the stop token is triggered at its end
  /// Other calls open the breaker at its end, for so long.
  std::optional<duration> breaker_opens_for = std::nullopt;
};

struct scripted_attempt {
  std::optional<fault> error = std::nullopt;  ///< nothing: it succeeds
  meanwhile besides = {};
};

constexpr scripted_attempt fails(const fault& error, meanwhile besides = {}) { return {error, besides}; }
constexpr scripted_attempt fails(fault_kind kind, meanwhile besides = {}) {
  return {fault{.kind = kind}, besides};
}
constexpr scripted_attempt succeeds(meanwhile besides = {}) { return {std::nullopt, besides}; }

struct scripted_wait {
  std::optional<duration> ends_after = std::nullopt;  ///< nothing: on time; negative: the clock steps back
  bool cancelled = false;                             ///< the stop token is triggered at its end
  std::optional<duration> breaker_opens_for = std::nullopt;
};

struct scripted_refresh {
  bool works = true;
  meanwhile besides = {};
};

// ---- what the driver must do ---------------------------------------------------------------------------------

enum class act : std::uint8_t { attempt, wait, refresh, success, stop };

struct decided {
  act what = act::stop;
  std::uint32_t number = 0;                       ///< of an attempt
  std::optional<duration> length = std::nullopt;  ///< of a wait; of an attempt what it gets, if it matters
  wait_source source = wait_source::backoff;      ///< of a wait
  stop_reason reason = stop_reason::cancelled;    ///< of a stop
};

constexpr decided attempt(std::uint32_t number, std::optional<duration> time_left = std::nullopt) {
  return {.what = act::attempt, .number = number, .length = time_left};
}
constexpr decided wait(duration length, wait_source source = wait_source::backoff) {
  return {.what = act::wait, .length = length, .source = source};
}
constexpr decided refresh() { return {.what = act::refresh}; }
constexpr decided success() { return {.what = act::success}; }
constexpr decided stop(stop_reason why) { return {.what = act::stop, .reason = why}; }

// ---- a scenario --------------------------------------------------------------------------------------------

/// Waits of 100 ms, 200 ms, 400 ms, ...
inline constexpr backoff_options steady{.base = 100ms, .jitter = jitter::none};

/// The result that belongs to the decisions is not written down, for it follows from them: after a stop the
/// error of the last attempt made, or the refusal if there was none; after a success that attempt's value.
struct scenario {
  std::string_view name = {};  ///< a sentence with underscores

  policy_options policy = {.backoff = steady};
  // The dependency, and what other calls have done to it before.
  budget_options budget = relent::budget::none();
  int retries_of_others = 0;
  std::optional<breaker_options> breaker = std::nullopt;
  std::optional<duration> breaker_open_for = std::nullopt;
  std::optional<sender_limit_options> sender_limit =
      std::nullopt;  ///< given one, others were throttled just now
  bool can_refresh = false;
  // The call.
  bool repeatable = true;
  bool has_key = false;
  bool cancelled_before = false;
  bool inside_attempt = false;
  std::optional<duration> outer_time_left = std::nullopt;  ///< needs inside_attempt
  std::optional<duration> call_deadline = std::nullopt;    ///< said for this call
  std::array<double, 2> draws = {0.5, 0.5};                ///< in turn, again and again
  // The script. The last attempt and refresh are for ever; waits beyond its end are undisturbed.
  few<scripted_attempt, 6> attempts = {};
  few<scripted_wait, 6> waits = {};
  few<scripted_refresh, 2> refreshes = {};

  few<decided, 14> decisions = {};
  std::optional<double> tokens_left = std::nullopt;  ///< in the budget at the end, if it matters
};

}  // namespace relent::conformance
