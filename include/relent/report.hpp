// SPDX-License-Identifier: Apache-2.0
// The story of one call for whoever wants it: attempts, faults, waits and where each came from, and why it
// ended as it did. Kept small however long the call: the first attempts and the latest ones. Layer 1.
#pragma once

#include <relent/event.hpp>
#include <relent/fault.hpp>
#include <relent/optional.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace relent {

/// One attempt as the report tells it.
struct attempt_record {
  std::uint32_t number = 0;
  /// What went wrong; nothing for the attempt that succeeded.
  optional<relent::fault> fault = nullopt;
  /// The error in its own words, at most 500 bytes of it.
  std::string error_text = {};
  /// When the attempt ended, counted from the beginning of the call.
  duration ended = duration::zero();
  /// How long was waited after it, and where the wait came from; nothing if no attempt followed.
  optional<duration> wait = nullopt;
  wait_source source = wait_source::backoff;
};

/// Attempt records in order; at most `capacity`, of which the first half is kept and the second replaced.
class record_list {
 public:
  static constexpr std::size_t capacity = 64;

  record_list() noexcept = default;
  record_list(const record_list& other);
  record_list(record_list&& other) noexcept;
  record_list& operator=(record_list other) noexcept;
  ~record_list();

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const attempt_record& operator[](std::size_t i) const noexcept { return records_[i]; }
  const attempt_record* begin() const noexcept { return records_; }
  const attempt_record* end() const noexcept { return records_ + size_; }
  /// How many records between the first half and the second were dropped.
  std::uint64_t dropped() const noexcept { return dropped_; }

  /// Appends; beyond the capacity the oldest record of the second half is dropped.
  attempt_record& add(attempt_record record);
  attempt_record& latest() noexcept { return records_[size_ - 1]; }

 private:
  void make_room();

  attempt_record* records_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t dropped_ = 0;
};

/// Filled by a driver through call_options::report; what it held before is replaced. One thread at a time.
struct report {
  /// The dependency's name; empty for a call without one.
  std::string dependency = {};
  /// Attempts made; 0 if the call was refused before its first.
  std::uint32_t attempts = 0;
  /// The policy's limit.
  std::uint32_t max_attempts = 0;
  /// Why no further attempt was made; nothing if the call succeeded (or has not ended).
  optional<stop_reason> stop = nullopt;
  /// The whole call, waits included.
  duration elapsed = duration::zero();
  /// All waits together.
  duration waited = duration::zero();
  /// The server's wish that went unmet, when `stop` is server_delay or deadline.
  optional<duration> server_delay = nullopt;
  record_list records = {};

  bool succeeded() const noexcept { return attempts > 0 && !stop; }
};

/// The story in one line:
/// "payments: gave up after 3 attempts in 312ms: all attempts are used; last fault overloaded (503 …)".
std::string to_line(const report& story);

/// The story as one JSON object. Durations are numbers of seconds in fields that end in _seconds.
std::string to_json(const report& story);

/// What a person can do about a fault that nobody classified; empty for all others.
std::string hint_for(const report& story);

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/report.ipp>  // IWYU pragma: export
#endif
