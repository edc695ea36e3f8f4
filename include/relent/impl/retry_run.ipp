// SPDX-License-Identifier: Apache-2.0
// One run of the blocking loop: asks the engine, does what it says, and tells those who want to know.
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

/// What the classifier says, if there is one; one that throws has said nothing.
RELENT_INLINE optional<fault> ask(const exception_classifier& classify,
                                  const std::exception_ptr& exception) noexcept {
  if (!classify) return nullopt;
  try {
    return classify(exception);
  } catch (...) {
    return nullopt;
  }
}

/// What an exception means: by the call, by its dependency, by a failed inner call whose exception it is, and
/// else by its type.
RELENT_INLINE fault meaning_of(const call_context& call, const failure_notes& notes) noexcept {
  if (const optional<fault> said = ask(call.options->classify, notes.exception)) return *said;
  if (call.shared != nullptr)
    if (const optional<fault> said = ask(call.shared->classify(), notes.exception)) return *said;
  if (notes.handed_up && notes.handed_up_exception && notes.handed_up_exception == notes.exception)
    return *notes.handed_up;
  return classify(notes.exception);
}

/// Called in a catch clause: keeps the exception in flight and classifies it.
[[gnu::noinline]] RELENT_INLINE void attempt_threw(call_context& call) noexcept {
  failure_notes& notes = call.notes();
  notes.exception = std::current_exception();
  call.last_fault = meaning_of(call, notes);
}

/// What a call must know of the attempt around it: its deadline, on the call's own clock.
[[gnu::noinline]] RELENT_INLINE engine::surroundings surroundings_in(const call_context& enclosing,
                                                                     relent::clock& clock) noexcept {
  const time_point ends = enclosing.attempt_deadline;
  if (ends == no_deadline || enclosing.clock == &clock)
    return {.outer_deadline = ends, .inside_attempt = true};
  return {.outer_deadline = saturating_add(clock.now(), time_between(enclosing.clock->now(), ends)),
          .inside_attempt = true};
}

/// Makes an attempt; within it the thread knows the call as the enclosing one, and `outer` again afterwards.
[[gnu::always_inline]] inline bool make_attempt(erased_operation& operation, call_context& call,
                                                call_context* outer) {
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
        told_(call.options->report != nullptr ||
              (dependency_ != nullptr && !dependency_->observers().empty())),
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
    const engine::decision next =
        engine::failed(state_, rules_, shared_, what, known, now_, random_, cancelled());
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
      if (told_ && what.source == wait_source::sender_limit) tell_held_back(what);
      const time_point before = now_;
      call_.clock->wait_until(what.until, call_.options->stop);
      if (now() <= before && now_ < what.until && !cancelled()) note_that_time_stands_still();
    }
    const engine::decision next = engine::woke(state_, rules_, shared_, now_, cancelled());
    const bool is_retry =
        call_.last_fault && state_.attempt != call_.number;  // not the first, not a refreshed one
    if (is_retry && next.action == engine::action::attempt && dependency_ != nullptr)
      dependency_->counting().retried();
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
  void tell_held_back(const engine::decision& what) noexcept;
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

}  // namespace relent::detail
