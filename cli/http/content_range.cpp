// SPDX-License-Identifier: Apache-2.0
// Reading three fields.
#include "content_range.hpp"

#include <relent/http/date.hpp>

#include <algorithm>
#include <charconv>

namespace relent::cli {
namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_strong_etag(std::string_view text) {
  constexpr std::size_t most = 1024;
  return text.size() >= 2 && text.size() <= most && text.front() == '"' && text.back() == '"' &&
         std::all_of(text.begin() + 1, text.end() - 1, [](char c) {
           return c == '!' || (c >= '#' && c <= '~') || static_cast<unsigned char>(c) >= 0x80;
         });
}

}  // namespace

std::optional<content_range> parse_content_range(std::string_view text) {
  constexpr std::string_view unit = "bytes";
  text = http::trimmed(text);
  if (text.size() <= unit.size() || !http::same_name(text.substr(0, unit.size()), unit) ||
      text[unit.size()] != ' ')
    return std::nullopt;
  text = http::trimmed(text.substr(unit.size()));
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  content_range range;
  const std::string_view total = text.substr(slash + 1);
  range.total = number_in(total);
  if (!range.total && total != "*") return std::nullopt;
  const std::string_view bytes = text.substr(0, slash);
  if (bytes == "*") return range.total ? std::optional(range) : std::nullopt;
  const std::size_t dash = bytes.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto last = number_in(bytes.substr(dash + 1));
  range.first = number_in(bytes.substr(0, dash));
  if (!range.first || !last || *last < *range.first || (range.total && *last >= *range.total))
    return std::nullopt;
  range.last = *last;
  return range;
}

std::string validator_in(const http::header_list& headers, std::chrono::system_clock::time_point wall_now) {
  if (const auto etag = headers.first("etag"))
    return is_strong_etag(*etag) ? std::string(*etag) : std::string();
  const auto modified = headers.first("last-modified");
  const auto date = headers.first("date");
  if (!modified || !date) return {};
  const auto changed = http::parse_date(*modified, wall_now);
  const auto answered = http::parse_date(*date, wall_now);
  if (!changed || !answered || *answered - *changed < std::chrono::minutes{1}) return {};
  return std::string(*modified);
}

std::optional<std::uint64_t> content_length_in(const http::header_list& headers) {
  const auto text = headers.first("content-length");
  return text ? number_in(*text) : std::nullopt;
}

}  // namespace relent::cli
