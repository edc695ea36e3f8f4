// SPDX-License-Identifier: Apache-2.0
// Lengths of time for a person to read at a glance. Exact texts, and reading them, are in
// relent/duration_text.hpp. Layer 5.
#pragma once

#include <relent/time.hpp>

#include <string>

namespace relent::cli {

/// About three digits: "0.4ms", "84ms", "1.52s", "2m05s", "1h". A negative length is shown as zero.
std::string rounded(duration length);

}  // namespace relent::cli
