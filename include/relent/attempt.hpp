// SPDX-License-Identifier: Apache-2.0
// The attempt in hand as the operation sees it: its number, what time is left, the stop token, the call's identity.
// Made by drivers. Layer 3.
#pragma once

#include <relent/call_options.hpp>
#include <relent/clock.hpp>
#include <relent/deadline.hpp>
#include <relent/dependency.hpp>
#include <relent/fault.hpp>
#include <relent/idempotency_key.hpp>
#include <relent/optional.hpp>
#include <relent/stop.hpp>
#include <relent/time.hpp>

#include <cstdint>
#include <exception>
#include <new>
#include <string_view>

namespace relent {

namespace detail {

struct attempt_access;

/// What attempts that failed leave behind: the latest one's exception, if it threw, and what a failed inner call
/// tells the enclosing attempt, which retries in its stead.
struct failure_notes {
  std::exception_ptr exception = {};
  optional<fault> handed_up = nullopt;
  std::exception_ptr handed_up_exception = {};
};

/// One call as its attempts see it. Owned by the thread that runs the call. Every success pays for making
/// one, so of whatever is needed only after a failure just a flag is written.
struct call_context {
  call_context(const call_options& said, dependency* with, relent::clock& time) noexcept
      : options(&said), shared(with), clock(&time) {}
  call_context(const call_context&) = delete;
  call_context& operator=(const call_context&) = delete;
  ~call_context() {
    if (has_notes_) [[unlikely]]
      notes_.~failure_notes();
  }

  /// Made at the first use.
  failure_notes& notes() noexcept {
    if (!has_notes_) ::new (static_cast<void*>(&notes_)) failure_notes;
    has_notes_ = true;
    return notes_;
  }

  const call_options* options;
  dependency* shared;
  relent::clock* clock;
  time_point attempt_deadline = no_deadline;
  std::uint32_t number = 1;
  bool has_notes_ = false;
  optional<fault> last_fault;  // of the latest failed attempt
  optional<relent::idempotency_key> key;
  union {
    failure_notes notes_;
  };

  std::string_view key_text();  // makes the key at its first use
};

/// For the driver: the call behind an attempt.
struct attempt_access {
  static call_context& call_of(const attempt& of) noexcept;
};

}  // namespace detail

/// The attempt in hand, given to operations that take one. Valid until the operation returns.
/// One thread at a time.
class attempt {
 public:
  explicit attempt(detail::call_context& call) noexcept : call_(&call) {}

  /// From 1.
  std::uint32_t number() const noexcept { return call_->number; }
  bool is_retry() const noexcept { return call_->last_fault.has_value(); }
  /// By when this attempt must have ended; no_deadline if it may take for ever.
  time_point deadline() const noexcept { return call_->attempt_deadline; }
  /// What is left until then, never negative; max_duration without a deadline. Reads the clock.
  duration time_left() const noexcept {
    return deadline() == no_deadline ? max_duration : time_between(call_->clock->now(), deadline());
  }
  /// The call's stop token, for operations that can be interrupted.
  const stop_handle& stop() const noexcept { return call_->options->stop; }
  /// The call's identity, the same for all its attempts: a UUID version 7 unless the caller gave one.
  /// Who asks for it is taken to send it along: the call then counts as repeatable.
  std::string_view idempotency_key() const { return call_->key_text(); }
  /// Why the attempt before failed; nothing in the first.
  optional<fault> previous_fault() const { return call_->last_fault; }

 private:
  friend struct detail::attempt_access;
  detail::call_context* call_;
};

inline detail::call_context& detail::attempt_access::call_of(const attempt& of) noexcept { return *of.call_; }

}  // namespace relent
