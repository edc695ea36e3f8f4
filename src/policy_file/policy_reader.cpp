// SPDX-License-Identifier: Apache-2.0
// Key by key, then all keys together.
#include "policy_reader.hpp"

#include <algorithm>
#include <cctype>

namespace relent::detail {
namespace {

const section* find_section(std::string_view name, std::optional<budget_kind> kind = std::nullopt) {
  for (const section& part : sections())
    if (part.name == name && part.only_for == kind) return &part;
  return nullptr;
}

const field* find_field(const section* part, std::string_view name) {
  if (part == nullptr) return nullptr;
  for (const field& each : part->fields)
    if (each.name == name) return &each;
  return nullptr;
}

void add_names(const section* part, std::vector<std::string_view>& names) {
  if (part == nullptr) return;
  for (const field& each : part->fields) names.push_back(each.name);
}

constexpr std::string_view kind_names[] = {"none", "token", "ratio", "throttle"};
std::string_view name_of(budget_kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::string join(std::string_view section_name, std::string_view key) {
  return section_name.empty() ? std::string(key) : std::string(section_name) + "." + std::string(key);
}

/// "backoff" of "backoff.cap"; empty for a key of the policy itself.
std::string_view section_of(std::string_view field) {
  const auto dot = field.find('.');
  return dot == std::string_view::npos ? std::string_view() : field.substr(0, dot);
}

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool mentions(std::string_view rule, std::string_view word) {
  for (auto at = rule.find(word); at != std::string_view::npos; at = rule.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_letter(rule[at - 1]);
    const bool ends = at + word.size() == rule.size() || !is_word_letter(rule[at + word.size()]);
    if (begins && ends) return true;
  }
  return false;
}

/// Whether the rule that is broken speaks of this key, "backoff.base" as of its base.
bool speaks_of(const problem& found, std::string_view key) {
  const std::string_view part = section_of(key);
  if (part != section_of(found.field)) return false;
  return mentions(found.rule, part.empty() ? key : key.substr(part.size() + 1));
}

}  // namespace

toml::source_position place_of(const toml::key& key, const toml::node& value) {
  return key.source().begin ? key.source().begin : value.source().begin;
}

policy_reader::policy_reader(const toml::table& table, const std::string& path, toml::source_position place,
                             std::vector<placed_problem>& problems)
    : table_(table), path_(path), place_(place), problems_(problems) {}

policy_draft policy_reader::read(const policy_draft& inherited) {
  draft_ = inherited;
  read_own_keys();
  check_together(inherited);
  return draft_;
}

void policy_reader::read_own_keys() {
  const section& own = *find_section("");
  for (auto&& [key, node] : table_) {
    if (!key.str().empty() && find_section(key.str()) != nullptr) {
      given_[std::string(key.str())] = place_of(key, node);
      read_section(key.str(), node);
    } else if (const field* described = find_field(&own, key.str())) {
      given_[std::string(key.str())] = place_of(key, node);
      read_field(own, *described, node);
    } else {
      std::vector<std::string_view> known;
      add_names(&own, known);
      for (const section& part : sections())
        if (!part.name.empty() && !part.only_for) known.push_back(part.name);
      refuse_key("", key, node, "is not known here: " + known_words(key.str(), known));
    }
  }
}

void policy_reader::read_section(std::string_view name, const toml::node& node) {
  const section& part = *find_section(name);
  if (part.removable) {
    bool& has = name == "breaker" ? draft_.has_breaker : draft_.has_sender_limit;
    const bool removed = node.is_boolean() && !node.as_boolean()->get();
    has = !removed;
    if (removed) {
      draft_.breaker = name == "breaker" ? breaker_options{} : draft_.breaker;
      draft_.sender_limit = name == "sender_limit" ? sender_limit_options{} : draft_.sender_limit;
      return;
    }
  }
  const auto* table = node.as_table();
  if (table == nullptr) {
    std::string message =
        "must be a table, as in " + std::string(name) + " = { " +
        (name == "budget" ? "kind = \"none\"" : std::string(part.fields[0].name) + " = … ") +
        (name == "budget" ? " }" : "}") + (part.removable ? ", or false for none" : "");
    add(node.source().begin, name, message + "; it is " + shown(node));
    failed_.emplace(name);
    return;
  }
  if (name == "budget")
    read_budget(*table);
  else
    read_keys(part, *table);
}

/// The kind comes first: it says which keys there are.
void policy_reader::read_budget(const toml::table& table) {
  const section& kinds = *find_section("budget");
  if (const toml::node* kind = table.get("kind")) {
    read_field(kinds, kinds.fields[0], *kind);
    if (failed_.contains("budget.kind")) return;
  }
  const section* part = find_section("budget", draft_.kind);
  std::vector<std::string_view> known{"kind"};
  add_names(part, known);
  for (auto&& [key, node] : table) {
    const std::string_view name = key.str();
    given_["budget." + std::string(name)] = place_of(key, node);
    if (name == "kind") continue;
    if (const field* described = find_field(part, name)) {
      read_field(*part, *described, node);
      continue;
    }
    const std::string of_kind = "a budget of kind \"" + std::string(name_of(draft_.kind)) + "\"";
    std::string message = "is not known in " + of_kind + ": " + known_words(name, known);
    for (const budget_kind other : {budget_kind::token, budget_kind::ratio, budget_kind::throttle})
      if (find_field(find_section("budget", other), name) != nullptr) {
        message = "belongs to the kind \"" + std::string(name_of(other)) + "\", and this is " + of_kind;
        break;
      }
    refuse_key("budget", key, node, std::move(message));
  }
}

void policy_reader::read_keys(const section& part, const toml::table& table) {
  std::vector<std::string_view> known;
  add_names(&part, known);
  for (auto&& [key, node] : table) {
    given_[join(part.name, key.str())] = place_of(key, node);
    if (const field* described = find_field(&part, key.str()))
      read_field(part, *described, node);
    else
      refuse_key(part.name, key, node, "is not known here: " + known_words(key.str(), known));
  }
}

void policy_reader::read_field(const section& part, const field& described, const toml::node& node) {
  if (described.type == field_type::name) return;
  const std::string full = join(part.name, described.name);
  std::vector<complaint> complaints;
  if (const auto value = read_value(node, described, complaints)) {
    described.set(draft_, *value);
    return;
  }
  failed_.insert(full);
  for (complaint& each : complaints) add(each.place, full, std::move(each.message));
}

void policy_reader::refuse_key(std::string_view section_name, const toml::key& key, const toml::node& value,
                               std::string message) {
  const std::string_view name = key.str();
  const std::string cut = name.size() > 60 ? shown(name) : toml_key(name);
  add(place_of(key, value), join(section_name, cut), std::move(message));
}

void policy_reader::check_together(const policy_draft& inherited) {
  const std::vector<problem> before = problems_of(inherited);
  const auto inherits = [&before](const problem& found) {
    return std::any_of(before.begin(), before.end(), [&](const problem& old) {
      return old.field == found.field && old.rule == found.rule;
    });
  };
  for (const problem& found : problems_of(draft_))
    if (!follows_from_failed(found) && (given_.contains(found.field) || !inherits(found)))
      add(place_for(found), found.field, std::string(found.rule));
}

/// An unusable value was complained about; what the value in its place breaks is no news.
bool policy_reader::follows_from_failed(const problem& found) const {
  return failed_.contains(found.field) || failed_.contains(section_of(found.field)) ||
         std::any_of(failed_.begin(), failed_.end(),
                     [&](const std::string& key) { return speaks_of(found, key); });
}

/// The key that breaks the rule; when that one is inherited, the key that the rule speaks of, else the table.
toml::source_position policy_reader::place_for(const problem& found) const {
  if (const auto at = given_.find(found.field); at != given_.end()) return at->second;
  for (const auto& [key, place] : given_)
    if (speaks_of(found, key)) return place;
  if (const auto at = given_.find(section_of(found.field)); at != given_.end()) return at->second;
  return place_;
}

void policy_reader::add(toml::source_position place, std::string_view field, std::string message) {
  problems_.push_back({place ? place : place_, path_ + "." + std::string(field), std::move(message)});
}

}  // namespace relent::detail
