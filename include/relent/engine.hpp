// SPDX-License-Identifier: Apache-2.0
// The engine: everything that decides whether, when and why a call is tried again is here, the single questions
// in impl/engine_rules.ipp.
// It does no I/O, knows no clock, takes no lock, allocates nothing, throws nothing. Layer 2.
//
// The contract
//   A call is a call_state, a value of at most 32 bytes that its driver keeps. Besides it, the functions take
//   the policy, what calls share (shared_state), the present instant and a source of random numbers.
//   Each returns what to do next:
//     attempt   start an attempt; report it by failed(), succeeded() or abandon()
//     wait      sleep until `until`, then ask woke()
//     refresh   renew the credentials, then ask refreshed()
//     stop      the call is over; `reason` says why. The last real error is the call's result.
//   After a failed attempt the questions stand in this order, and the first that says stop gives the reason:
//     cancelled, vetoed, permanent, not_replayable, unsafe, nested, attempts, server_delay, deadline, breaker, budget.
//   Order of calls: begin, then (failed | succeeded) after each attempt, woke after each wait, refreshed after
//   each refresh. abandon ends a call at any point. An input that the state does not expect is an error of the
//   driver: asserted in debug builds.
//   `now` should not run backwards; where it does, time counts as standing still.
//   Waking early is harmless: woke() answers with the same wait again.
//   One call_state belongs to one thread at a time; shared_state may be used by any number of calls at once.
#pragma once

#include <relent/call_state.hpp>
#include <relent/deadline.hpp>
#include <relent/event.hpp>
#include <relent/fault.hpp>
#include <relent/impl/engine_rules.ipp>
#include <relent/policy.hpp>
#include <relent/random.hpp>

#include <cassert>
#include <cstdint>

namespace relent::engine {

/// Whether succeeded() needs the present instant; if not, time_point::min() will do.
inline bool success_reads_time(const shared_state& shared) noexcept {
  return (shared.budget != nullptr && shared.budget->reads_time()) ||
         (shared.breaker != nullptr && shared.breaker->reads_time()) || shared.sender_limit != nullptr;
}

/// Whether begin() needs the present instant; if not, time_point::min() will do and no clock need be read.
inline bool begin_reads_time(const policy& rules, const shared_state& shared,
                             const surroundings& around) noexcept {
  return rules->deadline || rules->attempt_timeout || around.outer_deadline != no_deadline ||
         success_reads_time(shared);
}

/// A call begins. Asks, as before every attempt: not cancelled, time left, admitted by the breaker.
[[gnu::always_inline]] constexpr decision begin(call_state& call, const policy& rules,
                                                const shared_state& shared, const surroundings& around,
                                                time_point now, bool cancelled = false) noexcept {
  call = call_state{};
  call.instant = now;
  call.deadline = deadline_from(now, rules->deadline, around.outer_deadline);
  if (around.inside_attempt && rules->nested == nesting::single_attempt) call.single_attempt = 1;
  return detail::before_attempt(call, rules, shared, now, cancelled);
}

/// The attempt in hand failed. Asks the questions in the order of the contract above; the budget comes last,
/// because it is the only one that takes something.
template <random_source Random>
constexpr decision failed(call_state& call, const policy& rules, const shared_state& shared, const fault& f,
                          const operation& op, time_point now, Random& random, bool cancelled = false) {
  assert(detail::doing(call) == phase::running);
  now = detail::advance(call, now);
  if (shared.breaker != nullptr) detail::settle_permit(call, *shared.breaker, f, now, random);
  if (shared.sender_limit != nullptr) detail::tell_sender_limit(*shared.sender_limit, f, now);
  if (cancelled || f.kind == fault_kind::cancelled)
    return detail::end(call, shared, now, stop_reason::cancelled);
  if (shared.budget != nullptr && (f.vetoed || detail::is_transient(rules, f, op)))
    shared.budget->failed(now);
  if (f.kind == fault_kind::unauthenticated && shared.can_refresh && call.refreshed == 0 && !f.vetoed) {
    call.refreshed = 1;
    detail::now_doing(call, phase::refreshing);
    return {.action = action::refresh};
  }
  if (const auto forbidden = detail::forbids_retry(call, rules, f, op))
    return detail::end(call, shared, now, *forbidden);
  const detail::planned_wait wait = detail::plan_wait(call, rules, f, random);
  const time_point until = saturating_add(now, wait.length);
  if (!fits_before(call.deadline, until, rules->least_attempt_time))
    return detail::end(call, shared, now, stop_reason::deadline);
  if (shared.breaker != nullptr && !shared.breaker->admits_by(until))
    return detail::end(call, shared, now, stop_reason::breaker);
  if (shared.budget != nullptr) {
    if (!shared.budget->try_take(f.kind, now)) return detail::end(call, shared, now, stop_reason::budget);
    call.has_token = 1;
  }
  detail::count_retry(call, f.kind);
  return detail::start_waiting(call, until, wait.source);
}

/// A wait ended, or was cut short by a cancel or an early wake-up (which gets the same wait again).
constexpr decision woke(call_state& call, const policy& rules, const shared_state& shared, time_point now,
                        bool cancelled = false) noexcept {
  assert(detail::doing(call) == phase::waiting || detail::doing(call) == phase::refreshing);
  if (!cancelled && now < call.instant)
    return detail::wait(call.instant, static_cast<wait_source>(call.waits_for));
  return detail::before_attempt(call, rules, shared, cancelled ? now : detail::advance(call, now), cancelled);
}

/// The credentials were renewed (or could not be): the same attempt is made again with a new request.
constexpr decision refreshed(call_state& call, const policy& rules, const shared_state& shared,
                             time_point now, bool renewed, bool cancelled = false) noexcept {
  assert(detail::doing(call) == phase::refreshing);
  now = detail::advance(call, now);
  if (!renewed && !cancelled) return detail::end(call, shared, now, stop_reason::permanent);
  return detail::before_attempt(call, rules, shared, now, cancelled);
}

/// The attempt in hand succeeded: budget and breaker are credited. The call is over.
[[gnu::always_inline]] constexpr void succeeded(call_state& call, const shared_state& shared,
                                                time_point now) noexcept {
  assert(detail::doing(call) == phase::running);
  if (shared.breaker != nullptr && call.has_permit != 0)
    shared.breaker->succeeded(detail::give_up_permit(call), now);
  if (shared.budget != nullptr) {
    if (call.attempt <= 1)
      shared.budget->succeeded(now);
    else
      shared.budget->succeeded_after_retry(static_cast<fault_kind>(call.last_fault), now);
  }
  if (shared.sender_limit != nullptr) shared.sender_limit->succeeded(now);
  detail::now_doing(call, phase::idle);
}

/// The call is dropped, whatever it was doing: permit and token go back.
constexpr void abandon(call_state& call, const shared_state& shared, time_point now) noexcept {
  if (shared.breaker != nullptr && call.has_permit != 0)
    shared.breaker->abandoned(detail::give_up_permit(call), now);
  detail::give_token_back(call, shared, now);
  detail::now_doing(call, phase::idle);
}

/// By when the attempt that starts at `now` must have ended: the attempt time-out or the call's deadline.
constexpr time_point attempt_ends(const call_state& call, const policy& rules, time_point now) noexcept {
  return attempt_deadline(call.deadline, now, rules->attempt_timeout);
}

}  // namespace relent::engine
