// SPDX-License-Identifier: Apache-2.0
// Where calls begin: the first attempt, after which nearly every call is over, and the way into the loop.
#pragma once

#include <relent/impl/retry_run.ipp>
#include <relent/impl/retry_telling.ipp>
#include <relent/retry.hpp>

namespace relent::detail {

/// What follows a first decision that is not to make an attempt.
[[gnu::noinline]] RELENT_INLINE refusal go_on_without_attempt(call_context& call,
                                                              const engine::call_state& state,
                                                              time_point began,
                                                              const engine::decision& first) {
  return call_run(call, state, began).go_on(first);
}

/// What follows a first attempt that failed, or of whose success somebody is told. It began when the call did.
[[gnu::noinline]] RELENT_INLINE refusal go_on_after_attempt(call_context& call,
                                                            const engine::call_state& state, bool succeeded) {
  call_run run(call, state, state.instant);
  return succeeded ? run.succeed() : run.go_on(run.judge());
}

/// Begins a call and makes its first attempt. Nearly every call ends here, so nothing is made ready that
/// only the others need. Inlined into each run_call, so that those with less to ask about ask less.
[[gnu::always_inline]] inline refusal start_call(const policy& rules, dependency* shared,
                                                 const call_options& options, erased_operation& operation) {
  call_context call(rules, shared, options, clock_of(shared, options), operation, enclosing_attempt());
  if (options.idempotency_key) [[unlikely]]
    call.key = idempotency_key(*options.idempotency_key);  // refuses a bad one
  const call_context* const outer =
      options.outer != nullptr ? &attempt_access::call_of(*options.outer) : call.enclosing;
  engine::surroundings around;
  if (outer != nullptr) [[unlikely]]
    around = surroundings_in(*outer, *call.clock);
  const engine::shared_state& sharing = shared_by(shared);
  const bool told = options.report != nullptr || (shared != nullptr && !shared->observers().empty());
  const bool timed = told || options.deadline || engine::begin_reads_time(rules, sharing, around);
  const time_point began = timed ? call.clock->now() : time_point::min();
  around.outer_deadline = deadline_from(began, options.deadline, around.outer_deadline);

  engine::call_state state;
  const engine::decision first =
      engine::begin(state, rules, sharing, around, began, options.stop.requested());
  if (first.action != engine::action::attempt) [[unlikely]] {
    const engine::decision kept = first;  // a copy, so that the original need never be in memory
    return go_on_without_attempt(call, state, began, kept);
  }
  if (timed) call.attempt_deadline = engine::attempt_ends(state, rules, began);
  const bool succeeded = make_attempt(operation, call);
  if (!succeeded || told) [[unlikely]]
    return go_on_after_attempt(call, state, succeeded);
  engine::succeeded(state, sharing, engine::success_reads_time(sharing) ? call.clock->now() : state.instant);
  if (shared != nullptr) shared->counting().succeeded(1);
  return 0;
}

RELENT_INLINE refusal run_call(const policy& rules, erased_operation& operation) {
  return start_call(rules, nullptr, no_call_options, operation);
}

RELENT_INLINE refusal run_call(dependency& shared, erased_operation& operation) {
  return start_call(shared.policy(), &shared, no_call_options, operation);
}

RELENT_INLINE refusal run_call(const policy& rules, dependency* shared, const call_options& options,
                               erased_operation& operation) {
  return start_call(rules, shared, options, operation);
}

}  // namespace relent::detail
