// SPDX-License-Identifier: Apache-2.0
// Amounts of bytes as people write them in flags: 64KiB, 10MB, 1.5GB. Layer 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relent::cli {

/// An amount read from text, or what is wrong with the text, as a phrase that goes on from it.
struct size_parse {
  std::optional<std::uint64_t> value;
  std::string_view error;
};

/// A number, with decimals if need be, and B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (of
/// 1024), in either case of letters. A number without a unit is refused.
size_parse parse_size(std::string_view text);

/// The largest unit in which it is a whole number: "64KiB", "10MB", "1234B".
std::string size_to_text(std::uint64_t bytes);

}  // namespace relent::cli
