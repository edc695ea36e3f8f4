// SPDX-License-Identifier: Apache-2.0
// The subcommands, as main calls them: each takes the words after its name. Layer 5.
#pragma once

#include <span>

namespace relent::cli {

/// How the process is to end. By a signal rather than a code when the tool was told to end by it, so that
/// whoever waits for it sees the same as from a program that does not catch signals.
struct ending {
  int exit_code = 0;
  int signal = 0;  ///< 0: none
};

/// Runs a command, again when it fails.
ending run(std::span<char*> arguments);

/// Shows the budgets that processes share, or changes one.
ending budget(std::span<char*> arguments);

/// Prints what a policy does, before it is used.
ending explain(std::span<char*> arguments);

/// Prints what is made of the tool's own descriptions, for builds and packages.
ending generate(std::span<char*> arguments);

}  // namespace relent::cli
