// SPDX-License-Identifier: Apache-2.0
// Where calls begin: the first attempt, after which nearly every call is over, and the way into the loop.
#pragma once

#include <relent/impl/retry_run.ipp>
#include <relent/impl/retry_telling.ipp>
#include <relent/retry.hpp>

namespace relent::detail {

/// What follows a first decision that is not to make an attempt.
[[gnu::noinline]] RELENT_INLINE refusal go_on_without_attempt(
    const policy& rules, call_context& call, call_context* enclosing, erased_operation& operation,
    const engine::call_state& state, time_point began, const engine::decision& first) {
  return call_run(rules, call, enclosing, operation, state, began).go_on(first);
}

/// What follows a first attempt that failed, or of whose success somebody is told. It began when the call did.
[[gnu::noinline]] RELENT_INLINE refusal go_on_after_attempt(const policy& rules, call_context& call,
                                                            call_context* enclosing,
                                                            erased_operation& operation,
                                                            const engine::call_state& state, bool succeeded) {
  call_run run(rules, call, enclosing, operation, state, state.instant);
  return succeeded ? run.succeed() : run.go_on(run.judge());
}

/// Begins a call and makes its first attempt. Nearly every call ends here, so nothing is made ready that
/// only the others need. Inlined into each run_call, so that those with less to ask about ask less.
[[gnu::always_inline]] inline refusal start_call(const policy& rules, dependency* shared,
                                                 const call_options& options, erased_operation& operation) {
  // Aligned, because in every second place on the stack a success is measurably slower.
  alignas(32) call_context call(options, shared, clock_of(shared, options));
  if (options.idempotency_key) [[unlikely]]
    call.key = idempotency_key(*options.idempotency_key);  // refuses a bad one
  call_context* const outer = enclosing_attempt();
  call_context* const enclosing = options.outer != nullptr ? &attempt_access::call_of(*options.outer) : outer;
  // An attempt of another thread is only looked at: it may have several such calls at once.
  call_context* const hears = options.outer != nullptr ? nullptr : outer;
  engine::surroundings around;
  if (enclosing != nullptr) [[unlikely]]
    around = surroundings_in(*enclosing, *call.clock);
  if (options.enclosed) [[unlikely]]
    around.inside_attempt = true;
  const engine::shared_state& sharing = shared_by(shared);
  const bool told = options.report != nullptr || (shared != nullptr && !shared->observers().empty());
  const bool timed = told || options.deadline || engine::begin_reads_time(rules, sharing, around);
  const time_point began = timed ? call.clock->now() : time_point::min();
  around.outer_deadline = deadline_from(began, options.deadline, around.outer_deadline);

  engine::call_state state;
  const engine::decision first =
      engine::begin(state, rules, sharing, around, began, options.stop.requested());
  if (first.action != engine::action::attempt) [[unlikely]] {
    // Copies, so that the originals need never be in memory.
    const engine::call_state kept = state;
    const engine::decision kept_first = first;
    return go_on_without_attempt(rules, call, hears, operation, kept, began, kept_first);
  }
  if (timed) call.attempt_deadline = engine::attempt_ends(state, rules, began);
  const bool succeeded = make_attempt(operation, call, outer);
  if (!succeeded || told) [[unlikely]] {
    const engine::call_state kept = state;  // likewise
    return go_on_after_attempt(rules, call, hears, operation, kept, succeeded);
  }
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
