// SPDX-License-Identifier: Apache-2.0
// The blocking loop: asks the engine, does what it says, and tells those who want to know.
#pragma once

#include <relent/impl/real_clock.ipp>
#include <relent/retry.hpp>

#include <stdexcept>

namespace relent::detail {

RELENT_INLINE const call_options& no_call_options() noexcept {
  static const call_options none;
  return none;
}

/// The call whose attempt the calling thread is in; null outside of any.
RELENT_INLINE call_context*& enclosing_attempt() noexcept {
  static thread_local constinit call_context* enclosing = nullptr;
  return enclosing;
}

RELENT_INLINE std::string_view call_context::key_text() {
  if (options->idempotency_key) return *options->idempotency_key;
  if (!key) key = relent::idempotency_key::make(clock->wall_now(), *random);
  return key->text();
}

RELENT_INLINE bool attempt_threw(erased_operation& self, call_context& call, fault& what) noexcept {
  self.exception = std::current_exception();
  if (call.options->classify != nullptr) {
    if (const auto found = call.options->classify(self.exception)) {
      what = *found;
      return false;
    }
  }
  if (call.handed_up.present && call.handed_up.exception && call.handed_up.exception == self.exception)
    what = call.handed_up.what;
  else
    what = classify(self.exception);
  return false;
}

/// The attempt around a call, as the call must know it: which one, and its deadline on the call's own clock.
struct enclosing_scope {
  call_context* call = nullptr;
  engine::surroundings around = {};
};

RELENT_INLINE enclosing_scope enclosing_scope_of(const call_options& options, relent::clock& clock) noexcept {
  enclosing_scope scope;
  scope.call = options.outer != nullptr ? &attempt_access::call_of(*options.outer) : enclosing_attempt();
  if (scope.call == nullptr) return scope;
  scope.around.inside_attempt = true;
  const time_point ends = scope.call->attempt_deadline;
  if (ends == no_deadline || scope.call->clock == &clock)
    scope.around.outer_deadline = ends;
  else
    scope.around.outer_deadline = saturating_add(clock.now(), time_between(scope.call->clock->now(), ends));
  return scope;
}

/// One run of the loop. Everything that happens only after a failure, or only when somebody listens, is kept
/// out of the way of the first attempt.
class call_run {
 public:
  call_run(const policy& rules, dependency* shared, const call_options& options, erased_operation& operation) noexcept
      : rules_(rules),
        dependency_(shared),
        shared_(shared != nullptr ? shared->shared() : nothing_shared()),
        operation_(operation),
        random_(random_of(shared, options)),
        call_{.options = &options, .clock = &clock_of(shared, options), .random = &random_},
        enclosing_(enclosing_scope_of(options, *call_.clock)),
        told_(options.report != nullptr || (shared != nullptr && !shared->observers().empty())) {}

  optional<stop_reason> run() {
    engine::decision next = begin();
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

 private:
  static const engine::shared_state& nothing_shared() noexcept {
    static constexpr engine::shared_state nothing{};
    return nothing;
  }
  static relent::clock& clock_of(dependency* shared, const call_options& options) noexcept {
    if (options.clock != nullptr) return *options.clock;
    return shared != nullptr && shared->clock() != nullptr ? *shared->clock() : steady_clock();
  }
  static random_ref random_of(dependency* shared, const call_options& options) noexcept {
    static constinit thread_random of_the_thread;
    if (options.random) return *options.random;
    return shared != nullptr && shared->random() ? *shared->random() : random_ref(of_the_thread);
  }

  bool cancelled() const noexcept { return call_.options->stop.requested(); }
  time_point now() noexcept { return now_ = call_.clock->now(); }

  engine::decision begin() {
    if (call_.options->idempotency_key) call_.key = idempotency_key(*call_.options->idempotency_key);
    if (told_ || call_.options->deadline || engine::begin_reads_time(rules_, shared_, enclosing_.around))
      began_ = now();
    enclosing_.around.outer_deadline =
        deadline_from(now_, call_.options->deadline, enclosing_.around.outer_deadline);
    return engine::begin(state_, rules_, shared_, enclosing_.around, now_, cancelled());
  }

  /// Makes the attempt; within it the thread knows the call as the enclosing one.
  bool attempt() {
    call_.number = static_cast<std::uint32_t>(state_.attempt);
    call_.attempt_deadline = engine::attempt_ends(state_, rules_, now_);
    if (call_.failed_before) forget_last_error();
    call_context*& enclosing = enclosing_attempt();
    call_context* const outer = enclosing;
    enclosing = &call_;
    const bool succeeded = operation_.attempt(operation_, call_, fault_);
    enclosing = outer;
    return succeeded;
  }

  void forget_last_error() noexcept {
    operation_.exception = nullptr;
    call_.handed_up = {};
    fault_ = {};
  }

  optional<stop_reason> succeed() {
    if (told_ || engine::success_reads_time(shared_)) now();
    engine::succeeded(state_, shared_, now_);
    if (dependency_ != nullptr) dependency_->counting().succeeded(static_cast<std::uint32_t>(state_.attempt));
    if (told_) tell_success();
    return nullopt;
  }

  engine::decision judge() {
    now();
    if (call_.handed_up.present && call_.handed_up.what.vetoed && call_.handed_up.what.kind == fault_.kind)
      fault_.vetoed = true;
    call_.failed_before = true;
    call_.last_fault = fault_;
    const bool has_key = call_.key.has_value();
    const engine::operation known{.repeatable = call_.options->repeat == repeat::allowed, .has_key = has_key};
    const engine::decision next =
        engine::failed(state_, rules_, shared_, fault_, known, now_, random_, cancelled());
    if (dependency_ != nullptr) dependency_->counting().attempt_failed(fault_.kind);
    if (told_) tell_failure(next);
    return next;
  }

  engine::decision wait(const engine::decision& what) {
    const time_point before = now_;
    call_.clock->wait_until(what.until, call_.options->stop);
    if (now() <= before && now_ < what.until && !cancelled()) note_that_time_stands_still();
    const engine::decision next = engine::woke(state_, rules_, shared_, now_, cancelled());
    const bool is_retry = call_.failed_before && state_.attempt != call_.number;  // not the first, not a refreshed one
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

  optional<stop_reason> stop(stop_reason why) {
    if (dependency_ != nullptr) dependency_->counting().stopped(why);
    hand_up(why);
    if (told_) tell_end(why);
    return call_.failed_before ? nullopt : optional(why);
  }

  /// The enclosing attempt learns what this call's error means, and that a spent budget forbids more retries.
  void hand_up(stop_reason why) noexcept {
    if (enclosing_.call == nullptr || !call_.failed_before) return;
    handed_up_fault& up = enclosing_.call->handed_up;
    up.present = true;
    up.what = fault_;
    up.what.vetoed = fault_.vetoed || why == stop_reason::budget;
    up.exception = operation_.exception;
  }

  // Telling: only when a report is wanted or somebody observes. Whatever goes wrong in it is swallowed.
  void tell_success() noexcept;
  void tell_failure(const engine::decision& next) noexcept;
  void tell_end(stop_reason why) noexcept;
  void start_story();
  void emit(event what) noexcept;
  duration elapsed() const noexcept { return time_between(began_, now_); }

  const policy& rules_;
  dependency* dependency_;
  const engine::shared_state& shared_;
  erased_operation& operation_;
  random_ref random_;
  call_context call_;
  enclosing_scope enclosing_;
  bool told_;
  bool story_started_ = false;
  std::uint32_t stood_still_ = 0;
  engine::call_state state_ = {};
  time_point now_ = time_point::min();
  time_point began_ = time_point::min();
  fault fault_ = {};
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
    text = operation_.text(operation_);
    start_story();
    if (report* story = call_.options->report) {
      attempt_record& record = story->records.add(
          {.number = number, .fault = fault_, .error_text = text.substr(0, 500), .ended = elapsed()});
      story->attempts = number;
      if (retries) {
        record.wait = length;
        record.source = next.source;
        story->waited = saturating_add(story->waited, length);
      }
    }
  } catch (...) {  // no memory for the story
  }
  emit({.kind = event_kind::attempt, .attempt = number, .fault = fault_, .error_text = text});
  if (retries)
    emit({.kind = event_kind::retry,
          .attempt = number,
          .fault = fault_,
          .error_text = text,
          .wait = length,
          .source = next.source});
}

RELENT_INLINE void call_run::tell_end(stop_reason why) noexcept {
  std::string text;
  try {
    start_story();
    if (call_.failed_before) text = operation_.text(operation_);
    if (report* story = call_.options->report) {
      story->stop = why;
      story->elapsed = elapsed();
      if (call_.failed_before) story->server_delay = fault_.server_delay;
    }
  } catch (...) {  // no memory for the story
  }
  emit({.kind = event_kind::outcome,
        .attempt = call_.failed_before ? call_.number : 0,
        .fault = call_.failed_before ? optional(fault_) : nullopt,
        .error_text = text,
        .stop = why});
}

RELENT_INLINE optional<stop_reason> run_call(const policy& rules, dependency* shared, const call_options& options,
                                                  erased_operation& operation) {
  return call_run(rules, shared, options, operation).run();
}

}  // namespace relent::detail
