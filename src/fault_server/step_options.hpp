// SPDX-License-Identifier: Apache-2.0
// The options in the parentheses of a step: which there are, which a kind of step has, and how they are read.
#pragma once

#include <cstdint>
#include <string_view>

#include "script.hpp"
#include "script_cursor.hpp"

namespace relent::testing::faults {

/// A set of options, one bit each.
using option_set = std::uint32_t;

namespace options {
inline constexpr option_set body = 1U << 0U;
inline constexpr option_set type = 1U << 1U;
inline constexpr option_set etag = 1U << 2U;
inline constexpr option_set header = 1U << 3U;
inline constexpr option_set retry_after = 1U << 4U;
inline constexpr option_set date = 1U << 5U;
inline constexpr option_set delay = 1U << 6U;  // after=D
inline constexpr option_set cut = 1U << 7U;    // after=SIZE
inline constexpr option_set ranges = 1U << 8U;
inline constexpr option_set framing = 1U << 9U;
inline constexpr option_set keep_alive = 1U << 10U;
inline constexpr option_set read = 1U << 11U;
inline constexpr option_set execute = 1U << 12U;
inline constexpr option_set before = 1U << 13U;
inline constexpr option_set hold = 1U << 14U;  // for=D
/// What describes an answer.
inline constexpr option_set content = body | type | etag | header | retry_after | date | ranges | framing;
}  // namespace options

/// What was given for a step so far.
struct given_options {
  option_set given = 0;
  bool execute = false;
};

/// Reads one option `name=value` at the cursor, of those that `allowed` has, into the step. Problems are noted.
void read_option(script_cursor& cursor, option_set allowed, std::string_view step_name, step& into,
                 given_options& seen);

}  // namespace relent::testing::faults
