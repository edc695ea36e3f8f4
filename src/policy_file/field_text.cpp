// SPDX-License-Identifier: Apache-2.0
// The types, values and defaults of the fields as text.
#include "fields.hpp"

#include <relent/duration_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace relent::detail {
namespace {

/// The shortest text that reads back as the same number, and is none that TOML takes for too large an integer.
std::string number_text(double number) {
  std::array<char, 400> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  std::string digits(text.data(), error == std::errc{} ? end : text.data());
  if (std::isfinite(number) && std::abs(number) >= 1e15 && digits.find_first_of(".e") == std::string::npos)
    digits += ".0";
  return digits;
}

std::string edge_text(const field& described, double edge) {
  if (described.type == field_type::length) return to_text(duration{static_cast<duration::rep>(edge)});
  if (std::abs(edge) >= 1 && edge <= 1e9) return std::to_string(static_cast<long long>(edge));
  return number_text(edge);
}

std::string range_text(const field& described) {
  const field_range& range = *described.range;
  const std::string least = edge_text(described, range.least);
  if (!(range.most > range.least)) return (range.least_excluded ? "above " : "at least ") + least;
  const std::string most = edge_text(described, range.most);
  if (range.least_excluded && range.most_excluded) return "above " + least + " and below " + most;
  if (range.least_excluded) return "above " + least + " and at most " + most;
  return least + " to " + most;
}

std::string list_of(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + quoted_toml(word);
  return text;
}

struct as_toml {
  const field& described;

  std::string operator()(absent) const {
    return described.type == field_type::expression ? std::string(described.absent_word)
                                                    : quoted_toml(described.absent_word);
  }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::uint32_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(duration value) const { return quoted_toml(to_text(value)); }
  std::string operator()(choice value) const { return quoted_toml(described.words[value.index]); }
  /// Expressions with backslashes are easier on the eye in single quotes, if they may stand in them.
  std::string operator()(const std::string& value) const {
    const bool plain =
        value.find('\'') == std::string::npos &&
        std::none_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    return plain && value.find('\\') != std::string::npos ? "'" + value + "'" : quoted_toml(value);
  }
  std::string operator()(fault_set value) const {
    std::string text;
    for (int i = 0; i < fault_kind_count; ++i)
      if (const auto kind = static_cast<fault_kind>(i); value.contains(kind))
        text += (text.empty() ? "" : ", ") + quoted_toml(to_string(kind));
    return "[" + text + "]";
  }
  std::string operator()(const delay_list& value) const {
    std::string text;
    for (const duration delay : value) text += (text.empty() ? "" : ", ") + quoted_toml(to_text(delay));
    return "[" + text + "]";
  }
  std::string operator()(const attempt_ends& value) const {
    return value.empty() ? "[]" : quoted_toml(to_text(value));
  }
};

}  // namespace

std::string type_text(const field& described) {
  std::string text;
  switch (described.type) {
    case field_type::flag: text = "true or false"; break;
    case field_type::whole: text = "whole number"; break;
    case field_type::number: text = "number"; break;
    case field_type::length: text = "duration"; break;
    case field_type::choice: text = list_of(described.words); break;
    case field_type::kinds: text = "list of kinds of faults and HTTP statuses"; break;
    case field_type::lengths: text = "list of durations"; break;
    case field_type::ends: text = "exit codes, ranges, signals, timeout"; break;
    case field_type::expression: text = "regular expression"; break;
    case field_type::name: text = "name of a policy"; break;
  }
  if (described.range) text += ", " + range_text(described);
  if (!described.absent_word.empty()) text += ", or " + as_toml{described}(absent{});
  return text;
}

std::string toml_text(const field& described, const field_value& value) {
  return std::visit(as_toml{described}, value);
}

field_value default_value(const section& part, const field& described) {
  policy_draft draft;
  if (part.only_for) draft.kind = *part.only_for;
  return described.get(draft);
}

std::string default_text(const section& part, const field& described) {
  if (described.type == field_type::name) return quoted_toml("default");
  return toml_text(described, default_value(part, described));
}

std::string quoted_toml(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (code < 0x20 || code == 0x7f) {
      quoted += "\\u00";
      quoted += hex[code >> 4U];
      quoted += hex[code & 0xfU];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_key(std::string_view key) {
  constexpr std::string_view bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  const bool is_bare = !key.empty() && key.find_first_not_of(bare) == std::string_view::npos;
  return is_bare ? std::string(key) : quoted_toml(key);
}

}  // namespace relent::detail
