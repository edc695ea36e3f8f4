// SPDX-License-Identifier: Apache-2.0
// From `relent fetch` to relent-http, the program that can do it. Layer 5.
#pragma once

#include <span>

namespace relent::cli {

/// Becomes relent-http with these words, of which the first is the subcommand's name. Returns, with the exit
/// code 125, only if that program cannot be found or started; says so.
int become_http(std::span<char*> words);

}  // namespace relent::cli
