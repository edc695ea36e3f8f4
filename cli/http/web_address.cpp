// SPDX-License-Identifier: Apache-2.0
// Cutting an address apart (RFC 3986 section 3).
#include "web_address.hpp"

#include "percent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace relent::cli {
namespace {

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

bool has_blank_or_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; });
}

/// Takes what stands before one of `ends` off the front of the text.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view part = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(part.size());
  return part;
}

bool is_port(std::string_view text) {
  constexpr std::size_t most_digits = 5;
  return text.size() <= most_digits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         (text.empty() || std::stoi(std::string(text)) <= 65535);
}

bool is_host(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    return end != std::string_view::npos && end > 1 &&
           (end + 1 == text.size() || (text[end + 1] == ':' && is_port(text.substr(end + 2))));
  }
  const std::size_t colon = text.find(':');
  return colon != 0 && !text.empty() && (colon == std::string_view::npos || is_port(text.substr(colon + 1)));
}

}  // namespace

std::optional<web_address> web_address::read(std::string_view text, std::string& problem) {
  web_address found;
  std::string_view rest = text;
  if (has_blank_or_control(text)) {
    problem = "has a blank or a control character in it: write %20 for a blank";
    return std::nullopt;
  }
  const std::size_t mark = rest.find("://");
  found.scheme_ = mark == std::string_view::npos ? "http" : in_small_letters(rest.substr(0, mark));
  if (mark != std::string_view::npos) rest.remove_prefix(mark + 3);
  if (found.scheme_ != "http" && found.scheme_ != "https") {
    problem = "is neither http nor https";
    return std::nullopt;
  }
  std::string_view authority = take_until(rest, "/?#");
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    found.user_ = authority.substr(0, at + 1);
    authority.remove_prefix(at + 1);
  }
  if (!is_host(authority)) {
    problem = "has no host, or no port where one should be: write https://example.com/path";
    return std::nullopt;
  }
  found.host_ = authority;
  found.path_ = take_until(rest, "?#");
  if (found.path_.empty()) found.path_ = "/";
  if (rest.starts_with('?')) {
    rest.remove_prefix(1);
    found.query_ = take_until(rest, "#");
  }
  return found;
}

std::string web_address::text() const {
  return scheme_ + "://" + user_ + host_ + path_ + (query_ ? "?" + *query_ : "");
}

std::string web_address::shown() const {
  std::string user;
  if (!user_.empty()) user = user_.substr(0, user_.find_first_of(":@")) + "@";
  return scheme_ + "://" + user + host_ + path_ + (query_ ? "?..." : "");
}

std::string web_address::without_user() const {
  return scheme_ + "://" + host_ + path_ + (query_ ? "?" + *query_ : "");
}

std::string_view web_address::last_name() const noexcept {
  return std::string_view(path_).substr(path_.rfind('/') + 1);
}

bool web_address::is_pattern() const {
  const std::size_t end_of_host = host_.starts_with('[') ? host_.find(']') + 1 : 0;
  return (host_.substr(end_of_host) + path_ + query_.value_or("")).find_first_of("{}[]") != std::string::npos;
}

void web_address::add_query(std::string_view more) {
  if (!query_)
    query_ = more;
  else
    query_->append(query_->empty() ? "" : "&").append(more);
}

void web_address::add_name(std::string_view name) { path_ += percent_encoded(name); }

}  // namespace relent::cli
