// SPDX-License-Identifier: Apache-2.0
// Flags that curl has and `relent fetch` has not, and what to do instead. Layer 5.
#pragma once

#include "cli/flags.hpp"

#include <span>

namespace relent::cli {

std::span<const absent_flag> absent_curl_flags();

}  // namespace relent::cli
