// SPDX-License-Identifier: Apache-2.0
// The policy file: named policies in TOML, read, checked and written. What the options mean is said where they
// are declared (policy.hpp, budget.hpp, breaker.hpp, command_rules.hpp). Target relent::policy_file.
#pragma once

#include <relent/dependency.hpp>
#include <relent/policy_file/command_rules.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace relent {

/// One policy of a file, ready for use. A plain value.
struct named_policy {
  std::string name = {};
  relent::policy policy = {};
  budget_options budget = token_budget{};
  optional<breaker_options> breaker = nullopt;
  optional<sender_limit_options> sender_limit = nullopt;
  command_rules command = {};

  /// Options for a dependency of that name: relent::dependency payments{file.at("payments").dependency()}.
  dependency_options dependency() const;

  friend bool operator==(const named_policy&, const named_policy&) = default;
};

/// One thing that is wrong with a file.
struct policy_file_problem {
  std::uint32_t line = 0;    ///< from 1; 0: the file as a whole
  std::uint32_t column = 0;  ///< from 1
  std::string field;         ///< "policy.payments.backoff.cap"; empty where the text is no TOML
  std::string message;       ///< what is wrong and what would be right
};

/// A file that cannot be used. what() has a line for each problem: "policies.toml:3:7: policy.payments.…".
class policy_file_error : public std::runtime_error {
 public:
  policy_file_error(std::string_view file, std::vector<policy_file_problem> problems);
  const std::vector<policy_file_problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<policy_file_problem> problems_;
};

/// The policies of one file. Immutable. A file that nobody holds on to gives copies: load(path).at("payments").
class policy_file {
 public:
  /// Reads a file. `base` is what policies begin from when the file has none called default; its name does
  /// not matter. Throws policy_file_error with everything that is wrong with the file, also when it cannot be
  /// read or is larger than 1 MiB. Where the text is no TOML, that is the one problem told. Thread-safe.
  static policy_file load(const std::string& path, const named_policy& base = {});
  /// The same from a text; `file` is the name it has in messages. Thread-safe.
  static policy_file parse(std::string_view text, std::string_view file = "policy",
                           const named_policy& base = {});

  /// The policy of that name. Throws std::out_of_range with a message that names the nearest one.
  const named_policy& at(std::string_view name) const&;
  named_policy at(std::string_view name) && { return static_cast<const policy_file&>(*this).at(name); }
  /// Null if there is none of that name.
  const named_policy* find(std::string_view name) const& noexcept;
  const named_policy* find(std::string_view name) && = delete;
  /// In the order of the file.
  const std::vector<named_policy>& policies() const& noexcept { return policies_; }
  std::vector<named_policy> policies() && { return policies_; }

 private:
  policy_file() = default;
  std::string file_;
  std::vector<named_policy> policies_;
};

/// The ready policies for common commands (apt, ssh, git …), in alphabetical order. A policy of a file begins
/// from one by inherit = "profile:ssh". Thread-safe.
const std::vector<named_policy>& ready_profiles();

/// A policy as TOML, which policy_file::parse reads back equal; options that have the library's default are left
/// out unless `complete`, which then reads back equal on any base. The policy's texts must be UTF-8. Thread-safe.
std::string to_toml(const named_policy& policy, bool complete = false);

/// The JSON Schema (draft 2020-12) of the file, for editors. Thread-safe.
std::string policy_file_schema();

}  // namespace relent
