// SPDX-License-Identifier: Apache-2.0
// Reads one step of a script with its options, and checks that they go together.
#pragma once

#include <optional>

#include "script.hpp"
#include "script_cursor.hpp"

namespace relent::testing::faults {

/// Where a step stands: in a walk, as a choice of random, or in a rule of the whole server.
enum class step_place : std::uint8_t { walk, choice, rule };

/// Reads a step at the cursor, with `*N` in a walk. What is wrong is noted in the cursor; after that the step is
/// nothing, or should not be used. The cursor then stands at the separator.
std::optional<step> read_step(script_cursor& cursor, step_place place, bool tls);

}  // namespace relent::testing::faults
