// SPDX-License-Identifier: Apache-2.0
// `relent run --dry-run`: what would be done, explained. Layer 5.
#pragma once

#include "run_order.hpp"

namespace relent::cli {

/// Prints it on stdout. Returns the exit code.
int explain_run(const run_order& order);

}  // namespace relent::cli
