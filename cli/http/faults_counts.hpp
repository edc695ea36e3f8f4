// SPDX-License-Identifier: Apache-2.0
// What a fault server has seen, as a table for a person. As JSON it is the server's own. Layer 5.
#pragma once

#include <string>
#include <string_view>

namespace relent::cli {

/// From the server's counts_json: a line for each of the twenty keys that were asked for most, and one for all.
/// Counts that are zero everywhere have no column, unless everybody looks for them.
std::string counts_table(std::string_view counts_json);

}  // namespace relent::cli
