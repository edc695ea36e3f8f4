// SPDX-License-Identifier: Apache-2.0
// CLI11 cuts the words apart; its messages are replaced by ours.
#include "flags.hpp"

#include "src/text/nearest.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>

namespace relent::cli {

std::optional<std::string_view> flag_values::text(std::string_view name) const {
  for (const entry& each : entries_)
    if (each.given && each.name == name) return each.text;
  return std::nullopt;
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

std::string flag_reader::what_is(const std::string& word) const {
  if (!word.starts_with('-') || word == "-")
    return fmt::format("'{0}' is not a flag: write -- before the command, as in relent run -- {0}", word);
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string_view> known;
  for (const flag& each : flags_) known.push_back(each.name);
  const std::string_view near = text::nearest(name, known);
  if (near.empty()) return fmt::format("{}: unknown flag; --help lists them", name);
  return fmt::format("{}: unknown flag; did you mean {}?", name, near);
}

flag_values flag_reader::read(const std::vector<std::string>& words,
                              std::vector<std::string>& problems) const {
  flag_values values;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> options;
  for (const flag& each : flags_) {
    auto& entry = values.entries_.emplace_back();
    entry.name = each.name;
    const std::string name(each.name);
    options.push_back(each.value_name.empty() ? app.add_flag(name) : app.add_option(name, entry.text));
    options.back()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 wants them
    std::replace(reversed.begin(), reversed.end(), std::string("-h"), std::string("--help"));
    app.parse(std::move(reversed));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view text = error.what();
    problems.push_back(fmt::format("{}: needs a value", text.substr(0, text.find(':'))));
    return values;
  } catch (const CLI::ParseError& error) {
    problems.emplace_back(error.what());
    return values;
  }
  for (std::size_t i = 0; i < options.size(); ++i) values.entries_[i].given = options[i]->count() > 0;
  const auto unknown = app.remaining();
  if (!unknown.empty()) problems.push_back(what_is(unknown.front()));
  return values;
}

std::string flag_reader::help() const {
  std::size_t width = 0;
  for (const flag& each : flags_) width = std::max(width, each.name.size() + each.value_name.size() + 1);
  std::string text;
  for (const flag& each : flags_) {
    std::string left = fmt::format("{} {}", each.name, each.value_name);
    std::string_view rest = each.help;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      text += fmt::format("  {:<{}}  {}\n", left, width, line);
      left.clear();
    }
  }
  return text;
}

}  // namespace relent::cli
