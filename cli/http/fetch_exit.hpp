// SPDX-License-Identifier: Apache-2.0
// The exit codes of `relent fetch`: curl's, so that scripts go on understanding them. The table for people is in
// docs/fetch.md. Layer 5.
#pragma once

#include <relent/curl/response.hpp>

namespace relent::cli {

inline constexpr int exit_strange_answer = 8;
inline constexpr int exit_http_failure = 22;
inline constexpr int exit_write_failure = 23;
inline constexpr int exit_read_failure = 26;
inline constexpr int exit_time_is_up = 28;
inline constexpr int exit_range_failure = 33;

/// Of a call that came to its end.
int exit_code_of(const curl::response& answer) noexcept;

}  // namespace relent::cli
