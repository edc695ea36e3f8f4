// SPDX-License-Identifier: Apache-2.0
// Reads the tables of one policy on top of what it inherits. Which policy inherits from which is not known here.
#pragma once

#include "fields.hpp"
#include "read_value.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace relent::detail {

/// What is wrong at one place of the file; `field` is the full name, "policy.payments.backoff.cap".
struct placed_problem {
  toml::source_position place;
  std::string field;
  std::string message;
};

/// Where a key stands; where its value does if the key's place is not known.
toml::source_position place_of(const toml::key& key, const toml::node& value);

class policy_reader {
 public:
  /// `path` is "policy.payments", `place` where it begins. All must outlive the reader.
  policy_reader(const toml::table& table, const std::string& path, toml::source_position place,
                std::vector<placed_problem>& problems);

  /// The inherited draft with all that the tables say; whatever is wrong is added to the problems, except
  /// what is wrong with the inherited draft already.
  policy_draft read(const policy_draft& inherited);

 private:
  void read_own_keys();
  void read_section(std::string_view name, const toml::node& node);
  void read_budget(const toml::table& table);
  void read_keys(const section& part, const toml::table& table);
  void read_field(const section& part, const field& described, const toml::node& node);
  void refuse_key(std::string_view section_name, const toml::key& key, const toml::node& value,
                  std::string message);
  void check_together(const policy_draft& inherited);
  bool follows_from_failed(const problem& found) const;
  toml::source_position place_for(const problem& found) const;
  void add(toml::source_position place, std::string_view field, std::string message);

  const toml::table& table_;
  const std::string& path_;
  toml::source_position place_;
  std::vector<placed_problem>& problems_;
  policy_draft draft_;
  std::map<std::string, toml::source_position, std::less<>> given_;  ///< "backoff.cap", "backoff"
  std::set<std::string, std::less<>> failed_;                        ///< of those, the unusable ones
};

}  // namespace relent::detail
