// SPDX-License-Identifier: Apache-2.0
// Where a subcommand takes its policy from: a policy file, a profile, or the defaults. Flags that change
// parts of it are in policy_flags.hpp. Layer 5.
#pragma once

#include "flags.hpp"

#include <relent/explain/explanation.hpp>
#include <relent/policy_file/policy_file.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// --policy and --profile.
extern const std::vector<flag> policy_source_flags;

/// A policy, and where it comes from in so many words: "the policy payments of policies.toml".
struct chosen_policy {
  named_policy policy;
  std::string source;
  policy_use use = policy_use::commands;
};

/// The policy of `file_argument` (FILE or FILE:NAME), of --policy, or of --profile; without any of them what
/// commands get by default. That of a file argument is for calls, with the library's defaults, unless it has
/// rules for commands. What is wrong is added to `problems`, a line each; then the result is not to be used.
chosen_policy choose_policy(const flag_values& values, const std::optional<std::string>& file_argument,
                            std::vector<std::string>& problems);

/// The file in which --profile looks first; empty where there is no home.
std::string own_policy_file();

/// The names of all profiles, those of the own policy file included.
std::vector<std::string> profile_names();

}  // namespace relent::cli
