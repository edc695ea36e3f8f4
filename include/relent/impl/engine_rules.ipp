// SPDX-License-Identifier: Apache-2.0
// The single questions of the engine and how the state moves; engine.hpp asks them in their order. All of it is
// constexpr, as far as what calls share allows, and therefore included in both modes. Layer 2.
#pragma once

#include <relent/call_state.hpp>
#include <relent/policy.hpp>
#include <relent/random.hpp>

namespace relent::engine::detail {

constexpr decision attempt() noexcept { return {.action = action::attempt}; }
constexpr decision stop(stop_reason why) noexcept { return {.action = action::stop, .reason = why}; }
constexpr decision wait(time_point until, wait_source source) noexcept {
  return {.action = action::wait, .source = source, .until = until};
}

constexpr phase doing(const call_state& call) noexcept { return static_cast<phase>(call.doing); }
constexpr void now_doing(call_state& call, phase what) noexcept {
  call.doing = static_cast<std::uint8_t>(what) & 3U;
}

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

constexpr decision end(call_state& call, const shared_state& shared, time_point now,
                       stop_reason why) noexcept {
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
void settle_permit(call_state& call, relent::breaker& breaker, const fault& f, time_point now,
                   Random& random) noexcept {
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
[[gnu::always_inline]] constexpr decision before_attempt(call_state& call, const policy& rules,
                                                         const shared_state& shared, time_point now,
                                                         bool cancelled) noexcept {
  if (cancelled) return end(call, shared, now, stop_reason::cancelled);
  if (!fits_before(call.deadline, now, rules->least_attempt_time))
    return end(call, shared, now, stop_reason::deadline);
  if (shared.sender_limit != nullptr) {
    // Asked first, so that nothing is waited for, and no place among the senders taken, in vain.
    if (shared.breaker != nullptr && !shared.breaker->admits_by(now))
      return end(call, shared, now, stop_reason::breaker);
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

/// Questions 2 to 7: what the fault and the counts say, before any time is looked at.
constexpr optional<stop_reason> forbids_retry(const call_state& call, const policy& rules, const fault& f,
                                              const operation& op) noexcept {
  if (f.vetoed) return stop_reason::vetoed;
  if (!is_transient(rules, f, op)) return stop_reason::permanent;
  if (!f.replayable) return stop_reason::not_replayable;
  if (trusted_effect(rules, f) == effect::possible && !op.repeatable && !op.has_key)
    return stop_reason::unsafe;
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

/// The senders' limit learns of every attempt that reached the dependency.
inline void tell_sender_limit(relent::sender_limit& limit, const fault& f, time_point now) noexcept {
  if (f.local || f.kind == fault_kind::cancelled) return;
  if (f.kind == fault_kind::rate_limited || f.kind == fault_kind::overloaded)
    limit.throttled(now);
  else
    limit.succeeded(now);
}

}  // namespace relent::engine::detail
