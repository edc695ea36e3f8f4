// SPDX-License-Identifier: Apache-2.0
// From blocks to macros.
#include "man_page.hpp"

#include "markup.hpp"

#include <relent/version.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace relent::cli {
namespace {

/// Text that roff prints as it stands.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\(rs";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else
      result += c;
  }
  return result;
}

/// One line that no macro is seen in.
std::string line_of(const std::string& text) { return (text.starts_with('.') ? "\\&" + text : text) + "\n"; }

/// `typed` is bold, and so is the name of a manual page before its number.
std::string with_fonts(std::string_view paragraph) {
  std::string text;
  for (const span_of_text& part : spans_of(paragraph))
    text += part.typed ? "\\fB" + escaped(part.text) + "\\fR" : escaped(part.text);
  return text;
}

std::string literal(std::string_view lines) {
  std::string text = ".PP\n.RS 4\n.EX\n";
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    text += line_of(escaped(line));
  }
  return text + ".EE\n.RE\n";
}

std::string body(std::string_view markup) {
  std::string text;
  for (const block& each : blocks_of(markup)) {
    if (each.is == block::kind::paragraph) text += ".PP\n" + line_of(with_fonts(each.text));
    if (each.is == block::kind::literal) text += literal(each.text);
    for (const definition& item : each.terms)
      text += ".TP\n.B " + escaped(without_marks(item.term)) + "\n" + line_of(with_fonts(item.meaning));
  }
  return text;
}

std::string heading(std::string_view words) {
  std::string text(words);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return ".SH " + escaped(text) + "\n";
}

std::string flag_entry(const flag& each) {
  std::string text = ".TP\n\\fB" + escaped(each.name) + "\\fR";
  if (!each.short_name.empty()) text += ", \\fB" + escaped(each.short_name) + "\\fR";
  if (!each.value_name.empty()) text += " \\fI" + escaped(each.value_name) + "\\fR";
  text += "\n" + line_of(with_fonts(each.help));
  if (!each.details.empty()) text += body(each.details);
  return text;
}

/// The first word of a synopsis and its flags are typed as they stand; what is to be replaced is in capitals.
std::string synopsis_line(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    const bool typed = std::islower(static_cast<unsigned char>(word.front())) != 0 || word.front() == '-';
    if (!text.empty()) text += ' ';
    text += typed ? "\\fB" + escaped(word) + "\\fR" : "\\fI" + escaped(word) + "\\fR";
  }
  return text;
}

std::string see_also(const std::vector<std::string_view>& pages) {
  std::string lines;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const std::size_t bracket = pages[i].find('(');
    lines += ".BR " + escaped(pages[i].substr(0, bracket)) + " " + escaped(pages[i].substr(bracket)) +
             (i + 1 < pages.size() ? "," : "") + "\n";
  }
  return lines;
}

}  // namespace

std::string man_text(const page& about) {
  std::string upper(about.name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = ".TH " + escaped(upper) + " " + std::to_string(about.section) +
                     " \"\" \"relent " RELENT_VERSION "\" \"Relent\"\n";
  text += heading("Name") + escaped(about.name) + " \\- " + escaped(about.summary) + "\n";
  if (!about.synopsis.empty()) {
    text += heading("Synopsis");
    for (std::size_t i = 0; i < about.synopsis.size(); ++i)
      text += (i > 0 ? ".br\n" : "") + synopsis_line(about.synopsis[i]) + "\n";
  }
  text += heading("Description") + body(about.lead) + body(about.description) + body(about.before_flags);
  for (const flag_group& group : about.groups) {
    text += &group == &about.groups.front() ? heading("Options") : std::string();
    text += ".SS " + escaped(group.heading) + "\n";
    for (const flag& each : group.flags) text += flag_entry(each);
  }
  for (const page_section& section : about.sections) {
    if (section.where == shown::help_only) continue;
    if (!section.heading.empty()) text += heading(section.heading);
    text += body(section.text);
  }
  if (!about.examples.empty()) text += heading("Examples") + body(about.examples);
  if (!about.see_also.empty()) text += heading("See also") + see_also(about.see_also);
  return text;
}

}  // namespace relent::cli
