// SPDX-License-Identifier: Apache-2.0
// The blocking loop: asks the engine, does what it says, and tells those who want to know.
#pragma once

#include <relent/impl/real_clock.ipp>
#include <relent/retry.hpp>

#include <stdexcept>

namespace relent::detail {

/// The call whose attempt the calling thread is in; null outside of any.
RELENT_INLINE call_context*& enclosing_attempt() noexcept {
  static thread_local constinit call_context* enclosing = nullptr;
  return enclosing;
}

RELENT_INLINE relent::clock& clock_of(const dependency* shared, const call_options& options) noexcept {
  if (options.clock != nullptr) return *options.clock;
  return shared != nullptr && shared->clock() != nullptr ? *shared->clock() : steady_clock();
}

RELENT_INLINE random_ref random_of(const dependency* shared, const call_options& options) noexcept {
  static constinit thread_random of_the_thread;
  if (options.random) return *options.random;
  return shared != nullptr && shared->random() ? *shared->random() : random_ref(of_the_thread);
}

RELENT_INLINE const engine::shared_state& shared_by(const dependency* shared) noexcept {
  static constexpr engine::shared_state nothing{};
  return shared != nullptr ? shared->shared() : nothing;
}

RELENT_INLINE std::string_view call_context::key_text() {
  if (options->idempotency_key) return *options->idempotency_key;
  if (!key) key = relent::idempotency_key::make(clock->wall_now(), random_of(shared, *options));
  return key->text();
}

/// Called in a catch clause: keeps the exception in flight and classifies it.
[[gnu::noinline]] RELENT_INLINE void attempt_threw(call_context& call) noexcept {
  failure_notes& notes = call.notes();
  notes.exception = std::current_exception();
  if (call.options->classify != nullptr) {
    if (const auto found = call.options->classify(notes.exception)) {
      call.last_fault = *found;
      return;
    }
  }
  if (notes.handed_up && notes.handed_up_exception && notes.handed_up_exception == notes.exception)
    call.last_fault = notes.handed_up;
  else
    call.last_fault = classify(notes.exception);
}

/// What a call must know of the attempt around it: its deadline, on the call's own clock.
[[gnu::noinline]] RELENT_INLINE engine::surroundings surroundings_in(const call_context& enclosing,
                                                                     relent::clock& clock) noexcept {
  const time_point ends = enclosing.attempt_deadline;
  if (ends == no_deadline || enclosing.clock == &clock) return {.outer_deadline = ends, .inside_attempt = true};
  return {.outer_deadline = saturating_add(clock.now(), time_between(enclosing.clock->now(), ends)),
          .inside_attempt = true};
}

/// Makes an attempt; within it the thread knows the call as the enclosing one, and `outer` again afterwards.
[[gnu::always_inline]] inline bool make_attempt(erased_operation& operation, call_context& call, call_context* outer) {
  bool succeeded = false;
  enclosing_attempt() = &call;
  try {
    succeeded = operation.attempt(operation, call);
  } catch (...) {
    attempt_threw(call);
  }
  enclosing_attempt() = outer;
  return succeeded;
}

/// The loop, from the end of the first attempt on. It exists only if that attempt failed or was not to be, or
/// if somebody is told of the call; what it shares with a plain success is in run_call.
class call_run {
 public:
  call_run(const policy& rules, call_context& call, call_context* enclosing, erased_operation& operation,
           const engine::call_state& state, time_point began) noexcept
      : rules_(rules),
        call_(call),
        enclosing_(enclosing),
        operation_(operation),
        dependency_(call.shared),
        shared_(shared_by(call.shared)),
        random_(random_of(call.shared, *call.options)),
        told_(call.options->report != nullptr || (dependency_ != nullptr && !dependency_->observers().empty())),
        state_(state),
        now_(began),
        began_(began) {}

  refusal go_on(engine::decision next) {
    for (;;) {
      switch (next.action) {
        case engine::action::attempt:
          if (attempt()) return succeed();
          next = judge();
          break;
        case engine::action::wait: next = wait(next); break;
        case engine::action::refresh: next = refresh(); break;
        case engine::action::stop: return stop(next.reason);
      }
    }
  }

  refusal succeed() {
    if (told_ || engine::success_reads_time(shared_)) now();
    engine::succeeded(state_, shared_, now_);
    if (dependency_ != nullptr) dependency_->counting().succeeded(static_cast<std::uint32_t>(state_.attempt));
    if (told_) tell_success();
    return 0;
  }

  engine::decision judge() {
    now();
    fault& what = *call_.last_fault;
    const optional<fault>& inner = call_.notes().handed_up;
    if (inner && inner->vetoed && inner->kind == what.kind) what.vetoed = true;
    const engine::operation known{.repeatable = call_.options->repeat == repeat::allowed,
                                  .has_key = call_.key.has_value()};
    const engine::decision next = engine::failed(state_, rules_, shared_, what, known, now_, random_, cancelled());
    if (dependency_ != nullptr) dependency_->counting().attempt_failed(what.kind);
    if (told_) tell_failure(next);
    return next;
  }

 private:
  bool cancelled() const noexcept { return call_.options->stop.requested(); }
  time_point now() noexcept { return now_ = call_.clock->now(); }

  bool attempt() {
    call_.number = static_cast<std::uint32_t>(state_.attempt);
    call_.attempt_deadline = engine::attempt_ends(state_, rules_, now_);
    call_.notes() = {};
    return make_attempt(operation_, call_, enclosing_attempt());
  }

  engine::decision wait(const engine::decision& what) {
    if (what.until > now_) {
      const time_point before = now_;
      call_.clock->wait_until(what.until, call_.options->stop);
      if (now() <= before && now_ < what.until && !cancelled()) note_that_time_stands_still();
    }
    const engine::decision next = engine::woke(state_, rules_, shared_, now_, cancelled());
    const bool is_retry = call_.last_fault && state_.attempt != call_.number;  // not the first, not a refreshed one
    if (is_retry && next.action == engine::action::attempt && dependency_ != nullptr) dependency_->counting().retried();
    return next;
  }

  /// A clock whose waits return while its time never moves would be an endless loop.
  void note_that_time_stands_still() {
    if (++stood_still_ < 1000) return;
    engine::abandon(state_, shared_, now_);
    throw std::logic_error("relent: the clock's wait_until returns, but its time does not move");
  }

  engine::decision refresh() {
    const bool renewed = dependency_->refresh()();
    now();
    return engine::refreshed(state_, rules_, shared_, now_, renewed, cancelled());
  }

  refusal stop(stop_reason why) {
    if (dependency_ != nullptr) dependency_->counting().stopped(why);
    hand_up(why);
    if (told_) tell_end(why);
    if (call_.notes().exception) std::rethrow_exception(std::move(call_.notes().exception));
    return call_.last_fault ? 0 : refusal_for(why);
  }

  /// The enclosing attempt learns what this call's error means, and that a spent budget forbids more retries.
  void hand_up(stop_reason why) noexcept {
    if (enclosing_ == nullptr || !call_.last_fault) return;
    failure_notes& up = enclosing_->notes();
    up.handed_up = call_.last_fault;
    up.handed_up_exception = call_.notes().exception;
    if (why == stop_reason::budget) up.handed_up->vetoed = true;
  }

  // Telling: only when a report is wanted or somebody observes. Whatever goes wrong in it is swallowed.
  void tell_success() noexcept;
  void tell_failure(const engine::decision& next) noexcept;
  void tell_end(stop_reason why) noexcept;
  void start_story();
  void emit(event what) noexcept;
  std::string error_text() const {
    if (const std::exception_ptr& thrown = call_.notes().exception) return describe(thrown);
    return operation_.text != nullptr ? operation_.text(operation_) : std::string();
  }
  duration elapsed() const noexcept { return time_between(began_, now_); }

  const policy& rules_;
  call_context& call_;
  call_context* enclosing_;
  erased_operation& operation_;
  dependency* dependency_;
  const engine::shared_state& shared_;
  random_ref random_;
  bool told_;
  bool story_started_ = false;
  std::uint32_t stood_still_ = 0;
  engine::call_state state_;
  time_point now_;
  time_point began_;
};

RELENT_INLINE void call_run::start_story() {
  if (story_started_ || call_.options->report == nullptr) return;
  story_started_ = true;
  report& story = *call_.options->report;
  story = report{};
  if (dependency_ != nullptr) story.dependency = dependency_->name();
  story.max_attempts = rules_->max_attempts;
}

RELENT_INLINE void call_run::emit(event what) noexcept {
  if (dependency_ == nullptr) return;
  what.dependency = dependency_->name();
  what.elapsed = elapsed();
  for (observer* one : dependency_->observers()) {
    try {
      one->on_event(what);
    } catch (...) {  // an observer cannot break a call
    }
  }
}

RELENT_INLINE void call_run::tell_success() noexcept {
  const auto number = static_cast<std::uint32_t>(state_.attempt);
  try {
    start_story();
    if (report* story = call_.options->report) {
      story->attempts = number;
      story->elapsed = elapsed();
      story->records.add({.number = number, .ended = elapsed()});
    }
  } catch (...) {  // no memory for the story
  }
  emit({.kind = event_kind::attempt, .attempt = number});
  emit({.kind = event_kind::outcome, .attempt = number});
}

RELENT_INLINE void call_run::tell_failure(const engine::decision& next) noexcept {
  const auto number = static_cast<std::uint32_t>(state_.attempt);
  const bool retries = next.action == engine::action::wait;
  const duration length = retries ? time_between(now_, next.until) : duration::zero();
  std::string text;
  try {
    text = error_text();
    start_story();
    if (report* story = call_.options->report) {
      attempt_record& record = story->records.add(
          {.number = number, .fault = call_.last_fault, .error_text = text.substr(0, 500), .ended = elapsed()});
      story->attempts = number;
      if (retries) {
        record.wait = length;
        record.source = next.source;
        story->waited = saturating_add(story->waited, length);
      }
    }
  } catch (...) {  // no memory for the story
  }
  emit({.kind = event_kind::attempt, .attempt = number, .fault = call_.last_fault, .error_text = text});
  if (retries)
    emit({.kind = event_kind::retry,
          .attempt = number,
          .fault = call_.last_fault,
          .error_text = text,
          .wait = length,
          .source = next.source});
}

RELENT_INLINE void call_run::tell_end(stop_reason why) noexcept {
  std::string text;
  try {
    start_story();
    if (call_.last_fault) text = error_text();
    if (report* story = call_.options->report) {
      story->stop = why;
      story->elapsed = elapsed();
      if (call_.last_fault) story->server_delay = call_.last_fault->server_delay;
    }
  } catch (...) {  // no memory for the story
  }
  emit({.kind = event_kind::outcome,
        .attempt = call_.last_fault ? call_.number : 0,
        .fault = call_.last_fault,
        .error_text = text,
        .stop = why});
}

/// What follows a first decision that is not to make an attempt.
[[gnu::noinline]] RELENT_INLINE refusal go_on_without_attempt(
    const policy& rules, call_context& call, call_context* enclosing, erased_operation& operation,
    const engine::call_state& state, time_point began, engine::decision first) {
  return call_run(rules, call, enclosing, operation, state, began).go_on(first);
}

/// What follows a first attempt that failed, or of whose success somebody is told. It began when the call did.
[[gnu::noinline]] RELENT_INLINE refusal go_on_after_attempt(
    const policy& rules, call_context& call, call_context* enclosing, erased_operation& operation,
    const engine::call_state& state, bool succeeded) {
  call_run run(rules, call, enclosing, operation, state, state.instant);
  return succeeded ? run.succeed() : run.go_on(run.judge());
}

/// Begins a call and makes its first attempt. Nearly every call ends here, so nothing is made ready that
/// only the others need. Inlined into each run_call, so that those with less to ask about ask less.
[[gnu::always_inline]] inline refusal start_call(const policy& rules, dependency* shared,
                                                                    const call_options& options,
                                                                    erased_operation& operation) {
  call_context call(options, shared, clock_of(shared, options));
  if (options.idempotency_key) [[unlikely]] call.key = idempotency_key(*options.idempotency_key);  // refuses a bad one
  call_context* const outer = enclosing_attempt();
  call_context* const enclosing = options.outer != nullptr ? &attempt_access::call_of(*options.outer) : outer;
  engine::surroundings around;
  if (enclosing != nullptr) [[unlikely]] around = surroundings_in(*enclosing, *call.clock);
  const engine::shared_state& sharing = shared_by(shared);
  const bool told = options.report != nullptr || (shared != nullptr && !shared->observers().empty());
  const bool timed = told || options.deadline || engine::begin_reads_time(rules, sharing, around);
  const time_point began = timed ? call.clock->now() : time_point::min();
  around.outer_deadline = deadline_from(began, options.deadline, around.outer_deadline);

  engine::call_state state;
  const engine::decision first =
      engine::begin(state, rules, sharing, around, began, options.stop.requested());
  if (first.action != engine::action::attempt) [[unlikely]]
    return go_on_without_attempt(rules, call, enclosing, operation, state, began, first);
  call.number = 1;
  call.attempt_deadline = timed ? engine::attempt_ends(state, rules, began) : no_deadline;
  const bool succeeded = make_attempt(operation, call, outer);
  if (!succeeded || told) [[unlikely]]
    return go_on_after_attempt(rules, call, enclosing, operation, state, succeeded);
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
