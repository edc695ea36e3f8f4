// SPDX-License-Identifier: Apache-2.0
// What a policy says about commands: which ends of an attempt are failures, and which failures are worth
// another try. Read from the table `command` of a policy and from the flags of `relent run`, which goes by
// them. Part of relent::policy_file.
#pragma once

#include <relent/policy_file/attempt_ends.hpp>
#include <relent/problem.hpp>
#include <relent/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace relent {

/// Append only. Regular expressions are POSIX extended ones, as grep -E takes them, and are matched against
/// each line that the command writes to stdout or stderr.
struct command_rules {
  /// The failures that are worth another try; absent: every one but those of stop_on.
  std::optional<attempt_ends> retry_on = std::nullopt;
  /// Failures that end it at once. Goes before retry_on.
  attempt_ends stop_on = {};
  /// A failed attempt is tried again only if its output matches; absent: whatever it wrote. One that timed out
  /// is not asked for its output: it hung.
  std::optional<std::string> retry_on_output = std::nullopt;
  /// An attempt is a success only if its output matches (and it ends with exit code 0).
  std::optional<std::string> until_output = std::nullopt;
  /// Exit code 0 is the failure, and any other the success.
  bool invert = false;
  /// So many successes in a row are needed; at least 1.
  std::uint32_t successes = 1;
  /// What lies between SIGTERM and SIGKILL when time is up; not negative.
  duration kill_after = std::chrono::seconds{2};
  /// The failures of which retry_on_output decides; others are tried again whatever was written. Absent: all.
  std::optional<attempt_ends> output_decides_for = std::nullopt;

  friend bool operator==(const command_rules&, const command_rules&) = default;
};

/// Every rule that they break, by field ("command.successes"); regular expressions that do not compile included.
problem_list problems(const command_rules& rules);

/// What is wrong with a regular expression, in the words of the system's library; empty if nothing is.
std::string regex_error_in(const std::string& expression);

}  // namespace relent
