// SPDX-License-Identifier: Apache-2.0
// Writing and reading the field Idempotency-Key.
#include <relent/http/idempotency_key_field.hpp>

#include <relent/http/structured_field.hpp>
#include <relent/idempotency_key.hpp>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace relent::http {
namespace {

read_key problem(std::string_view why) { return {std::nullopt, why}; }

/// The key that was read, if it is one.
read_key checked(std::string key) {
  if (key.empty()) return problem("is empty");
  if (key.size() > idempotency_key::max_size) return problem("is longer than 255 characters");
  return {std::move(key)};
}

read_key read_quoted(std::string_view text) {
  std::optional<sf_item> item = parse_sf_item(text);
  auto* const key = item ? std::get_if<std::string>(&item->value) : nullptr;
  return key == nullptr ? problem("is no string in double quotes") : checked(std::move(*key));
}

bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '!' && c <= '~'; });
}

read_key read_raw(std::string_view text) {
  if (!is_visible(text)) return problem("has characters that are not visible ASCII");
  return checked(std::string(text));
}

}  // namespace

std::string write_idempotency_key(std::string_view key, key_style style) {
  const idempotency_key valid(key);
  if (style == key_style::raw) return std::string(valid.text());
  std::string quoted = "\"";
  for (const char c : valid.text()) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + '"';
}

read_key read_idempotency_key(const header_list& request, key_reading reading) {
  const std::vector<std::string_view> lines = request.all(idempotency_key_field);
  if (lines.empty()) return {};
  if (lines.size() > 1) return problem("is there more than once");
  const std::string_view text = lines.front();
  if (text.empty()) return problem("is empty");
  if (text.front() == '"') return read_quoted(text);
  if (reading == key_reading::strict) return problem("is not in double quotes");
  return read_raw(text);
}

}  // namespace relent::http
