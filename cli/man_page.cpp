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
  for (const char c : text) switch (c) {
      case '\\': result += "\\(rs"; break;
      case '-': result += "\\-"; break;
      case '\'': result += "\\(aq"; break;
      case '"': result += "\\(dq"; break;
      case '`': result += "\\(ga"; break;
      case '^': result += "\\(ha"; break;
      case '~': result += "\\(ti"; break;
      default: result += c;
    }
  return result;
}

/// One line that no macro is seen in.
std::string line_of(const std::string& text) { return (text.starts_with('.') ? "\\&" + text : text) + "\n"; }

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

/// Where the number of a manual page begins, "(1)"; at the end if this is none.
std::size_t number_of_page(std::string_view text) {
  const std::size_t size = text.size();
  const bool is_page = size > 3 && text[size - 3] == '(' && text.back() == ')' &&
                       std::isdigit(static_cast<unsigned char>(text[size - 2])) != 0;
  return is_page ? size - 3 : size;
}

/// `typed` is bold; of a manual page, its name without the number.
std::string with_fonts(std::string_view paragraph) {
  std::string text;
  for (const span_of_text& part : spans_of(paragraph)) {
    const std::size_t number = part.typed ? number_of_page(part.text) : 0;
    if (number > 0) text += bold(part.text.substr(0, number));
    text += escaped(part.text.substr(number));
  }
  return text;
}

std::string literal(std::string_view lines) {
  std::string text = ".PP\n.RS 4\n.EX\n";
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    text += line_of(escaped(line));
  }
  return text + ".EE\n.RE\n.nh\n";  // .EE begins to hyphenate again
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
  std::string text = ".TP\n" + bold(each.name);
  if (!each.short_name.empty()) text += ", " + bold(each.short_name);
  if (!each.value_name.empty()) text += std::string(before_value(each)) + italic(each.value_name);
  text += "\n" + line_of(with_fonts(each.help));
  if (!each.details.empty()) text += ".RS\n" + body(each.details) + ".RE\n";  // indented as the help is
  return text;
}

/// The first word of a synopsis and its flags are typed as they stand; what is to be replaced is in capitals.
std::string synopsis_line(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    const std::size_t begin = word.find_first_not_of('[');
    if (begin == std::string_view::npos) continue;
    const bool typed = std::islower(static_cast<unsigned char>(word[begin])) != 0 || word[begin] == '-';
    if (!text.empty()) text += ' ';
    text += typed ? bold(word) : italic(word);
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
                     " \"\" \"relent " RELENT_VERSION
                     "\" \"Relent\"\n.nh\n.ad l\n";  // words that are typed are not to be broken
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
    if (!section.heading.empty()) text += heading(section.heading);
    text += body(section.text);
  }
  if (!about.examples.empty()) text += heading("Examples") + body(about.examples);
  if (!about.see_also.empty()) text += heading("See also") + see_also(about.see_also);
  return text;
}

}  // namespace relent::cli
