// SPDX-License-Identifier: Apache-2.0
// A policy as TOML.
#include "fields.hpp"

namespace relent {
namespace {

using detail::field;
using detail::policy_draft;
using detail::section;

constexpr std::size_t longest_line = 110;

/// Keys and values of one table, as "key = value".
using entries = std::vector<std::string>;

bool applies(const section& part, const policy_draft& draft) {
  return !part.only_for || *part.only_for == draft.kind;
}

/// What differs from the default, or all of it.
entries entries_of(const section& part, const policy_draft& draft, bool complete) {
  entries found;
  for (const field& each : part.fields) {
    if (each.type == detail::field_type::name) continue;  // what is inherited is written out
    const detail::field_value value = each.get(draft);
    if (complete || value != detail::default_value(part, each))
      found.push_back(std::string(each.name) + " = " + detail::toml_text(each, value));
  }
  return found;
}

/// The entries of all sections of that name that count for the draft.
entries entries_of(std::string_view name, const policy_draft& draft, bool complete) {
  entries all;
  for (const section& part : detail::sections()) {
    if (part.name != name || !applies(part, draft)) continue;
    const entries some = entries_of(part, draft, complete);
    all.insert(all.end(), some.begin(), some.end());
  }
  // Amounts without their kind would be read as those of another.
  const std::string kind = "kind = ";
  if (name == "budget" && !all.empty() && !all.front().starts_with(kind))
    all.insert(all.begin(), kind + "\"token\"");
  return all;
}

std::string inline_table(std::string_view name, const entries& all) {
  std::string text = std::string(name) + " = {";
  for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? " " : ", ") + all[i];
  return text + (all.empty() ? "}" : " }");
}

bool is_absent(const section& part, const policy_draft& draft) {
  if (part.name == "breaker") return !draft.has_breaker;
  if (part.name == "sender_limit") return !draft.has_sender_limit;
  return false;
}

}  // namespace

std::string to_toml(const named_policy& policy, bool complete) {
  const policy_draft draft = detail::draft_of(policy);
  const std::string header = "policy." + detail::toml_key(policy.name);
  std::string lines = "[" + header + "]\n";
  std::string tables;
  std::string_view before = "none yet";
  for (const section& part : detail::sections()) {
    if (part.name == before) continue;
    before = part.name;
    if (is_absent(part, draft)) {
      if (complete) lines += std::string(part.name) + " = false\n";
      continue;
    }
    const entries all = entries_of(part.name, draft, complete);
    if (part.name.empty()) {
      for (const std::string& entry : all) lines += entry + "\n";
      continue;
    }
    if (all.empty() && !part.removable) continue;
    const std::string line = inline_table(part.name, all);
    if (!complete && line.size() <= longest_line) {
      lines += line + "\n";
      continue;
    }
    tables += "\n[" + header + "." + std::string(part.name) + "]\n";
    for (const std::string& entry : all) tables += entry + "\n";
  }
  return lines + tables;
}

}  // namespace relent
