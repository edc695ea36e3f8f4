// SPDX-License-Identifier: Apache-2.0
// The help of a subcommand: what a person needs first stands first.
#include "page.hpp"

#include "markup.hpp"

#include <algorithm>

namespace relent::cli {
namespace {

/// "  --quiet, -q" or "  --base D".
std::string left_side(const flag& each) {
  std::string text = "  ";
  text += each.name;
  if (!each.short_name.empty()) text.append(", ").append(each.short_name);
  if (!each.value_name.empty()) text.append(before_value(each)).append(each.value_name);
  return text;
}

/// The widest left side that still stands on one line with its help.
constexpr std::size_t most_left = 24;

std::size_t help_column(std::span<const flag_group> groups) {
  std::size_t widest = 0;
  for (const flag_group& group : groups)
    for (const flag& each : group.flags)
      if (const std::size_t size = left_side(each).size(); size <= most_left) widest = std::max(widest, size);
  return widest + 2;
}

std::string table(std::span<const flag> flags, std::size_t column) {
  std::string text;
  for (const flag& each : flags) {
    std::string left = left_side(each);
    if (left.size() + 2 > column)
      left += '\n' + std::string(column, ' ');
    else
      left.resize(column, ' ');
    text += left + filled(without_marks(each.help), column, column);
  }
  return text;
}

void add_block(std::string& text, const std::string& block) {
  if (!text.empty() && !block.empty()) text += '\n';
  text += block;
}

std::string usage(const page& about) {
  std::string text;
  for (const std::string_view line : about.synopsis)
    text.append(text.empty() ? "Usage: " : "       ").append(line).push_back('\n');
  return text;
}

}  // namespace

std::string_view subcommand_of(const page& about) {
  const std::size_t dash = about.name.find('-');
  return about.section != 1 || dash == std::string_view::npos ? "" : about.name.substr(dash + 1);
}

std::string help_text(const page& about) {
  std::string text;
  add_block(text, plain_text(about.lead));
  add_block(text, plain_text(about.examples));
  add_block(text, usage(about));
  add_block(text, plain_text(about.description));
  add_block(text, plain_text(about.before_flags));
  const std::size_t column = help_column(about.groups);
  for (const flag_group& group : about.groups)
    add_block(text, std::string(group.heading) + ":\n" + table(group.flags, column));
  for (const page_section& section : about.sections) {
    if (section.where == shown::man_only) continue;
    add_block(text, section.heading.empty() ? "" : section.heading + ":\n");
    text += plain_text(section.text);
  }
  return text;
}

}  // namespace relent::cli
