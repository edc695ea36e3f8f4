// SPDX-License-Identifier: Apache-2.0
// Header fields by name.
#include <relent/http/header_list.hpp>

#include <algorithm>

namespace relent::http {
namespace {

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> header_list::first(std::string_view name) const noexcept {
  for (const header& line : headers_)
    if (same_name(line.name, name)) return trimmed(line.value);
  return std::nullopt;
}

std::vector<std::string_view> header_list::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const header& line : headers_)
    if (same_name(line.name, name)) values.push_back(trimmed(line.value));
  return values;
}

std::optional<std::string> header_list::joined(std::string_view name) const {
  std::optional<std::string> value;
  for (const std::string_view each : all(name)) {
    if (value)
      value->append(", ").append(each);
    else
      value = std::string(each);
  }
  return value;
}

void header_list::add(std::string_view name, std::string_view value) {
  if (headers_.capacity() == 0) headers_.reserve(12);  // what a response usually has
  headers_.push_back({std::string(name), std::string(value)});
}

void header_list::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void header_list::remove(std::string_view name) {
  std::erase_if(headers_, [name](const header& line) { return same_name(line.name, name); });
}

}  // namespace relent::http
