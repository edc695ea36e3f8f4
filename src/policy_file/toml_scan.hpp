// SPDX-License-Identifier: Apache-2.0
// A look at a text before it is read as TOML, for what the reader of TOML does not survive. What is no TOML in any
// other way is left to that reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace relent::detail {

/// Where, and what is wrong there.
struct scan_problem {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::string_view message;
};

/// The first letter outside strings and comments that is no ASCII, or key with too many dots. Linear.
std::optional<scan_problem> scan_toml(std::string_view text);

}  // namespace relent::detail
