// SPDX-License-Identifier: Apache-2.0
// The exit codes of the tool that are its own; any other code is that of the command it ran.
// They agree with those of timeout(1), env(1) and the shells. Layer 5.
#pragma once

namespace relent::cli {

inline constexpr int exit_success = 0;
inline constexpr int exit_timed_out = 124;       ///< time ended the last attempt
inline constexpr int exit_failure = 125;         ///< usage, or the tool itself could not go on
inline constexpr int exit_cannot_execute = 126;  ///< found, but cannot be executed
inline constexpr int exit_not_found = 127;       ///< no such command

/// What a shell reports for a process that died by signal `number`.
constexpr int exit_killed_by(int number) noexcept { return 128 + number; }

}  // namespace relent::cli
