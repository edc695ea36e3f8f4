// SPDX-License-Identifier: Apache-2.0
// The file as a whole: its TOML, its table of policies, which of them inherits from which.
#include "reader.hpp"

#include "policy_reader.hpp"
#include "toml_scan.hpp"

#include <algorithm>
#include <map>

namespace relent::detail {
namespace {

constexpr int longest_chain = 32;
/// A policy of the file on its way to being read.
struct entry {
  std::string name;
  std::string path;
  const toml::table* table = nullptr;
  toml::source_position place;
  policy_draft draft;
  enum class state : std::uint8_t { untouched, open, done } progress = state::untouched;
};

std::string path_of(std::string_view name) {
  return "policy." + (name.size() > 60 ? shown(name) : toml_key(name));
}

class file_reader {
 public:
  file_reader(std::string_view text, std::string_view file, const named_policy& base,
              const profile_source& profiles)
      : text_(text), file_(file), base_(draft_of(base)), profiles_(profiles) {}

  std::vector<named_policy> read() {
    refuse_unreadable();
    const toml::table root = parsed();
    collect(root);
    for (entry& each : entries_) resolve(each, 0);
    if (!problems_.empty()) fail();
    std::vector<named_policy> policies;
    policies.reserve(entries_.size());
    for (entry& each : entries_) policies.push_back(named(each.name, each.draft));
    return policies;
  }

 private:
  void refuse_unreadable() {
    if (text_.size() > largest_file) {
      add({}, "", "is larger than 1 MiB, which no policy file needs to be");
      fail();
    }
    if (const auto found = scan_toml(text_)) {
      add({found->line, found->column}, "", std::string(found->message));
      fail();
    }
  }

  toml::table parsed() {
    try {
      return toml::parse(text_);
    } catch (const toml::parse_error& error) {
      std::string what(error.description());
      add(within_text(error.source().begin), "", "this is no TOML: " + clean(what));
    } catch (const std::exception& error) {
      add({1, 1}, "", std::string("this cannot be read as TOML: ") + error.what());
    }
    fail();
  }

  /// What ends too early, and what is no UTF-8, can be told of a little behind where it is.
  toml::source_position within_text(toml::source_position place) const {
    toml::source_position last{1, 1};
    for (const char c : text_) {
      if (c == '\n' && last.line == place.line) break;
      if (c == '\n')
        last = {last.line + 1, 1};
      else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U)
        ++last.column;
    }
    if (!place) return {1, 1};
    return place < last ? place : last;
  }

  /// In one line, beginning small, as the rest of the message does.
  static std::string clean(std::string_view text) {
    std::string quoted = quoted_toml(text);
    std::string plain;
    for (std::size_t i = 1; i + 1 < quoted.size(); ++i)
      if (quoted[i] != '\\' || (quoted[i + 1] != '"' && quoted[i + 1] != '\\'))
        plain += quoted[i];
      else
        plain += quoted[++i];
    if (plain.size() > 1 && plain[0] >= 'A' && plain[0] <= 'Z' && plain[1] >= 'a')
      plain[0] = static_cast<char>(plain[0] - 'A' + 'a');
    return plain;
  }

  void collect(const toml::table& root) {
    for (auto&& [key, node] : root) {
      if (key.str() != "policy") {
        refuse_top(key, node);
      } else if (!node.is_table()) {
        add(place_of(key, node), "policy",
            "must be a table of policies, as in [policy.payments]; it is " + shown(node));
      } else {
        collect_policies(*node.as_table());
      }
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const entry& a, const entry& b) { return a.place < b.place; });
    for (std::size_t i = 0; i < entries_.size(); ++i) by_name_.emplace(entries_[i].name, i);
  }

  void refuse_top(const toml::key& key, const toml::node& node) {
    const std::string name = key.str().size() > 60 ? shown(key.str()) : toml_key(key.str());
    constexpr std::string_view known[] = {"policy"};
    std::string message = "is not known here: policies are tables called policy.NAME";
    if (text_near(key.str(), known))
      message = "is not known here: did you mean \"policy\"?";
    else if (node.is_table())
      message += ", so write [policy." + name + "]";
    add(place_of(key, node), name, std::move(message));
  }

  static bool text_near(std::string_view word, std::span<const std::string_view> known) {
    return known_words(word, known).starts_with("did");
  }

  void collect_policies(const toml::table& policies) {
    for (auto&& [key, node] : policies) {
      const std::string_view name = key.str();
      const toml::source_position place = place_of(key, node);
      if (name.empty())
        add(place, "policy.\"\"", "must have a name that is not empty");
      else if (!node.is_table())
        add(place, path_of(name),
            "must be a table with the options of a policy, as in [policy.payments]; it is " + shown(node));
      else
        entries_.push_back(
            {std::string(name), path_of(name), node.as_table(), place, {}, entry::state::untouched});
    }
  }

  void resolve(entry& each, int depth) {
    if (each.progress == entry::state::done) return;
    each.progress = entry::state::open;
    const policy_draft inherited = inherited_by(each, depth);
    each.draft = policy_reader(*each.table, each.path, each.place, problems_).read(inherited);
    each.progress = entry::state::done;
  }

  policy_draft inherited_by(const entry& each, int depth) {
    const toml::node* node = each.table->get("inherit");
    if (node == nullptr) {
      const auto at = by_name_.find("default");
      return at == by_name_.end() || each.name == "default" ? base_
                                                            : draft_at(at->second, each, each.place, depth);
    }
    const toml::source_position place = node->source().begin;
    if (!node->is_string()) {
      add(place, each.path + ".inherit", "must be the name of a policy, in quotes; it is " + shown(*node));
      return base_;
    }
    const std::string& parent = node->as_string()->get();
    constexpr std::string_view profile = "profile:";
    if (parent.starts_with(profile))
      return profile_draft(std::string_view(parent).substr(profile.size()), each, place);
    if (const auto at = by_name_.find(parent); at != by_name_.end())
      return draft_at(at->second, each, place, depth);
    if (parent == "none" || parent == "default") return base_;
    std::vector<std::string_view> known;
    for (const entry& other : entries_) known.push_back(other.name);
    std::string message = "names " + shown(std::string_view(parent)) + ", which is no policy of this file";
    if (text_near(parent, known)) message += ": " + known_words(parent, known);
    add(place, each.path + ".inherit", std::move(message));
    return base_;
  }

  policy_draft draft_at(std::size_t index, const entry& from, toml::source_position place, int depth) {
    entry& parent = entries_[index];
    if (parent.progress == entry::state::open) {
      add(place, from.path + ".inherit",
          "comes back to where it began: " + parent.path + " inherits from this one");
      return base_;
    }
    if (depth == longest_chain) {
      add(place, from.path + ".inherit", "goes over more than 32 policies");
      return base_;
    }
    resolve(parent, depth + 1);
    return parent.draft;
  }

  policy_draft profile_draft(std::string_view name, const entry& from, toml::source_position place) {
    std::vector<std::string_view> known;
    for (const named_policy& each : profiles_()) {
      if (each.name == name) return draft_of(each);
      known.push_back(each.name);
    }
    add(place, from.path + ".inherit",
        "names " + shown(name) + ", which is no ready profile: " + known_words(name, known));
    return base_;
  }

  void add(toml::source_position place, std::string field, std::string message) {
    problems_.push_back({place, std::move(field), std::move(message)});
  }

  [[noreturn]] void fail() {
    std::stable_sort(problems_.begin(), problems_.end(),
                     [](const placed_problem& a, const placed_problem& b) { return a.place < b.place; });
    std::vector<policy_file_problem> all;
    all.reserve(problems_.size());
    for (placed_problem& each : problems_)
      all.push_back({each.place.line, each.place.column, std::move(each.field), std::move(each.message)});
    throw policy_file_error(file_, std::move(all));
  }

  std::string_view text_;
  std::string_view file_;
  policy_draft base_;
  const profile_source& profiles_;
  std::vector<entry> entries_;
  std::map<std::string_view, std::size_t> by_name_;
  std::vector<placed_problem> problems_;
};

}  // namespace

std::vector<named_policy> read_policies(std::string_view text, std::string_view file,
                                        const named_policy& base, const profile_source& profiles) {
  return file_reader(text, file, base, profiles).read();
}

}  // namespace relent::detail
