// SPDX-License-Identifier: Apache-2.0
// One table of names; one function for each kind of value.
#include "step_options.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace relent::testing::faults {
namespace {

struct option_name {
  std::string_view name;
  option_set bits;
};

// `after` is a delay or a place in the body; no step has both.
constexpr option_name names[] = {
    {"body", options::body},
    {"type", options::type},
    {"etag", options::etag},
    {"header", options::header},
    {"retry-after", options::retry_after},
    {"date", options::date},
    {"after", options::delay | options::cut},
    {"ranges", options::ranges},
    {"framing", options::framing},
    {"keep-alive", options::keep_alive},
    {"read", options::read},
    {"execute", options::execute},
    {"before", options::before},
    {"for", options::hold},
};

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

/// Whether a text can stand in a header line.
bool fits_header(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

void read_header(script_cursor& cursor, const value_text& value, step& into) {
  const std::size_t colon = value.text.find(':');
  const std::string name = value.text.substr(0, colon);
  if (colon == std::string::npos || !is_token(name) || !fits_header(value.text))
    return cursor.problem(value.at, "a header is one line: write header=\"Name: value\"");
  const std::string small = lower(name);
  if (small == "content-length" || small == "transfer-encoding" || small == "connection")
    return cursor.problem(value.at, '\'' + name + "' is the server's: use framing, keep-alive or malformed");
  const std::size_t begin = std::min(value.text.find_first_not_of(" \t", colon + 1), value.text.size());
  into.headers.emplace_back(name, value.text.substr(begin));
}

/// A text as it stands, or a sign and a duration.
std::optional<dated_value> read_dated(script_cursor& cursor, const value_text& value, std::string_view what) {
  const bool dated = !value.quoted && !value.text.empty() && (value.text[0] == '+' || value.text[0] == '-');
  if (!dated) return dated_value{value.text, std::nullopt};
  const auto length = cursor.as_duration({value.text.substr(1), value.at + 1, false}, what);
  constexpr duration longest = detail::minutes(60) * 24 * 36500;
  if (!length) return std::nullopt;
  if (*length > longest) {
    cursor.problem(value.at, std::string(what) + " is too far away: at most 36500d");
    return std::nullopt;
  }
  return dated_value{"", value.text[0] == '-' ? -*length : *length};
}

void read_body(script_cursor& cursor, const value_text& value, step& into) {
  const bool begins_number = !value.text.empty() && value.text[0] >= '0' && value.text[0] <= '9';
  if (value.text.empty() && !value.quoted)
    return cursor.problem(value.at, "a body is a size or a text: write body=1MB or body=\"hello\"");
  if (value.quoted || !begins_number) {
    into.body = {body_spec::source::text, 0, value.text};
  } else if (const auto size = cursor.as_size(value, "the body", largest_body)) {
    into.body = {body_spec::source::pattern, *size, ""};
  }
}

std::string quoted_etag(const std::string& text) {
  const bool whole = !text.empty() && (text[0] == '"' || text.rfind("W/\"", 0) == 0);
  return whole ? text : '"' + text + '"';
}

void read_framing(script_cursor& cursor, const value_text& value, step& into) {
  if (value.text == "length") {
    into.framing = body_framing::length;
  } else if (value.text == "chunked") {
    into.framing = body_framing::chunked;
  } else if (value.text == "close") {
    into.framing = body_framing::close;
  } else {
    constexpr std::string_view known[] = {"length", "chunked", "close"};
    cursor.problem(value.at, unknown_word(value.text, "framing", known));
  }
}

void read_keep_alive(script_cursor& cursor, const value_text& value, step& into) {
  if (value.text == "yes" || value.text == "no") {
    into.keep_alive = value.text == "yes";
  } else if (const auto idle = cursor.as_duration(value, "keep-alive (no, or a time)")) {
    into.idle = *idle;
  }
}

void read_before(script_cursor& cursor, const value_text& value, step& into) {
  into.before_head = value.text == "head";
  if (!into.before_head) cursor.problem(value.at, "a reset can only be before=head, or after=SIZE");
}

void read_how_much(script_cursor& cursor, const value_text& value, step& into) {
  into.head_only = value.text == "head";
  if (!into.head_only && value.text != "all") cursor.problem(value.at, "read is either head or all");
}

void read_line_value(script_cursor& cursor, const value_text& value, std::string& into) {
  if (value.text.empty() || !fits_header(value.text))
    return cursor.problem(value.at, "a header's value is one line, and not empty");
  into = value.text;
}

void read_dated_option(script_cursor& cursor, option_set option, const value_text& value, step& into) {
  if (!fits_header(value.text)) return cursor.problem(value.at, "a header's value is one line");
  if (option == options::retry_after) {
    into.retry_after = read_dated(cursor, value, "retry-after");
  } else if (!value.quoted && value.text == "none") {
    into.date = dated_value{};
  } else {
    into.date = read_dated(cursor, value, "date");
  }
}

void read_value(script_cursor& cursor, option_set option, const value_text& value, step& into,
                given_options& seen) {
  switch (option) {
    case options::body: return read_body(cursor, value, into);
    case options::type: return read_line_value(cursor, value, into.type);
    case options::etag:
      read_line_value(cursor, value, into.etag);
      into.etag = quoted_etag(into.etag);
      return;
    case options::header: return read_header(cursor, value, into);
    case options::retry_after:
    case options::date: return read_dated_option(cursor, option, value, into);
    case options::delay:
      if (const auto delay = cursor.as_duration(value, "after")) into.delay = *delay;
      return;
    case options::cut: into.cut = cursor.as_size(value, "after", largest_body); return;
    case options::ranges:
      if (const auto yes = cursor.as_yes_no(value, "ranges")) into.ranges = *yes;
      return;
    case options::framing: return read_framing(cursor, value, into);
    case options::keep_alive: return read_keep_alive(cursor, value, into);
    case options::read: return read_how_much(cursor, value, into);
    case options::execute:
      if (const auto yes = cursor.as_yes_no(value, "execute")) seen.execute = *yes;
      return;
    case options::before: return read_before(cursor, value, into);
    case options::hold: into.hold = cursor.as_duration(value, "for"); return;
    default: return;
  }
}

/// The names of the options in the set.
std::vector<std::string_view> names_in(option_set allowed) {
  std::vector<std::string_view> out;
  for (const option_name& each : names)
    if ((each.bits & allowed) != 0) out.push_back(each.name);
  return out;
}

std::string not_allowed(std::string_view name, option_set allowed, std::string_view step_name) {
  const bool elsewhere = std::any_of(std::begin(names), std::end(names),
                                     [&](const option_name& each) { return each.name == name; });
  const std::vector<std::string_view> known = names_in(allowed);
  if (known.empty()) return std::string(step_name) + " has no options";
  if (!elsewhere) return unknown_word(name, "option of a step", names_in(~option_set{0}));
  std::string out = '\'' + std::string(name) + "' is no option of " + std::string(step_name) + "; it has ";
  for (std::size_t i = 0; i < known.size(); ++i) out += (i > 0 ? ", " : "") + std::string(known[i]);
  return out;
}

}  // namespace

void read_option(script_cursor& cursor, option_set allowed, std::string_view step_name, step& into,
                 given_options& seen) {
  cursor.skip_blanks();
  const std::size_t at = cursor.at();
  const std::string_view name = cursor.word();
  const auto* const found = std::find_if(std::begin(names), std::end(names),
                                         [&](const option_name& each) { return each.name == name; });
  const option_set option = found == std::end(names) ? 0 : found->bits & allowed;
  if (option == 0) {
    cursor.problem(at, name.empty() ? "an option is missing here: write name=value"
                                    : not_allowed(name, allowed, step_name));
    return cursor.skip_to_separator();
  }
  if (!cursor.accept('=')) {
    cursor.problem(at, '\'' + std::string(name) + "' has no value: write " + std::string(name) + "=...");
    return cursor.skip_to_separator();
  }
  if ((seen.given & option) != 0 && option != options::header)
    cursor.problem(at, '\'' + std::string(name) + "' is given twice");
  seen.given |= option;
  read_value(cursor, option, cursor.value(",)"), into, seen);
}

}  // namespace relent::testing::faults
