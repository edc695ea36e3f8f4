// SPDX-License-Identifier: Apache-2.0
// Completion for bash, made of the pages. Layer 5.
#pragma once

#include "page.hpp"

#include <span>
#include <string>

namespace relent::cli {

/// A script to be sourced by bash: offers subcommands, flags, values where they are known, files, and behind "--"
/// what the command itself offers. Needs nothing of the bash-completion package, and uses it where it is.
std::string bash_completion(std::span<const page> pages);

}  // namespace relent::cli
