// SPDX-License-Identifier: Apache-2.0
// curl's flags for times and retries, as parts of a policy. Layer 5.
#pragma once

#include "cli/flags.hpp"

#include <relent/policy.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// A flag's length of time: a bare number is one of seconds, as curl has it. Nothing if it is absent, wrong, or 0,
/// which to curl is none.
std::optional<duration> read_seconds(const flag_values& values, std::string_view name,
                                     std::vector<std::string>& problems);

/// `options` with what curl's flags say. Where they mean something else here, a line about it is added to
/// `warnings`; what is wrong goes to `problems`.
policy_options with_curl_times(const flag_values& values, policy_options options,
                               std::vector<std::string>& warnings, std::vector<std::string>& problems);

}  // namespace relent::cli
