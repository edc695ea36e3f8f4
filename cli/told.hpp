// SPDX-License-Identifier: Apache-2.0
// What there is to tell of a call of `relent run`: the facts that the story on stderr, the log and the hook
// share. Layer 5.
#pragma once

#include "supervisor.hpp"
#include "verdict.hpp"

#include <relent/event.hpp>
#include <relent/policy.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace relent::cli {

/// One call, and its latest attempt. Written by command_run, read by those who tell.
struct told {
  const policy& rules;
  std::string_view command;
  /// One inside an attempt of another `relent run`, unless told otherwise.
  std::uint32_t max_attempts;
  time_point begin;

  std::uint32_t attempt = 0;
  judged_attempt latest{};
  duration took{};
  /// The deadline of an enclosing run comes before the policy's own.
  bool outer_deadline = false;
  /// The call's deadline rather than the attempt's own time-out ended it.
  bool cut_by_deadline = false;
  /// Why no further attempt is possible, if the streams stand against it.
  std::string objection{};
  /// What went wrong with our stdin; empty if nothing did.
  std::string input_failure{};
  /// The terminating signal that came; 0: none.
  int signal = 0;
};

/// "attempt 2 of 3".
std::string attempt_name(const told& facts, std::uint32_t attempt);

/// How the latest attempt ended: "exit code 1", "killed by SIGSEGV (11)", "timed out after 2s".
std::string what_happened(const told& facts);

/// "all 3 attempts are used". `waiting`: the wait before an attempt was on.
std::string why_stopped(const told& facts, stop_reason reason, bool waiting);

/// A success as a sentence about it ends: "succeeded", "succeeded (exit code 1, as --invert wants)".
std::string success_text(const told& facts);

}  // namespace relent::cli
