// SPDX-License-Identifier: Apache-2.0
// Keys, paths and ranges, read leniently: a header that makes no sense is as good as none.
#include "request_head.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace relent::testing::faults {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/// Percent-encoding and plus signs undone; what is no encoding stays.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool encoded =
        text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
    if (encoded) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

/// Path and query: the target without scheme and authority.
std::string_view origin_form(std::string_view target) noexcept {
  const std::size_t scheme = target.find("://");
  if (target.empty() || target[0] == '/' || scheme == std::string_view::npos) return target;
  const std::size_t path = target.find('/', scheme + 3);
  return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
}

std::optional<std::uint64_t> as_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || stop != text.data() + text.size() || error == std::errc::invalid_argument)
    return std::nullopt;
  return error == std::errc{} ? number : UINT64_MAX;
}

}  // namespace

std::optional<std::string_view> request_head::header(std::string_view name) const noexcept {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const auto& each) { return same_name(each.first, name); });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::string_view request_head::path() const noexcept {
  const std::string_view whole = origin_form(target);
  return whole.substr(0, whole.find_first_of("?#"));
}

std::optional<std::string> request_head::idempotency_key() const {
  const auto value = header("Idempotency-Key");
  if (!value || value->empty()) return std::nullopt;
  const bool quoted = value->size() >= 2 && value->front() == '"' && value->back() == '"';
  if (!quoted) return std::string(*value);
  std::string out;
  for (std::size_t i = 1; i + 1 < value->size(); ++i) {
    if ((*value)[i] == '\\' && i + 2 < value->size()) ++i;
    out += (*value)[i];
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

std::string request_head::key() const {
  if (auto key = idempotency_key()) return *key;
  const std::string_view whole = origin_form(target);
  const std::size_t question = whole.find('?');
  std::string_view rest =
      question == std::string_view::npos ? std::string_view{} : whole.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    if (part.substr(0, 4) == "key=" && part.size() > 4) return decoded(part.substr(4));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return std::string(path());
}

range_request read_range(std::string_view text, std::uint64_t size) noexcept {
  constexpr std::string_view unit = "bytes=";
  const range_request whole;
  if (text.substr(0, unit.size()) != unit) return whole;
  text.remove_prefix(unit.size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || text.find(',') != std::string_view::npos) return whole;
  const auto first = as_number(text.substr(0, dash));
  const auto last = as_number(text.substr(dash + 1));
  if (dash == 0) {
    if (!last) return whole;
    if (*last == 0 || size == 0) return {range_request::verdict::unsatisfiable, {}};
    return {range_request::verdict::part, {size - std::min(*last, size), size}};
  }
  const bool has_last = dash + 1 < text.size();
  if (!first || (has_last && (!last || *last < *first))) return whole;
  if (*first >= size) return {range_request::verdict::unsatisfiable, {}};
  const std::uint64_t end = has_last && *last < size ? *last + 1 : size;
  return {range_request::verdict::part, {*first, end}};
}

}  // namespace relent::testing::faults
