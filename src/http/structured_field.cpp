// SPDX-License-Identifier: Apache-2.0
// The parsing algorithms of RFC 9651 section 4.2.
#include <relent/http/structured_field.hpp>

#include "coding.hpp"
#include "scan.hpp"

#include <cstddef>

namespace relent::http {
namespace {

using detail::decode_base64;
using detail::is_digit;
using detail::is_letter;
using detail::is_utf8;
using detail::scanner;

constexpr std::size_t longest = std::size_t{64} << 10U;
// Names are looked for one by one; with bounds that costs nothing to speak of.
constexpr std::size_t most_parameters = 256;
constexpr std::size_t most_members = 1024;

bool is_small(char c) noexcept { return c >= 'a' && c <= 'z'; }

bool is_token_char(char c) noexcept {
  return is_letter(c) || is_digit(c) ||
         std::string_view("!#$%&'*+-.^_`|~:/").find(c) != std::string_view::npos;
}

/// A key of a dictionary or parameter.
std::optional<std::string> read_key(scanner& text) {
  if (!is_small(text.peek()) && text.peek() != '*') return std::nullopt;
  return std::string(text.while_of(
      [](char c) { return is_small(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '*'; }));
}

std::optional<sf_value> read_number(scanner& text) {
  const bool negative = text.take('-');
  const std::string_view whole = text.while_of(is_digit);
  if (whole.empty() || whole.size() > 15) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : whole) value = value * 10 + (c - '0');
  if (!text.take('.')) return sf_value(negative ? -value : value);
  const std::string_view fraction = text.while_of(is_digit);
  if (whole.size() > 12 || fraction.empty() || fraction.size() > 3) return std::nullopt;
  double part = 0;
  for (std::size_t i = fraction.size(); i-- > 0;) part = (part + (fraction[i] - '0')) / 10;
  const double number = static_cast<double>(value) + part;
  return sf_value(negative ? -number : number);
}

std::optional<sf_value> read_string(scanner& text) {
  text.skip(1);
  std::string value;
  while (!text.at_end()) {
    char c = text.peek();
    text.skip(1);
    if (c == '"') return sf_value(std::move(value));
    if (c == '\\') {
      c = text.peek();
      if (c != '"' && c != '\\') return std::nullopt;
      text.skip(1);
    } else if (c < ' ' || c > '~') {
      return std::nullopt;
    }
    value += c;
  }
  return std::nullopt;
}

std::optional<sf_value> read_token(scanner& text) {
  return sf_value(sf_token{std::string(text.while_of(is_token_char))});
}

std::optional<sf_value> read_bytes(scanner& text) {
  text.skip(1);
  const std::string_view coded = text.while_of([](char c) { return c != ':'; });
  if (!text.take(':')) return std::nullopt;
  std::optional<std::string> bytes = decode_base64(coded);
  if (!bytes) return std::nullopt;
  return sf_value(sf_bytes{std::move(*bytes)});
}

std::optional<sf_value> read_boolean(scanner& text) {
  text.skip(1);
  if (text.take('1')) return sf_value(true);
  if (text.take('0')) return sf_value(false);
  return std::nullopt;
}

std::optional<sf_value> read_date(scanner& text) {
  text.skip(1);
  const std::optional<sf_value> number = read_number(text);
  if (!number || !std::holds_alternative<std::int64_t>(*number)) return std::nullopt;
  return sf_value(sf_date{std::get<std::int64_t>(*number)});
}

int hex_digit(char c) noexcept {
  if (is_digit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<sf_value> read_display_string(scanner& text) {
  if (!text.take("%\"")) return std::nullopt;
  std::string value;
  while (!text.at_end()) {
    const char c = text.peek();
    text.skip(1);
    if (c < ' ' || c > '~') return std::nullopt;
    if (c == '"')
      return is_utf8(value) ? std::optional(sf_value(sf_display_string{std::move(value)})) : std::nullopt;
    if (c != '%') {
      value += c;
      continue;
    }
    const int high = hex_digit(text.peek());
    text.skip(1);
    const int low = hex_digit(text.peek());
    text.skip(1);
    if (high < 0 || low < 0) return std::nullopt;
    value += static_cast<char>(high * 16 + low);
  }
  return std::nullopt;
}

std::optional<sf_value> read_bare_item(scanner& text) {
  const char c = text.peek();
  if (is_digit(c) || c == '-') return read_number(text);
  if (c == '"') return read_string(text);
  if (is_letter(c) || c == '*') return read_token(text);
  if (c == ':') return read_bytes(text);
  if (c == '?') return read_boolean(text);
  if (c == '@') return read_date(text);
  if (c == '%') return read_display_string(text);
  return std::nullopt;
}

/// Sets, or sets anew, in which case it stays where it was; false: there are too many.
template <class Value>
bool put(std::vector<std::pair<std::string, Value>>& to, std::string key, Value value, std::size_t most) {
  for (auto& each : to)
    if (each.first == key) {
      each.second = std::move(value);
      return true;
    }
  if (to.size() == most) return false;
  to.emplace_back(std::move(key), std::move(value));
  return true;
}

bool read_parameters(scanner& text, sf_parameters& parameters) {
  while (text.take(';')) {
    text.take_all(' ');
    std::optional<std::string> key = read_key(text);
    if (!key) return false;
    std::optional<sf_value> value = sf_value(true);
    if (text.take('=')) value = read_bare_item(text);
    if (!value || !put(parameters, std::move(*key), std::move(*value), most_parameters)) return false;
  }
  return true;
}

std::optional<sf_item> read_item(scanner& text) {
  std::optional<sf_value> value = read_bare_item(text);
  if (!value) return std::nullopt;
  sf_item item{std::move(*value), {}};
  if (!read_parameters(text, item.parameters)) return std::nullopt;
  return item;
}

std::optional<sf_member> read_inner_list(scanner& text) {
  text.skip(1);
  sf_inner_list list;
  for (;;) {
    const bool separated = text.peek() == ' ';
    text.take_all(' ');
    if (text.take(')')) break;
    if (!list.items.empty() && !separated) return std::nullopt;
    std::optional<sf_item> item = read_item(text);
    if (!item) return std::nullopt;
    list.items.push_back(std::move(*item));
  }
  if (!read_parameters(text, list.parameters)) return std::nullopt;
  return sf_member(std::move(list));
}

std::optional<sf_member> read_member(scanner& text) {
  if (text.peek() == '(') return read_inner_list(text);
  std::optional<sf_item> item = read_item(text);
  if (!item) return std::nullopt;
  return sf_member(std::move(*item));
}

void skip_blanks(scanner& text) noexcept {
  text.while_of([](char c) { return c == ' ' || c == '\t'; });
}

/// Reads members with commas between, to the end of the text.
template <class Read>
bool read_all(std::string_view text, Read read_one) {
  if (text.size() > longest) return false;
  scanner place(text);
  place.take_all(' ');
  if (place.at_end()) return true;
  for (;;) {
    if (!read_one(place)) return false;
    skip_blanks(place);
    if (place.at_end()) return true;
    if (!place.take(',')) return false;
    skip_blanks(place);
    if (place.at_end()) return false;  // a comma with nothing behind it
  }
}

std::optional<sf_member> read_value_of_key(scanner& text) {
  if (text.take('=')) return read_member(text);
  sf_item item{true, {}};
  if (!read_parameters(text, item.parameters)) return std::nullopt;
  return sf_member(std::move(item));
}

template <class Pairs>
auto find_in(const Pairs& pairs, std::string_view name) noexcept -> decltype(&pairs.front().second) {
  for (const auto& each : pairs)
    if (each.first == name) return &each.second;
  return nullptr;
}

}  // namespace

const sf_value* find(const sf_parameters& parameters, std::string_view name) noexcept {
  return find_in(parameters, name);
}

const sf_member* find(const sf_dictionary& dictionary, std::string_view name) noexcept {
  return find_in(dictionary, name);
}

std::optional<sf_item> parse_sf_item(std::string_view text) {
  if (text.size() > longest) return std::nullopt;
  scanner place(text);
  place.take_all(' ');
  std::optional<sf_item> item = read_item(place);
  place.take_all(' ');
  return place.at_end() ? item : std::nullopt;
}

std::optional<sf_list> parse_sf_list(std::string_view text) {
  sf_list list;
  const bool whole = read_all(text, [&list](scanner& place) {
    std::optional<sf_member> member = read_member(place);
    if (member) list.push_back(std::move(*member));
    return member.has_value();
  });
  return whole ? std::optional(std::move(list)) : std::nullopt;
}

std::optional<sf_dictionary> parse_sf_dictionary(std::string_view text) {
  sf_dictionary dictionary;
  const bool whole = read_all(text, [&dictionary](scanner& place) {
    std::optional<std::string> key = read_key(place);
    std::optional<sf_member> member = key ? read_value_of_key(place) : std::nullopt;
    return member && put(dictionary, std::move(*key), std::move(*member), most_members);
  });
  return whole ? std::optional(std::move(dictionary)) : std::nullopt;
}

}  // namespace relent::http
