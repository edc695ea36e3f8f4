// SPDX-License-Identifier: Apache-2.0
// Values are read with integers where they are exact: sizes and counts; weights and rates are doubles.
#include "script_cursor.hpp"

#include <relent/duration_text.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "script.hpp"
#include "src/text/nearest.hpp"

namespace relent::testing::faults {
namespace {

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

bool is_word_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

struct size_unit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr size_unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"KiB", std::uint64_t{1} << 10U},
    {"MiB", std::uint64_t{1} << 20U},
    {"GiB", std::uint64_t{1} << 30U},
};

/// What a message says of a text: itself in quotes, cut where it is long.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) out += c >= ' ' && c <= '~' ? c : '?';
  out += text.size() > longest ? "...'" : "'";
  return out;
}

std::string named(std::string_view what, const value_text& value) {
  return std::string(what) + ' ' + shown(value.text);
}

}  // namespace

void script_cursor::skip_blanks() noexcept {
  while (!at_end() && is_blank(text_[at_])) ++at_;
}

bool script_cursor::accept(char c) noexcept {
  skip_blanks();
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

std::string_view script_cursor::word() noexcept {
  const std::size_t begin = at_;
  while (!at_end() && is_word_character(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string script_cursor::quoted_text(std::size_t begin) {
  std::string out;
  ++at_;
  while (!at_end() && text_[at_] != '"') {
    char c = text_[at_++];
    if (c == '\\' && !at_end()) {
      const std::size_t escape_at = at_ - 1;
      c = text_[at_++];
      if (c == 'n') {
        c = '\n';
      } else if (c == 'r') {
        c = '\r';
      } else if (c == 't') {
        c = '\t';
      } else if (c != '"' && c != '\\') {
        problem(escape_at, "'\\' in a text has to be followed by n, r, t, a quote or another one");
      }
    }
    out += c;
  }
  if (at_end())
    problem(begin, "a text begins here that has no end: a quote is missing");
  else
    ++at_;
  return out;
}

value_text script_cursor::value(std::string_view ends) {
  skip_blanks();
  const std::size_t begin = at_;
  if (peek() == '"') return {quoted_text(begin), begin, true};
  at_ = std::min(text_.find_first_of(ends, at_), text_.size());
  std::size_t end = at_;
  while (end > begin && is_blank(text_[end - 1])) --end;
  return {std::string(text_.substr(begin, end - begin)), begin, false};
}

void script_cursor::skip_to_separator() noexcept {
  std::size_t depth = 0;
  bool quoted = false;
  for (; !at_end(); ++at_) {
    const char c = text_[at_];
    if (quoted) {
      if (c == '\\') ++at_;
      quoted = c != '"';
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '(') ++depth;
    if (depth == 0 && (c == ',' || c == ')')) return;
    if (c == ')') --depth;
  }
  at_ = text_.size();
}

void script_cursor::problem(std::size_t at, const std::string& message) {
  if (at == last_problem_) return;
  last_problem_ = at;
  problems_->push_back("script " + std::to_string(number_) + ':' + std::to_string(at + 1) + ": " + message);
}

std::optional<duration> script_cursor::as_duration(const value_text& value, std::string_view what) {
  const duration_parse read = parse_duration(value.text);
  if (read.value) return *read.value;
  const std::size_t inside = value.quoted ? 0 : read.position;
  problem(value.at + inside, named(what, value) + ' ' + std::string(read.error));
  return std::nullopt;
}

std::optional<std::uint64_t> script_cursor::as_size(const value_text& value, std::string_view what,
                                                    std::uint64_t largest) {
  std::uint64_t number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  const std::string_view unit_name(stop, static_cast<std::size_t>(end - stop));
  const auto* const unit = std::find_if(std::begin(size_units), std::end(size_units),
                                        [&](const size_unit& each) { return each.name == unit_name; });
  if (error == std::errc::invalid_argument || unit == std::end(size_units)) {
    problem(value.at, named(what, value) + " is no size: write 100, 10KB, 64KiB or 1MB");
    return std::nullopt;
  }
  if (error != std::errc{} || number > largest / unit->bytes) {
    problem(value.at, named(what, value) + " is too large: at most " + std::to_string(largest) + " bytes");
    return std::nullopt;
  }
  return number * unit->bytes;
}

std::optional<std::uint64_t> script_cursor::as_count(const value_text& value, std::string_view what,
                                                     std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error == std::errc{} && stop == end && number >= least && number <= most) return number;
  problem(value.at, named(what, value) + " is not a number from " + std::to_string(least) + " to " +
                        std::to_string(most));
  return std::nullopt;
}

std::optional<double> script_cursor::as_number(const value_text& value, std::string_view what) {
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number, std::chars_format::fixed);
  if (error == std::errc{} && stop == end && number >= 0 && number <= 1e9) return number;
  problem(value.at, named(what, value) + " is not a number from 0 to 1000000000");
  return std::nullopt;
}

std::optional<bool> script_cursor::as_yes_no(const value_text& value, std::string_view what) {
  if (value.text == "yes") return true;
  if (value.text == "no") return false;
  problem(value.at, named(what, value) + " is neither yes nor no");
  return std::nullopt;
}

std::string unknown_word(std::string_view word, std::string_view what,
                         std::span<const std::string_view> known) {
  std::string out = shown(word) + " is no " + std::string(what);
  const std::string_view near = text::nearest(word, known);
  if (!near.empty()) return out + ": did you mean " + std::string(near) + '?';
  out += ": there are ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) out += i + 1 == known.size() ? " and " : ", ";
    out += known[i];
  }
  return out;
}

}  // namespace relent::testing::faults
