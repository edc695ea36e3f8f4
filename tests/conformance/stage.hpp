// SPDX-License-Identifier: Apache-2.0
// What every runner of the conformance scenarios shares: the stage plays the script and notes what the driver
// does, expect_as_written compares. A runner adds a driver and a TEST_P; the scenarios are in scenarios.hpp.
#pragma once

#include "conformance/scenario.hpp"

#include <relent/engine.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace relent::conformance {

/// What the caller got.
struct result {
  std::optional<std::size_t> value = std::nullopt;    ///< of a success: how many attempts the script played
  std::optional<fault> error = std::nullopt;          ///< of a stop after an attempt
  std::optional<stop_reason> refusal = std::nullopt;  ///< of a stop before the first
  friend bool operator==(const result&, const result&) = default;
};

/// Plays one scenario. The driver's operation, clock and hook end here.
class stage {
 public:
  explicit stage(const scenario& script) : script_(script), random_{script.draws[0], script.draws[1]} {
    if (script.cancelled_before) stopping_.request_stop();
  }

  /// Brings what calls share into the state in which other calls left it.
  void set(const engine::shared_state& shared) {
    shared_ = shared;
    for (int i = 0; i < script_.retries_of_others; ++i)
      shared.budget->try_take(fault_kind::reset, clock_.now());
    if (script_.breaker_open_for) shared.breaker->force_open(clock_.now(), *script_.breaker_open_for);
    if (script_.sender_limit) shared.sender_limit->throttled(clock_.now());
  }

  time_point now() { return clock_.now(); }
  auto wall_now() { return clock_.wall_now(); }
  testing::scripted_random& random() { return random_; }
  std::stop_token token() const { return stopping_.get_token(); }
  bool cancelled() const { return stopping_.stop_requested(); }
  /// Triggers the token before its time, for an attempt that fails because of that.
  void cancel() { stopping_.request_stop(); }

  /// The driver makes an attempt, which is to end by `deadline`. The error it fails with, if it does.
  const std::optional<fault>& play_attempt(std::uint32_t number, time_point deadline) {
    noted_.push_back(attempt(number, deadline == no_deadline ? max_duration : time_between(now(), deadline)));
    const scripted_attempt& now_played = script_.attempts.or_last(attempts_++);
    happen(now_played.besides);
    return now_played.error;
  }

  /// The driver runs the hook. Whether it works.
  bool play_refresh() {
    noted_.push_back(refresh());
    const scripted_refresh& now_played = script_.refreshes.or_last(refreshes_++);
    happen(now_played.besides);
    return now_played.works;
  }

  /// The driver waits.
  void play_wait(time_point until, wait_source source) {
    noted_.push_back(wait(until - now(), source));
    const scripted_wait now_played = waits_ < script_.waits.size() ? script_.waits[waits_] : scripted_wait{};
    ++waits_;
    if (now_played.ends_after)
      clock_.advance(*now_played.ends_after);
    else
      clock_.wait_until(until, {});
    happen({.cancelled = now_played.cancelled, .breaker_opens_for = now_played.breaker_opens_for});
  }

  void note(const decided& what) { noted_.push_back(what); }

  std::size_t attempts_played() const { return attempts_; }
  const std::vector<decided>& noted() const { return noted_; }
  double tokens_left() { return shared_.budget->balance(now()); }

 private:
  void happen(const meanwhile& what) {
    clock_.advance(what.takes);
    if (what.breaker_opens_for) shared_.breaker->force_open(now(), *what.breaker_opens_for);
    if (what.cancelled) stopping_.request_stop();
  }

  const scenario& script_;
  testing::manual_clock clock_;
  testing::scripted_random random_;
  std::stop_source stopping_;
  engine::shared_state shared_;
  std::size_t attempts_ = 0;
  std::size_t waits_ = 0;
  std::size_t refreshes_ = 0;
  std::vector<decided> noted_;
};

inline std::string text(duration length) {
  if (length == max_duration) return "for ever";
  if (length % 1ms == 0ns) return std::to_string(length / 1ms) + " ms";
  return std::to_string(length.count()) + " ns";
}

inline std::string text(const decided& one) {
  switch (one.what) {
    case act::attempt:
      return "attempt " + std::to_string(one.number) + (one.length ? ", given " + text(*one.length) : "");
    case act::wait: return "wait " + text(*one.length) + ", " + std::string(to_string(one.source));
    case act::refresh: return "refresh";
    case act::success: return "success";
    case act::stop: return "stop: " + std::string(to_string(one.reason));
  }
  return {};
}

/// The decisions as they were written down.
inline std::vector<std::string> texts(const few<decided, 14>& written) {
  std::vector<std::string> all;
  for (const decided& one : written) all.push_back(text(one));
  return all;
}

/// The decisions as they were made, without the attempts' lengths where none was written down.
inline std::vector<std::string> texts(std::vector<decided> made, const few<decided, 14>& written) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const bool matters = i >= written.size() || written[i].what != act::attempt || written[i].length;
    if (made[i].what == act::attempt && !matters) made[i].length.reset();
    all.push_back(text(made[i]));
  }
  return all;
}

/// The result that follows from the decisions written down.
inline result expected_result(const scenario& script) {
  std::size_t attempts = 0;
  for (const decided& one : script.decisions)
    if (one.what == act::attempt) ++attempts;
  const decided& last = script.decisions.last();
  if (last.what == act::success) return {.value = attempts};
  if (attempts == 0) return {.refusal = last.reason};
  return {.error = script.attempts.or_last(attempts - 1).error};
}

inline void expect_as_written(const scenario& script, stage& played, const result& got) {
  EXPECT_EQ(texts(played.noted(), script.decisions), texts(script.decisions));
  EXPECT_EQ(got, expected_result(script));
  if (script.tokens_left) {
    EXPECT_DOUBLE_EQ(played.tokens_left(), *script.tokens_left);
  }
}

inline void PrintTo(const result& got, std::ostream* out) {
  if (got.value) *out << "the value of attempt " << *got.value;
  if (got.error) *out << "the error " << to_string(got.error->kind);
  if (got.refusal) *out << "refused: " << to_string(*got.refusal);
}
inline void PrintTo(const scenario& script, std::ostream* out) { *out << script.name; }

/// For INSTANTIATE_TEST_SUITE_P.
inline std::string name_of(const ::testing::TestParamInfo<scenario>& info) {
  return std::string(info.param.name);
}

}  // namespace relent::conformance
