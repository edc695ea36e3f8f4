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

flag_reader::flag_reader(std::span<const flag_group> groups, operands others) : others_(others) {
  for (const flag_group& group : groups)
    for (const flag& each : group.flags) flags_.push_back(&each);
}

const flag* flag_reader::find(std::string_view name) const {
  for (const flag* each : flags_)
    if (each->name == name || (!each->short_name.empty() && each->short_name == name)) return each;
  return nullptr;
}

std::string flag_reader::what_is(std::string_view name) const {
  std::vector<std::string_view> known;
  known.reserve(flags_.size());
  for (const flag* each : flags_) known.push_back(each->name);
  const std::string_view near = text::nearest(name, known);
  std::string line(name);
  line += ": unknown flag; ";
  if (near.empty()) return line += "--help lists them";
  return line.append("did you mean ").append(near).append("?");
}

flag_values flag_reader::read(const std::vector<std::string>& words,
                              std::vector<std::string>& problems) const {
  flag_values values;
  bool after_unknown = false;  // the next word may be the value of a flag that there is not
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" && others_ == operands::allowed) {
      values.operands_.insert(values.operands_.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                              words.end());
      return values;
    }
    if (!is_flag(word)) {
      if (others_ == operands::allowed && !after_unknown) values.operands_.push_back(word);
      if (others_ == operands::refused && !after_unknown) {
        std::string line = "'";
        line.append(word)
            .append("' is not a flag: write -- before the command, as in relent run -- ")
            .append(word);
        problems.push_back(std::move(line));
        return values;  // what follows are that command's words
      }
      after_unknown = false;
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const flag* found = find(name);
    after_unknown = found == nullptr && equals == std::string::npos;
    if (found == nullptr)
      problems.push_back(what_is(name));
    else if (found->value_name.empty() && equals != std::string::npos)
      problems.push_back(name + ": takes no value");
    else if (found->value_name.empty())
      values.entries_.push_back({found->name, {}});
    else if (equals != std::string::npos)
      values.entries_.push_back({found->name, word.substr(equals + 1)});
    else if (i + 1 < words.size() && !words[i + 1].starts_with("--"))
      values.entries_.push_back({found->name, words[++i]});
    else
      problems.push_back(name + ": needs a value");
  }
  return values;
}

}  // namespace relent::cli
