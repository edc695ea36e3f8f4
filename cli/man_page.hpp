// SPDX-License-Identifier: Apache-2.0
// A page as a manual page, in the macros of man(7). Layer 5.
#pragma once

#include "page.hpp"

#include <string>

namespace relent::cli {

/// The source of the manual page.
std::string man_text(const page& about);

}  // namespace relent::cli
