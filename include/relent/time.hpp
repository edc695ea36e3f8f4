// SPDX-License-Identifier: Apache-2.0
// Instants and lengths of time, and arithmetic on them that saturates instead of overflowing.
// Nothing here can read the time: `timeline` has no now(). Reading is the business of a clock
// (clock.hpp), which drivers hold. Layer 0.
#pragma once

#include <chrono>
#include <cstdint>

namespace relent {

/// Every length of time is in whole nanoseconds; any coarser std::chrono type converts implicitly.
using duration = std::chrono::nanoseconds;

/// The axis on which instants lie: monotonic, with an origin that only its clock knows.
/// Deliberately not a clock: without now() the engine cannot read time, it must be told.
struct timeline {
  using duration = relent::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<timeline, duration>;
  static constexpr bool is_steady = true;
};

/// An instant on the timeline.
using time_point = timeline::time_point;

/// The longest representable length of time, about 292 years.
inline constexpr duration max_duration = duration::max();

/// The last representable instant; nothing is scheduled after it.
inline constexpr time_point end_of_time = time_point::max();

namespace detail {
// Lengths for the defaults of options. Converting std::chrono's own types would cost every include more than
// the rest of this file.
constexpr duration milliseconds(duration::rep n) noexcept { return duration{n * 1'000'000}; }
constexpr duration seconds(duration::rep n) noexcept { return milliseconds(n * 1000); }
constexpr duration minutes(duration::rep n) noexcept { return seconds(n * 60); }
}  // namespace detail

/// a + b for non-negative lengths, at most max_duration.
constexpr duration saturating_add(duration a, duration b) noexcept {
  return a > max_duration - b ? max_duration : a + b;
}

/// The instant `length` after `from`, at most end_of_time. `length` must not be negative.
constexpr time_point saturating_add(time_point from, duration length) noexcept {
  return from.time_since_epoch() > duration::zero() && length > end_of_time - from ? end_of_time
                                                                                   : from + length;
}

/// From `from` to `to`; zero if `to` lies before `from`, at most max_duration.
constexpr duration time_between(time_point from, time_point to) noexcept {
  if (to <= from) return duration::zero();
  const auto a = static_cast<std::uint64_t>(from.time_since_epoch().count());
  const auto b = static_cast<std::uint64_t>(to.time_since_epoch().count());
  const std::uint64_t gap = b - a;  // exact: the true difference is positive and fits 64 bits
  const auto longest = static_cast<std::uint64_t>(max_duration.count());
  return gap > longest ? max_duration : duration{static_cast<duration::rep>(gap)};
}

/// A length given as a floating-point count of nanoseconds, between zero and max_duration.
/// Not-a-number and negative values give zero.
constexpr duration saturate(double nanoseconds) noexcept {
  if (!(nanoseconds > 0)) return duration::zero();
  // 2^63 as a double; the greatest double below it still converts exactly.
  if (nanoseconds >= 9223372036854775808.0) return max_duration;
  return duration{static_cast<duration::rep>(nanoseconds)};
}

}  // namespace relent
