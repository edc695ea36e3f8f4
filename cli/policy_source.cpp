// SPDX-License-Identifier: Apache-2.0
// Finding a policy by what it is called.
#include "policy_source.hpp"

#include "policy_flags.hpp"

#include "src/text/nearest.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <cstdlib>

namespace relent::cli {
namespace {

using problem_lines = std::vector<std::string>;

/// What a policy begins from that says nothing: for commands other than for calls.
named_policy defaults(policy_use use) {
  named_policy policy;
  if (use == policy_use::commands) policy.policy = default_policy_for_commands();
  return policy;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

/// A file, with each of its problems as a line of its own.
std::optional<policy_file> load(const std::string& path, policy_use use, problem_lines& problems) {
  try {
    return policy_file::load(path, defaults(use));
  } catch (const policy_file_error& error) {
    std::string_view lines = error.what();
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      problems.emplace_back(line);
      lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    }
    return std::nullopt;
  }
}

std::string names_of(const std::vector<named_policy>& policies) {
  std::vector<std::string_view> names;
  names.reserve(policies.size());
  for (const named_policy& each : policies) names.push_back(each.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// FILE or FILE:NAME; a colon may be part of the name of a file that exists.
struct file_and_name {
  std::string file;
  std::optional<std::string> name;
};

file_and_name split(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || exists(text)) return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

chosen_policy from_file(std::string_view flag, const std::string& text, policy_use use,
                        problem_lines& problems) {
  const auto [path, name] = split(text);
  const std::optional<policy_file> file = load(path, use, problems);
  if (!file) return {};
  const std::vector<named_policy>& policies = file->policies();
  const named_policy* found = file->find(name.value_or("default"));
  if (found == nullptr && !name && policies.size() == 1) found = &policies.front();
  if (found != nullptr && use == policy_use::calls && found->command != command_rules{})
    return from_file(flag, text, policy_use::commands, problems);
  if (found != nullptr) return {*found, fmt::format("policy '{}' of {}", found->name, path), use};

  const std::string before = flag.empty() ? "" : fmt::format("{}: ", flag);
  if (policies.empty()) {
    problems.push_back(
        fmt::format("{}{} has no policies: write [policy.NAME] before its options", before, path));
  } else if (!name) {
    problems.push_back(fmt::format("{}{} has several policies: write {}:NAME, one of {}", before, path, path,
                                   names_of(policies)));
  } else {
    problems.push_back(
        fmt::format("{}{} has no policy '{}': it has {}", before, path, *name, names_of(policies)));
  }
  return {};
}

chosen_policy from_profile(const std::string& name, problem_lines& problems) {
  if (const std::string own = own_policy_file(); exists(own)) {
    const std::optional<policy_file> file = load(own, policy_use::commands, problems);
    if (!file) return {};
    if (const named_policy* found = file->find(name))
      return {*found, fmt::format("policy '{}' of {}", name, own)};
  }
  for (const named_policy& each : ready_profiles())
    if (each.name == name) return {each, fmt::format("the ready profile '{}'", name)};

  const std::vector<std::string> all = profile_names();
  const std::vector<std::string_view> known(all.begin(), all.end());
  const std::string_view near = text::nearest(name, known);
  problems.push_back(near.empty()
                         ? fmt::format("--profile: '{}' is unknown: write {}", name, fmt::join(known, ", "))
                         : fmt::format("--profile: '{}' is unknown: did you mean {}?", name, near));
  return {};
}

}  // namespace

const std::vector<flag> policy_source_flags{
    {"--profile",
     "NAME",
     "rules for a common command: apt, curl, docker, git, ssh and others",
     {},
     completes::words,
     "@profiles"},
    {"--policy", "FILE[:NAME]", "take all rules from a policy file: relent-policy(5)", {}, completes::file},
};

chosen_policy choose_policy(const flag_values& values, const std::optional<std::string>& file_argument,
                            problem_lines& problems) {
  const auto file = values.text("--policy");
  const auto profile = values.text("--profile");
  if (int{file.has_value()} + int{profile.has_value()} + int{file_argument.has_value()} > 1) {
    problems.emplace_back(file_argument
                              ? "one policy at a time: give a file, --policy or --profile"
                              : "--policy: not together with --profile: the rules come from one of them");
    return {};
  }
  if (file_argument) return from_file("", *file_argument, policy_use::calls, problems);
  if (file) return from_file("--policy", std::string(*file), policy_use::commands, problems);
  if (profile) return from_profile(std::string(*profile), problems);
  return {defaults(policy_use::commands), "the defaults of relent run"};
}

std::string own_policy_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");  // NOLINT(concurrency-mt-unsafe): there is one thread
  if (config != nullptr && *config == '/') return std::string(config) + "/relent/policy.toml";
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  return home != nullptr && *home == '/' ? std::string(home) + "/.config/relent/policy.toml" : std::string();
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  problem_lines ignored;  // said when a policy is asked for
  if (const std::string own = own_policy_file(); exists(own))
    if (const std::optional<policy_file> file = load(own, policy_use::commands, ignored))
      for (const named_policy& each : file->policies()) names.push_back(each.name);
  for (const named_policy& each : ready_profiles()) names.push_back(each.name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace relent::cli
