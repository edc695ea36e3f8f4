// SPDX-License-Identifier: Apache-2.0
// Blocks are told apart by their first line.
#include "markup.hpp"

#include <algorithm>

namespace relent::cli {
namespace {

constexpr std::string_view separator = " :: ";

/// Takes the first line off.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

void append_word(std::string& text, std::string_view words) {
  if (!text.empty() && !words.empty()) text += ' ';
  text += words;
}

void add_line(block& to, std::string_view line) {
  if (to.is == block::kind::literal) {
    to.text.append(line.substr(std::min({std::size_t{2}, line.size(), line.find_first_not_of(' ')})))
        .push_back('\n');
    return;
  }
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  const std::size_t at = line.find(separator);
  if (to.is == block::kind::paragraph)
    append_word(to.text, line);
  else if (at != std::string_view::npos)
    to.terms.push_back({std::string(line.substr(0, at)), std::string(line.substr(at + separator.size()))});
  else
    append_word(to.terms.back().meaning, line);
}

block begun_by(std::string_view line) {
  block result;
  if (line.starts_with("  "))
    result.is = block::kind::literal;
  else if (line.find(separator) != std::string_view::npos)
    result.is = block::kind::definitions;
  return result;
}

/// The column at which meanings stand: behind the longest term, but no further than a third of the way.
std::size_t meaning_column(const std::vector<definition>& terms) {
  std::size_t widest = 0;
  for (const definition& each : terms) {
    const std::size_t size = without_marks(each.term).size();
    if (size <= 22) widest = std::max(widest, size);
  }
  return widest + 4;
}

}  // namespace

std::vector<block> blocks_of(std::string_view markup) {
  std::vector<block> blocks;
  bool inside = false;
  while (!markup.empty()) {
    const std::string_view line = next_line(markup);
    if (line.empty()) {
      inside = false;
      continue;
    }
    if (!inside) blocks.push_back(begun_by(line));
    inside = true;
    add_line(blocks.back(), line);
  }
  return blocks;
}

std::vector<span_of_text> spans_of(std::string_view paragraph) {
  std::vector<span_of_text> spans;
  for (bool typed = false;; typed = !typed) {
    const std::size_t mark = paragraph.find('`');
    if (mark != 0) spans.push_back({typed, paragraph.substr(0, mark)});
    if (mark == std::string_view::npos) return spans;
    paragraph.remove_prefix(mark + 1);
  }
}

std::string without_marks(std::string_view paragraph) {
  std::string text(paragraph);
  std::erase(text, '`');
  return text;
}

std::string filled(std::string_view words, std::size_t column, std::size_t indent, std::size_t width) {
  std::string text;
  bool line_is_empty = true;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find_first_of(" \n"));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (word.empty()) continue;
    if (!line_is_empty && column + 1 + word.size() > width) {
      text.append("\n").append(indent, ' ');
      column = indent;
      line_is_empty = true;
    }
    if (!line_is_empty) text += ' ';
    column += word.size() + (line_is_empty ? 0 : 1);
    text += word;
    line_is_empty = false;
  }
  return text += '\n';
}

std::string plain_text(std::string_view markup) {
  std::string text;
  for (const block& each : blocks_of(markup)) {
    if (!text.empty()) text += '\n';
    if (each.is == block::kind::paragraph) text += filled(without_marks(each.text), 0, 0);
    std::string_view rest = each.text;
    while (each.is == block::kind::literal && !rest.empty()) {
      const std::string_view line = next_line(rest);
      text.append("  ").append(line).push_back('\n');
    }
    const std::size_t column = meaning_column(each.terms);
    for (const definition& item : each.terms) {
      std::string term = "  " + without_marks(item.term);
      if (term.size() + 2 > column)
        term += '\n' + std::string(column, ' ');
      else
        term.resize(column, ' ');
      text += term + filled(without_marks(item.meaning), column, column);
    }
  }
  return text;
}

}  // namespace relent::cli
