// SPDX-License-Identifier: Apache-2.0
// Each type of field reads its own kind of TOML value.
#include "read_value.hpp"

#include "statuses.hpp"

#include "src/text/nearest.hpp"

#include <relent/duration_text.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace relent::detail {
namespace {

using complaints = std::vector<complaint>;
using result = std::optional<field_value>;

result refuse(const toml::node& node, complaints& found, std::string message) {
  found.push_back({node.source().begin, std::move(message)});
  return std::nullopt;
}

result wrong_type(const toml::node& node, const field& described, complaints& found) {
  const bool has_article = described.type == field_type::whole || described.type == field_type::number ||
                           described.type == field_type::lengths || described.type == field_type::expression;
  const bool one_of = described.type == field_type::choice;
  return refuse(node, found,
                std::string("must be ") +
                    (has_article ? "a "
                     : one_of    ? "one of "
                                 : "") +
                    type_text(described) + "; it is " + shown(node));
}

// --- numbers

bool is_number_text(const toml::node& node) {
  const auto text = node.value<std::string>();
  if (!node.is_string() || !text || text->empty()) return false;
  return text->find_first_not_of("0123456789.") == std::string::npos;
}

result read_whole(const toml::node& node, const field& described, complaints& found) {
  if (is_number_text(node))
    return refuse(node, found, "must be a number without quotes: write " + *node.value<std::string>());
  if (!node.is_integer()) return wrong_type(node, described, found);
  const std::int64_t number = node.as_integer()->get();
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  if (number < 0 || number > most) {
    const bool bounded = described.range && described.range->most > described.range->least;
    if (number < 0 || bounded) return wrong_type(node, described, found);
    return refuse(node, found, "must be at most " + std::to_string(most) + "; it is " + shown(node));
  }
  return static_cast<std::uint32_t>(number);
}

result read_number(const toml::node& node, const field& described, complaints& found) {
  if (is_number_text(node))
    return refuse(node, found, "must be a number without quotes: write " + *node.value<std::string>());
  if (!node.is_number()) return wrong_type(node, described, found);
  const double number =
      node.is_integer() ? static_cast<double>(node.as_integer()->get()) : node.as_floating_point()->get();
  if (!std::isfinite(number)) return refuse(node, found, "must be a finite number; it is " + shown(node));
  return number;
}

// --- durations

std::optional<duration> read_length(const toml::node& node, bool may_be_negative, complaints& found) {
  if (node.is_number()) {
    const std::string number = shown(node);
    refuse(node, found,
           "has no unit: write \"" + number + "s\" or \"" + number + "ms\" in place of " + number);
    return std::nullopt;
  }
  if (!node.is_string()) {
    refuse(node, found, R"(must be a duration, as in "250ms", "10s" or "2m"; it is )" + shown(node));
    return std::nullopt;
  }
  std::string_view text = node.as_string()->get();
  const bool negative = may_be_negative && text.starts_with('-');
  const duration_parse read = parse_duration(text.substr(negative ? 1 : 0));
  if (!read.value) {
    refuse(node, found, shown(node) + " " + std::string(read.error));
    return std::nullopt;
  }
  return negative ? -*read.value : *read.value;
}

result read_lengths(const toml::node& node, const field& described, complaints& found) {
  if (const auto* text = node.as_string()) {
    const delay_list_parse read = parse_delay_list(text->get());
    if (read.value) return *read.value;
    return refuse(node, found, shown(node) + " " + std::string(read.error));
  }
  if (!node.is_array()) return wrong_type(node, described, found);
  delay_list delays;
  bool good = true;
  for (const toml::node& element : *node.as_array()) {
    const auto length = read_length(element, false, found);
    good = good && length;
    if (length) delays.add(*length);
  }
  return good ? result(delays) : std::nullopt;
}

// --- words

result read_choice(const toml::node& node, const field& described, complaints& found) {
  if (!node.is_string()) return wrong_type(node, described, found);
  const std::string_view word = node.as_string()->get();
  for (std::size_t i = 0; i < described.words.size(); ++i)
    if (described.words[i] == word) return choice{i};
  return refuse(node, found,
                "has the unknown word " + shown(node) + ": " + known_words(word, described.words));
}

std::string listed_statuses() {
  std::string text;
  for (const status_kind& each : retryable_statuses) text += " " + std::to_string(each.status);
  return text;
}

std::optional<fault_kind> kind_of_status(const toml::node& node, complaints& found) {
  const std::int64_t status = node.as_integer()->get();
  for (const status_kind& each : retryable_statuses)
    if (each.status == status) return each.kind;
  const std::string has = "has " + std::to_string(status);
  if (status < 100 || status > 599)
    refuse(node, found, has + ", which is no HTTP status");
  else if (status < 400)
    refuse(node, found, has + ", which is no failure");
  else
    refuse(node, found,
           has + ": the same request fails again with that status; use some of" + listed_statuses());
  return std::nullopt;
}

std::optional<fault_kind> read_kind(const toml::node& node, complaints& found) {
  if (node.is_integer()) return kind_of_status(node, found);
  if (!node.is_string()) {
    refuse(node, found, "must hold kinds of faults and HTTP statuses, not " + shown(node));
    return std::nullopt;
  }
  const std::string_view word = node.as_string()->get();
  if (const auto kind = fault_kind_from(word)) return *kind;
  std::array<std::string_view, fault_kind_count> names;
  for (int i = 0; i < fault_kind_count; ++i)
    names[static_cast<std::size_t>(i)] = to_string(static_cast<fault_kind>(i));
  refuse(node, found, "has the unknown kind " + shown(node) + ": " + known_words(word, names));
  return std::nullopt;
}

result read_kinds(const toml::node& node, complaints& found) {
  if (!node.is_array())
    return refuse(node, found, "must be a list, as in [\"timeout\", 503]; it is " + shown(node));
  fault_set kinds;
  bool good = true;
  for (const toml::node& element : *node.as_array()) {
    const auto kind = read_kind(element, found);
    good = good && kind;
    if (kind) kinds = kinds.with(*kind);
  }
  return good ? result(kinds) : std::nullopt;
}

// --- for commands

std::optional<attempt_ends> read_ends_word(const toml::node& node, complaints& found) {
  if (node.is_integer() && (node.as_integer()->get() < 0 || node.as_integer()->get() > 255)) {
    refuse(node, found, "has " + shown(node) + ": exit codes go from 0 to 255");
    return std::nullopt;
  }
  if (!node.is_integer() && !node.is_string()) {
    refuse(node, found,
           R"(must hold exit codes, ranges, signals or timeout, as in [1, "100-120", "SIGSEGV"]; not )" +
               shown(node));
    return std::nullopt;
  }
  attempt_ends_parse read = parse_attempt_ends(node.is_integer() ? std::to_string(node.as_integer()->get())
                                                                 : node.as_string()->get());
  if (!read.value) refuse(node, found, read.error);
  return read.value;
}

result read_ends(const toml::node& node, complaints& found) {
  if (!node.is_array()) {
    const auto ends = read_ends_word(node, found);
    return ends ? result(*ends) : std::nullopt;
  }
  attempt_ends all;
  bool good = true;
  for (const toml::node& element : *node.as_array()) {
    const auto ends = read_ends_word(element, found);
    good = good && ends;
    if (ends) all.add(*ends);
  }
  return good ? result(all) : std::nullopt;
}

result read_expression(const toml::node& node, const field& described, complaints& found) {
  if (node.is_boolean() && !node.as_boolean()->get()) return absent{};
  if (!node.is_string()) return wrong_type(node, described, found);
  const std::string& text = node.as_string()->get();
  if (const std::string error = regex_error_in(text); !error.empty())
    return refuse(node, found, "must be a regular expression as grep -E takes it: " + error);
  return text;
}

}  // namespace

std::optional<field_value> read_value(const toml::node& node, const field& described, complaints& found) {
  const auto word = node.is_string() ? std::string_view(node.as_string()->get()) : std::string_view();
  if (described.type != field_type::expression && !described.absent_word.empty() &&
      word == described.absent_word)
    return absent{};
  switch (described.type) {
    case field_type::flag:
      if (!node.is_boolean()) return wrong_type(node, described, found);
      return node.as_boolean()->get();
    case field_type::whole: return read_whole(node, described, found);
    case field_type::number: return read_number(node, described, found);
    case field_type::length: {
      const auto length = read_length(node, !described.range, found);
      return length ? result(*length) : std::nullopt;
    }
    case field_type::choice: return read_choice(node, described, found);
    case field_type::kinds: return read_kinds(node, found);
    case field_type::lengths: return read_lengths(node, described, found);
    case field_type::ends: return read_ends(node, found);
    case field_type::expression: return read_expression(node, described, found);
    case field_type::name: break;  // the reader's own business
  }
  return std::nullopt;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t size = text.size();
  if (size > longest) {
    size = longest;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) --size;
  }
  std::string quoted = quoted_toml(text.substr(0, size));
  if (size < text.size()) quoted.insert(quoted.size() - 1, "…");
  return quoted;
}

std::string shown(const toml::node& node) {
  if (const auto* text = node.as_string()) return shown(std::string_view(text->get()));
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* number = node.as_floating_point()) {
    std::array<char, 400> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number->get());
    std::string digits(text.data(), error == std::errc{} ? end : text.data());
    if (digits.find_first_not_of("-0123456789") == std::string::npos) digits += ".0";
    return digits;
  }
  if (node.is_array()) return "a list";
  if (node.is_table()) return "a table";
  return "a date or time";
}

std::string known_words(std::string_view word, std::span<const std::string_view> known) {
  if (const std::string_view near = text::nearest(word, known); !near.empty())
    return "did you mean \"" + std::string(near) + "\"?";
  std::string list;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) list += i + 1 == known.size() ? " or " : ", ";
    list += known[i];
  }
  return "write " + list;
}

}  // namespace relent::detail
