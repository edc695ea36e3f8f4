// SPDX-License-Identifier: Apache-2.0
// Carries out an order of `relent fetch`. Decides nothing about retries: the engine does. Layer 5.
#pragma once

#include "fetch_order.hpp"

#include "cli/subcommands.hpp"

namespace relent::cli {

/// Makes the request until the engine says stop. What goes wrong before the first attempt is said.
ending carry_out(const fetch_order& order);

}  // namespace relent::cli
