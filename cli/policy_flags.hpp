// SPDX-License-Identifier: Apache-2.0
// The flags that make a policy, named as its options are. Every subcommand that takes a policy has them.
// The rules of a policy are its own (relent/policy.hpp); here they only get the flags' names. Layer 5.
#pragma once

#include "flags.hpp"

#include <relent/policy.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relent::cli {

/// Their descriptions, with the defaults of `relent run`.
extern const std::vector<flag> policy_flags;

/// What a command gets unless told otherwise: the library's defaults, but an hour in all, since commands
/// take longer than calls.
policy_options default_policy_for_commands();

/// `options` with what the flags say. What is wrong, the rules that the policy breaks included, is added
/// to `problems`, a line each; then the result is not to be used.
policy_options read_policy(const flag_values& values, policy_options options,
                           std::vector<std::string>& problems);

/// A flag's length of time; nothing if it is absent or wrong.
std::optional<duration> read_duration(const flag_values& values, std::string_view name,
                                      std::vector<std::string>& problems);

/// A flag's whole number from 0 to `most`; nothing if it is absent or wrong.
std::optional<std::uint64_t> read_number(const flag_values& values, std::string_view name, std::uint64_t most,
                                         std::vector<std::string>& problems);

}  // namespace relent::cli
