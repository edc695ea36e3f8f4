// SPDX-License-Identifier: Apache-2.0
// Carries out an order of `relent run`: each attempt with its streams and environment, what is done between
// attempts, and the exit code. Decides nothing: the engine does. Layer 5.
#pragma once

#include "run_order.hpp"
#include "subcommands.hpp"

namespace relent::cli {

/// Runs the command until the engine says stop. What goes wrong before the first attempt is said, and its
/// exit code is 125.
ending carry_out(const run_order& order);

}  // namespace relent::cli
