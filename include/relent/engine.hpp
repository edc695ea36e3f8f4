// SPDX-License-Identifier: Apache-2.0
// The engine: everything that decides whether, when and why a call is tried again is in this file.
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
//   Order of calls: begin, then (failed | succeeded) after each attempt, woke after each wait, refreshed after
//   each refresh. abandon ends a call at any point. An input that the state does not expect is an error of the
//   driver: asserted in debug builds.
//   `now` should not run backwards; where it does, time counts as standing still.
//   Waking early is harmless: woke() answers with the same wait again.
//   One call_state belongs to one thread at a time; shared_state may be used by any number of calls at once.
#pragma once

#include <relent/backoff.hpp>
#include <relent/breaker.hpp>
#include <relent/budget.hpp>
#include <relent/deadline.hpp>
#include <relent/event.hpp>
#include <relent/fault.hpp>
#include <relent/policy.hpp>
#include <relent/random.hpp>
#include <relent/sender_limit.hpp>

#include <cassert>
#include <cstdint>
#include <relent/optional.hpp>
#include <type_traits>

namespace relent::engine {

/// What all calls to one dependency share; any part may be absent.
struct shared_state {
  relent::budget* budget = nullptr;
  relent::breaker* breaker = nullptr;
  relent::sender_limit* sender_limit = nullptr;
  /// Whether there is a hook that renews credentials after an unauthenticated fault.
  bool can_refresh = false;
};

/// What surrounds a call.
struct surroundings {
  /// The enclosing attempt's deadline; no call outlives it.
  time_point outer_deadline = no_deadline;
  /// Whether the call runs inside an attempt of another relent call.
  bool inside_attempt = false;
};

/// What is known about the operation when an attempt of it has failed.
struct operation {
  /// It may be done twice: safe, idempotent, or the caller says so.
  bool repeatable = true;
  /// It carries an idempotency key (which makes it repeatable, and a conflict worth another try).
  bool has_key = false;
};

enum class phase : std::uint8_t { idle, running, waiting, refreshing };

/// The state of one call. Trivially copyable, at most 32 bytes; its members are the engine's.
struct call_state {
  time_point deadline = no_deadline;
  /// The latest instant seen; while waiting, the end of the wait.
  time_point instant = time_point::min();
  backoff_memory backoff = {};
  std::uint32_t attempt = 0;                 // the attempt in hand, from 1
  std::uint16_t generation = 0;              // of the breaker's permit
  // One byte for what every attempt writes, one for the rest: a processor stalls when it reads a word of
  // which it has just written a byte.
  std::uint8_t probe : 1 = 0;                // of the breaker's permit
  std::uint8_t has_permit : 1 = 0;           // the breaker's permit is not settled yet
  std::uint8_t has_token : 1 = 0;            // granted by the budget for an attempt that has not started
  std::uint8_t single_attempt : 1 = 0;
  std::uint8_t doing : 2 = 0;                // phase
  std::uint8_t waits_for : 2 = 0;            // wait_source
  std::uint8_t refreshed : 1 = 0;
  std::uint8_t server_error_retries : 3 = 0;
  std::uint8_t last_fault : 4 = 0;           // the kind of fault before the latest retry
};
static_assert(sizeof(call_state) <= 32);
static_assert(std::is_trivially_copyable_v<call_state>);
static_assert(fault_kind_count <= 16);

enum class action : std::uint8_t { attempt, wait, refresh, stop };

/// What the driver must do next.
struct decision {
  engine::action action = engine::action::stop;
  /// For a wait: where it came from.
  wait_source source = wait_source::backoff;
  /// For a stop: why.
  stop_reason reason = stop_reason::permanent;
  /// For a wait: its end.
  time_point until = time_point::min();

  friend constexpr bool operator==(const decision&, const decision&) = default;
};

namespace detail {

constexpr decision attempt() noexcept { return {.action = action::attempt}; }
constexpr decision stop(stop_reason why) noexcept { return {.action = action::stop, .reason = why}; }
constexpr decision wait(time_point until, wait_source source) noexcept {
  return {.action = action::wait, .source = source, .until = until};
}

constexpr phase doing(const call_state& call) noexcept { return static_cast<phase>(call.doing); }
constexpr void now_doing(call_state& call, phase what) noexcept { call.doing = static_cast<std::uint8_t>(what) & 3U; }

constexpr time_point advance(call_state& call, time_point now) noexcept {
  if (now > call.instant) call.instant = now;
  return call.instant;
}

/// A token taken for an attempt that never started is given back.
constexpr void give_token_back(call_state& call, const shared_state& shared, time_point now) noexcept {
  if (call.has_token == 0 || shared.budget == nullptr) return;
  call.has_token = 0;
  shared.budget->give_back(static_cast<fault_kind>(call.last_fault), now);
}

constexpr decision end(call_state& call, const shared_state& shared, time_point now, stop_reason why) noexcept {
  give_token_back(call, shared, now);
  now_doing(call, phase::idle);
  return stop(why);
}

constexpr decision start_waiting(call_state& call, time_point until, wait_source source) noexcept {
  call.instant = until;
  call.waits_for = static_cast<std::uint8_t>(source) & 3U;
  if (doing(call) != phase::refreshing) now_doing(call, phase::waiting);
  return wait(until, source);
}

inline bool take_permit(call_state& call, relent::breaker& breaker, time_point now) noexcept {
  relent::breaker::permit permit;
  if (!breaker.admits(now, permit)) return false;
  call.generation = permit.generation;
  call.probe = permit.probe ? 1 : 0;
  call.has_permit = 1;
  return true;
}

inline relent::breaker::permit give_up_permit(call_state& call) noexcept {
  call.has_permit = 0;
  relent::breaker::permit permit;
  permit.generation = static_cast<std::uint16_t>(call.generation);
  permit.probe = call.probe != 0;
  return permit;
}

/// The dependency answered as a healthy one does, though not with a success: a 404, a conflict.
constexpr bool proves_health(const fault& f) noexcept {
  return !f.local && (f.kind == fault_kind::rejected || f.kind == fault_kind::unauthenticated ||
                      f.kind == fault_kind::conflict || f.kind == fault_kind::aborted);
}

template <random_source Random>
void settle_permit(call_state& call, relent::breaker& breaker, const fault& f, time_point now, Random& random) noexcept {
  if (call.has_permit == 0) return;
  const relent::breaker::permit permit = give_up_permit(call);
  if (concerns_health(f))
    breaker.failed(permit, now, random_ref{random});
  else if (proves_health(f))
    breaker.succeeded(permit, now);
  else
    breaker.abandoned(permit, now);
}

/// The attempt that the call would start next: after a refresh, the same again.
constexpr std::uint32_t next_number(const call_state& call) noexcept {
  return static_cast<std::uint32_t>(call.attempt) + (doing(call) == phase::refreshing ? 0U : 1U);
}

/// The questions before every attempt, the first included.
[[gnu::always_inline]] constexpr decision before_attempt(call_state& call, const policy& rules, const shared_state& shared,
                                                        time_point now, bool cancelled) noexcept {
  if (cancelled) return end(call, shared, now, stop_reason::cancelled);
  if (!fits_before(call.deadline, now, rules->least_attempt_time))
    return end(call, shared, now, stop_reason::deadline);
  if (shared.sender_limit != nullptr) {
    const duration delay = shared.sender_limit->acquire(now);
    if (delay > duration::zero()) {
      const time_point until = saturating_add(now, delay);
      if (!fits_before(call.deadline, until, rules->least_attempt_time))
        return end(call, shared, now, stop_reason::deadline);
      return start_waiting(call, until, wait_source::sender_limit);
    }
  }
  if (shared.breaker != nullptr && !take_permit(call, *shared.breaker, now))
    return end(call, shared, now, stop_reason::breaker);
  if (call.attempt == 0 && shared.budget != nullptr) shared.budget->requested(now);
  call.attempt = next_number(call);
  call.has_token = 0;  // spent
  now_doing(call, phase::running);
  return attempt();
}

/// The effect, as far as this policy trusts the server.
constexpr effect trusted_effect(const policy& rules, const fault& f) noexcept {
  return rules->no_effect_on.contains(f.kind) ? effect::none : effect_of(f);
}

constexpr bool is_transient(const policy& rules, const fault& f, const operation& op) noexcept {
  if (f.kind == fault_kind::conflict && !op.has_key) return false;
  return f.transient ? *f.transient : rules->retry_on.contains(f.kind);
}

constexpr bool own_limit_reached(const call_state& call, const policy& rules, const fault& f) noexcept {
  return f.kind == fault_kind::server_error && rules->server_error_retries &&
         call.server_error_retries >= *rules->server_error_retries;
}

/// Questions 2 to 6: what the fault and the counts say, before any time is looked at.
constexpr optional<stop_reason> forbids_retry(const call_state& call, const policy& rules, const fault& f,
                                                   const operation& op) noexcept {
  if (f.vetoed) return stop_reason::vetoed;
  if (!is_transient(rules, f, op)) return stop_reason::permanent;
  if (trusted_effect(rules, f) == effect::possible && !op.repeatable && !op.has_key) return stop_reason::unsafe;
  if (call.single_attempt != 0 && rules->max_attempts > 1) return stop_reason::nested;
  if (call.attempt >= rules->max_attempts || own_limit_reached(call, rules, f)) return stop_reason::attempts;
  if (f.server_delay && *f.server_delay > rules->max_server_delay) return stop_reason::server_delay;
  return nullopt;
}

struct planned_wait {
  duration length;
  wait_source source;
};

/// max(backoff, server delay), the latter lengthened by its spread.
template <random_source Random>
constexpr planned_wait plan_wait(call_state& call, const policy& rules, const fault& f, Random& random) {
  const bool limited = f.kind == fault_kind::rate_limited || f.kind == fault_kind::overloaded;
  const duration own =
      next_wait(rules->backoff, static_cast<std::uint32_t>(call.attempt), call.backoff, random, limited);
  if (!f.server_delay || *f.server_delay <= own) return {own, wait_source::backoff};
  const duration widest = saturate(static_cast<double>(f.server_delay->count()) * rules->server_delay_spread);
  const duration spread = widest > duration::zero() ? uniform_below(random.next(), widest) : duration::zero();
  return {saturating_add(*f.server_delay, spread), wait_source::server_delay};
}

constexpr void count_retry(call_state& call, fault_kind after) noexcept {
  call.last_fault = static_cast<std::uint8_t>(after) & 15U;
  if (after == fault_kind::server_error && call.server_error_retries < 7) ++call.server_error_retries;
}

}  // namespace detail

/// Whether begin() needs the present instant; if not, time_point::min() will do and no clock need be read.
inline bool begin_reads_time(const policy& rules, const shared_state& shared, const surroundings& around) noexcept {
  return rules->deadline || rules->attempt_timeout || around.outer_deadline != no_deadline ||
         (shared.budget != nullptr && shared.budget->reads_time()) ||
         (shared.breaker != nullptr && shared.breaker->reads_time()) || shared.sender_limit != nullptr;
}

/// Whether succeeded() needs the present instant; if not, time_point::min() will do.
inline bool success_reads_time(const shared_state& shared) noexcept {
  return (shared.budget != nullptr && shared.budget->reads_time()) ||
         (shared.breaker != nullptr && shared.breaker->reads_time()) || shared.sender_limit != nullptr;
}

/// A call begins. Asks, as before every attempt: not cancelled, time left, admitted by the breaker.
[[gnu::always_inline]] constexpr decision begin(call_state& call, const policy& rules, const shared_state& shared,
                         const surroundings& around, time_point now, bool cancelled = false) noexcept {
  call = call_state{};
  call.instant = now;
  call.deadline = deadline_from(now, rules->deadline, around.outer_deadline);
  if (around.inside_attempt && rules->nested == nesting::single_attempt) call.single_attempt = 1;
  return detail::before_attempt(call, rules, shared, now, cancelled);
}

/// The attempt in hand failed. Asks the questions of the class comment in their order; the budget comes last,
/// because it is the only one that takes something.
template <random_source Random>
constexpr decision failed(call_state& call, const policy& rules, const shared_state& shared, const fault& f,
                          const operation& op, time_point now, Random& random, bool cancelled = false) {
  assert(detail::doing(call) == phase::running);
  now = detail::advance(call, now);
  if (shared.breaker != nullptr) detail::settle_permit(call, *shared.breaker, f, now, random);
  if (shared.sender_limit != nullptr && !f.local &&
      (f.kind == fault_kind::rate_limited || f.kind == fault_kind::overloaded))
    shared.sender_limit->throttled(now);
  if (cancelled || f.kind == fault_kind::cancelled) return detail::end(call, shared, now, stop_reason::cancelled);
  if (shared.budget != nullptr && (f.vetoed || detail::is_transient(rules, f, op))) shared.budget->failed(now);
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
constexpr decision refreshed(call_state& call, const policy& rules, const shared_state& shared, time_point now,
                             bool renewed, bool cancelled = false) noexcept {
  assert(detail::doing(call) == phase::refreshing);
  now = detail::advance(call, now);
  if (!renewed && !cancelled) return detail::end(call, shared, now, stop_reason::permanent);
  return detail::before_attempt(call, rules, shared, now, cancelled);
}

/// The attempt in hand succeeded: budget and breaker are credited. The call is over.
[[gnu::always_inline]] constexpr void succeeded(call_state& call, const shared_state& shared, time_point now) noexcept {
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
