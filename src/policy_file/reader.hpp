// SPDX-License-Identifier: Apache-2.0
// From the text of a policy file to its policies, in the order of the file.
#pragma once

#include <relent/policy_file/policy_file.hpp>

#include <functional>
#include <string_view>
#include <vector>

namespace relent::detail {

inline constexpr std::size_t largest_file = std::size_t{1} << 20U;

/// The policies of a text that `inherit = "profile:ssh"` can name.
using profile_source = std::function<const std::vector<named_policy>&()>;

/// Throws policy_file_error with everything that is wrong, and nothing else but std::bad_alloc.
std::vector<named_policy> read_policies(std::string_view text, std::string_view file,
                                        const named_policy& base, const profile_source& profiles);

}  // namespace relent::detail
