// SPDX-License-Identifier: Apache-2.0
// What the end of an attempt means: success or failure, worth another try or not, and the exit code of the tool
// if it was the last. By the rules for commands (relent/policy_file/command_rules.hpp). Layer 5.
#pragma once

#include "supervisor.hpp"

#include <relent/fault.hpp>
#include <relent/policy_file/command_rules.hpp>

#include <cstdint>
#include <optional>

namespace relent::cli {

/// Whether a pattern was found in what an attempt wrote.
struct output_matches {
  bool retry_on = false;
  bool until = false;
};

/// An attempt that ended, with its meaning.
struct judged_attempt {
  attempt_result result;
  std::optional<fault> failed;
  /// Why a failure is one though the exit code alone would not make it one, or why it is not tried again.
  enum class remark : std::uint8_t {
    none,
    inverted,               ///< exit code 0, and --invert
    output_missing,         ///< until_output was not found
    stopped_by_rule,        ///< it ended in a way that stop_on names
    not_listed,             ///< it ended in a way that retry_on does not name
    output_speaks_against,  ///< retry_on_output was not found
    input_broken,           ///< our stdin broke off with an error, so that it got only a part
  };
  remark why = remark::none;
};

/// What the attempt means to the engine.
inline const std::optional<fault>& relent_fault(const judged_attempt& attempt) noexcept {
  return attempt.failed;
}

/// Pure: the same end, the same verdict.
judged_attempt judge(const attempt_result& result, const command_rules& rules, output_matches found);

/// The same attempt if its input broke off: a failure, and what is lost cannot be given to another one.
judged_attempt without_its_input(const judged_attempt& attempt);

/// The exit code of the tool if this was the last attempt. A success is 0; a failure never is.
int exit_code_of(const judged_attempt& attempt) noexcept;

}  // namespace relent::cli
