// SPDX-License-Identifier: Apache-2.0
// What a run of the blocking loop tells: to the report and to the observers. Whatever goes wrong in it is
// swallowed, for a story must not break a call.
#pragma once

#include <relent/impl/retry_run.ipp>

#include <string>

namespace relent::detail {

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
      attempt_record& record = story->records.add({.number = number,
                                                   .fault = call_.last_fault,
                                                   .error_text = text.substr(0, 500),
                                                   .ended = elapsed()});
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

RELENT_INLINE void call_run::tell_held_back(const engine::decision& what) noexcept {
  const duration length = time_between(now_, what.until);
  try {
    start_story();
    if (report* story = call_.options->report) story->waited = saturating_add(story->waited, length);
  } catch (...) {  // no memory for the story
  }
  emit({.kind = event_kind::held_back,
        .attempt = static_cast<std::uint32_t>(state_.attempt),
        .wait = length,
        .source = what.source});
}

RELENT_INLINE void call_run::tell_end(stop_reason why) noexcept {
  std::string text;
  try {
    start_story();
    if (call_.last_fault) text = error_text();
    if (report* story = call_.options->report) {
      story->stop = why;
      story->elapsed = elapsed();
      if (call_.last_fault && (why == stop_reason::server_delay || why == stop_reason::deadline))
        story->server_delay = call_.last_fault->server_delay;
    }
  } catch (...) {  // no memory for the story
  }
  emit({.kind = event_kind::outcome,
        .attempt = call_.last_fault ? call_.number : 0,
        .fault = call_.last_fault,
        .error_text = text,
        .stop = why});
}

}  // namespace relent::detail
