// SPDX-License-Identifier: Apache-2.0
// Cutting the words of a command line apart.
#include "flags.hpp"

#include "src/text/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace relent::cli {
namespace {

bool is_flag(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

}  // namespace

std::optional<std::string_view> flag_values::text(std::string_view name) const {
  const auto last =
      std::find_if(entries_.rbegin(), entries_.rend(), [&](const entry& each) { return each.name == name; });
  if (last == entries_.rend()) return std::nullopt;
  return last->text;
}

std::vector<std::string_view> flag_values::texts(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const entry& each : entries_)
    if (each.name == name) found.push_back(each.text);
  return found;
}

std::vector<std::pair<std::string_view, std::string_view>> flag_values::all() const {
  std::vector<std::pair<std::string_view, std::string_view>> found;
  found.reserve(entries_.size());
  for (const entry& each : entries_) found.emplace_back(each.name, each.text);
  return found;
}

split_command_line split_at_separator(std::span<char*> arguments) {
  split_command_line result;
  const auto separator = std::find_if(arguments.begin(), arguments.end(),
                                      [](const char* word) { return std::string_view(word) == "--"; });
  result.own.assign(arguments.begin(), separator);
  result.has_separator = separator != arguments.end();
  if (result.has_separator) result.command = {separator + 1, arguments.end()};
  return result;
}

flag_reader::flag_reader(std::span<const flag> flags, operands others) : others_(others) {
  for (const flag& each : flags) flags_.push_back(&each);
}

flag_reader::flag_reader(std::span<const flag_group> groups, operands others, short_names style,
                         std::span<const absent_flag> absent)
    : others_(others), style_(style), absent_(absent) {
  for (const flag_group& group : groups)
    for (const flag& each : group.flags) flags_.push_back(&each);
}

const flag* flag_reader::find(std::string_view name) const {
  for (const flag* each : flags_)
    if (each->name == name || (!each->short_name.empty() && each->short_name == name)) return each;
  return nullptr;
}

const absent_flag* flag_reader::find_absent(std::string_view name) const {
  for (const absent_flag& each : absent_)
    if (each.name == name || (!each.short_name.empty() && each.short_name == name)) return &each;
  return nullptr;
}

std::string flag_reader::what_is(std::string_view name) const {
  std::string line(name);
  if (const absent_flag* absent = find_absent(name)) return line.append(": ").append(absent->instead);
  std::vector<std::string_view> known;
  known.reserve(flags_.size());
  for (const flag* each : flags_) known.push_back(each->name);
  const std::string_view near = text::nearest(name, known);
  line += ": unknown flag; ";
  if (near.empty()) return line += "--help lists them";
  return line.append("did you mean ").append(near).append("?");
}

/// Where the reading stands.
struct flag_reader::reading {
  const std::vector<std::string>& words;
  std::vector<std::string>& problems;
  flag_values values;
  std::size_t at = 0;
  bool after_unknown = false;  // the next word may be the value of a flag that there is not

  const std::string& word() const { return words[at]; }
};

flag_values flag_reader::read(const std::vector<std::string>& words,
                              std::vector<std::string>& problems) const {
  reading now{.words = words, .problems = problems, .values = {}};
  for (; now.at < words.size(); ++now.at) {
    const std::string& word = now.word();
    if (word == "--" && others_ == operands::allowed) {
      now.values.operands_.insert(now.values.operands_.end(),
                                  words.begin() + static_cast<std::ptrdiff_t>(now.at) + 1, words.end());
      break;
    }
    if (is_flag(word)) {
      if (style_ == short_names::bundled && !word.starts_with("--"))
        read_bundle(now);
      else
        read_flag(now);
    } else if (!read_operand(now)) {
      break;
    }
  }
  return std::move(now.values);
}

/// False if what follows are the words of a command.
bool flag_reader::read_operand(reading& now) const {
  if (std::exchange(now.after_unknown, false)) return true;
  if (others_ == operands::allowed) {
    now.values.operands_.push_back(now.word());
    return true;
  }
  now.problems.push_back("'" + now.word() +
                         "' is not a flag: write -- before the command, as in relent run -- " + now.word());
  return false;
}

void flag_reader::read_flag(reading& now) const {
  const std::string& word = now.word();
  const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
  const std::string name = word.substr(0, equals);
  const flag* found = find(name);
  now.after_unknown = false;
  if (found == nullptr)
    refuse(now, name, equals != std::string::npos);
  else if (found->value_name.empty() && equals != std::string::npos)
    now.problems.push_back(name + ": takes no value");
  else if (equals != std::string::npos)
    now.values.entries_.push_back({found->name, word.substr(equals + 1)});
  else if (needs_value(*found))
    read_next_word(now, *found, name);
  else
    now.values.entries_.push_back({found->name, {}});
}

/// "-sSfo" and the file in the next word, or in the same one.
void flag_reader::read_bundle(reading& now) const {
  const std::string& word = now.word();
  now.after_unknown = false;
  for (std::size_t i = 1; i < word.size(); ++i) {
    const std::string name = {'-', word[i]};
    const flag* found = find(name);
    if (found == nullptr) return refuse(now, name, i + 1 < word.size());
    if (!needs_value(*found)) {
      now.values.entries_.push_back({found->name, {}});
      continue;
    }
    if (i + 1 == word.size()) return read_next_word(now, *found, name);
    now.values.entries_.push_back({found->name, word.substr(i + 1)});
    return;
  }
}

void flag_reader::read_next_word(reading& now, const flag& wanting, std::string_view name) const {
  if (now.at + 1 < now.words.size() && !now.words[now.at + 1].starts_with("--"))
    now.values.entries_.push_back({wanting.name, now.words[++now.at]});
  else
    now.problems.push_back(std::string(name) + ": needs a value");
}

void flag_reader::refuse(reading& now, std::string_view name, bool value_is_there) const {
  now.problems.push_back(what_is(name));
  const absent_flag* absent = find_absent(name);
  now.after_unknown = !value_is_there && (absent == nullptr || absent->has_value);
}

}  // namespace relent::cli
