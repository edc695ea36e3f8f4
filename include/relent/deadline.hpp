// SPDX-License-Identifier: Apache-2.0
// Instants by which something must have ended: how they combine, and what still fits before them. Layer 1.
#pragma once

#include <relent/time.hpp>

#include <relent/optional.hpp>

namespace relent {

/// The deadline of a call that has none.
inline constexpr time_point no_deadline = end_of_time;

/// The deadline of a call that begins now: `length` from now, never after `outer`.
constexpr time_point deadline_from(time_point now, optional<duration> length, time_point outer) noexcept {
  if (!length) return outer;
  const time_point own = saturating_add(now, *length);
  return own < outer ? own : outer;
}

/// Whether an attempt that starts at `start` has `least` left before the deadline. Never true at or after it.
constexpr bool fits_before(time_point deadline, time_point start, duration least) noexcept {
  return deadline == no_deadline || (start < deadline && time_between(start, deadline) >= least);
}

/// What an attempt that starts at `start` gets: the attempt time-out or what is left, whichever ends first.
constexpr time_point attempt_deadline(time_point deadline, time_point start,
                                      optional<duration> attempt_timeout) noexcept {
  return deadline_from(start, attempt_timeout, deadline);
}

}  // namespace relent
