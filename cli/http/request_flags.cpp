// SPDX-License-Identifier: Apache-2.0
// From flags to a request.
#include "request_flags.hpp"

#include "percent.hpp"

#include "cli/size_text.hpp"

#include <relent/idempotency_key.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace relent::cli {
namespace {

using lines = std::vector<std::string>;

/// The address as it was typed, without what may be secret.
std::string harmless(std::string_view text) {
  const std::size_t mark = text.find("://");
  const std::size_t begin = mark == std::string_view::npos ? 0 : mark + 3;
  const std::size_t end = std::min(text.find_first_of("/?#", begin), text.size());
  const std::size_t at = text.substr(0, end).rfind('@');
  std::string shown(text.substr(0, begin));
  if (at != std::string_view::npos && at >= begin)
    shown.append("...@").append(text.substr(at + 1));
  else
    shown.append(text.substr(begin));
  const std::size_t query = shown.find('?');
  return query == std::string::npos ? shown : shown.substr(0, query) + "?...";
}

web_address read_address(const flag_values& values, lines& problems) {
  lines given(values.operands());
  for (const std::string_view each : values.texts("--url")) given.emplace_back(each);
  if (given.empty())
    problems.emplace_back("no address: write one, as in relent fetch https://example.com/health");
  if (given.size() > 1)
    problems.push_back(
        fmt::format("'{}': one address at a time: write a relent fetch for each", harmless(given[1])));
  if (given.size() != 1) return {};
  std::string problem;
  const auto address = web_address::read(given.front(), problem);
  if (!address) problems.push_back(fmt::format("'{}' {}", harmless(given.front()), problem));
  if (!address) return {};
  if (!values.given("--globoff") && address->is_pattern())
    problems.push_back(
        fmt::format("'{}': curl would make several addresses of the braces or brackets: write one, or "
                    "--globoff if they stand for themselves",
                    harmless(given.front())));
  return *address;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n(),/:;<=>?@[\\]{}\"") == std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

/// "Name: value"; "Name;" for an empty value; "Name:" to leave out what would be sent otherwise.
void read_header(std::string_view line, fetch_request& request, lines& problems) {
  const std::size_t colon = line.find(':');
  const bool empty_value = colon == std::string_view::npos && line.ends_with(';');
  const std::string_view name = line.substr(0, empty_value ? line.size() - 1 : colon);
  if ((colon == std::string_view::npos && !empty_value) || !is_name(name)) {
    problems.push_back(fmt::format("--header: '{}...' is no header: write 'Name: value'",
                                   line.substr(0, std::min(line.find_first_of(" \t:="), std::size_t{40}))));
    return;
  }
  const std::string_view value = empty_value ? "" : http::trimmed(line.substr(colon + 1));
  if (value.find_first_of("\r\n") != std::string_view::npos)
    problems.push_back(fmt::format("--header: {}: a line break in its value", name));
  else if (value.empty() && !empty_value)
    request.without.emplace_back(name);
  else
    request.headers.add(name, value);
}

void read_header_file(const std::string& path, fetch_request& request, lines& problems) {
  std::ifstream file(path == "-" ? "/dev/stdin" : path);
  if (!file) problems.push_back(fmt::format("--header: '{}' cannot be read", path));
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) read_header(line, request, problems);
  }
}

/// A header that has a flag of its own, unless it was given as one.
void add_missing(fetch_request& request, std::string_view name, std::string_view value) {
  const bool left_out = std::ranges::any_of(
      request.without, [&](const std::string& each) { return http::same_name(each, name); });
  if (!left_out && !request.headers.contains(name)) request.headers.add(name, value);
}

void read_headers(const flag_values& values, fetch_request& request, lines& problems) {
  for (const std::string_view line : values.texts("--header")) {
    if (line.starts_with('@'))
      read_header_file(std::string(line.substr(1)), request, problems);
    else
      read_header(line, request, problems);
  }
  if (const auto user = values.text("--user")) {
    if (user->find(':') == std::string_view::npos)
      problems.emplace_back("--user: has no password: write NAME:PASSWORD, or NAME: where it is empty");
    add_missing(request, "Authorization", "Basic " + base64(*user));
  }
  if (const auto token = values.text("--oauth2-bearer"))
    add_missing(request, "Authorization", "Bearer " + std::string(*token));
  if (const auto from = values.text("--referer")) add_missing(request, "Referer", *from);
  if (const auto range = values.text("--range")) request.headers.set("Range", "bytes=" + std::string(*range));
  std::string cookies;
  for (const std::string_view each : values.texts("--cookie")) {
    if (each.find('=') == std::string_view::npos)
      problems.emplace_back("--cookie: reads no file: write NAME=VALUE; VALUE");
    cookies.append(cookies.empty() ? "" : "; ").append(each);
  }
  if (!cookies.empty()) add_missing(request, "Cookie", cookies);
  if (const auto agent = values.text("--user-agent")) request.user_agent = std::string(*agent);
  if (std::erase_if(request.without,
                    [](const std::string& each) { return http::same_name(each, "User-Agent"); }) > 0)
    request.user_agent = "";
}

std::string default_method(const flag_values& values, const fetch_content& content) {
  if (values.given("--head")) return "HEAD";
  if (content.is == fetch_content::kind::none || values.given("--get")) return "GET";
  return values.given("--upload-file") ? "PUT" : "POST";
}

void read_what_is_sent(const flag_values& values, fetch_request& request, lines& problems) {
  request.content = read_content(values, problems);
  request.method = values.text("--request").value_or(default_method(values, request.content));
  if (!is_name(request.method))
    problems.push_back(
        fmt::format("--request: '{}' is no method: write GET, POST or another word", request.method));
  if (values.given("--head") && request.content.is != fetch_content::kind::none && !values.given("--get"))
    problems.emplace_back("--head: not with data, which is sent in the address by --get");
  if (values.given("--get") && request.content.is == fetch_content::kind::memory) {
    request.address.add_query(request.content.bytes);
    request.content = {};
  }
  if (!request.content.type.empty()) add_missing(request, "Content-Type", request.content.type);
  if (values.given("--json")) add_missing(request, "Accept", "application/json");
  if (values.given("--upload-file") && request.address.last_name().empty())
    request.address.add_name(
        std::string_view(request.content.path).substr(request.content.path.rfind('/') + 1));
  if (const auto text = values.text("--stdin-limit")) {
    const size_parse parsed = parse_size(*text);
    if (!parsed.value) problems.push_back(fmt::format("--stdin-limit: '{}' {}", *text, parsed.error));
    request.stdin_limit = parsed.value.value_or(request.stdin_limit);
  }
}

void read_repeating(const flag_values& values, fetch_request& request, lines& problems) {
  request.repeatable = values.given("--repeatable");
  if (const auto style = values.text("--idempotency-key-style")) {
    if (*style == "raw")
      request.key_style = http::key_style::raw;
    else if (*style != "quoted")
      problems.push_back(fmt::format("--idempotency-key-style: '{}' is unknown: write quoted, raw", *style));
    if (!values.given("--idempotency-key"))
      problems.emplace_back("--idempotency-key-style: needs --idempotency-key as well");
  }
  const auto key = values.text("--idempotency-key");
  if (!key) return;
  request.key = std::string(*key);
  if (request.headers.contains(http::idempotency_key_field))
    problems.emplace_back("--idempotency-key: not together with a header of that name");
  try {
    if (!key->empty()) static_cast<void>(idempotency_key(*key));
  } catch (const std::invalid_argument&) {
    problems.emplace_back("--idempotency-key: must be 1 to 255 visible ASCII characters");
  }
}

}  // namespace

fetch_request read_request(const flag_values& values, lines& problems) {
  fetch_request request;
  request.address = read_address(values, problems);
  read_headers(values, request, problems);
  read_what_is_sent(values, request, problems);
  read_repeating(values, request, problems);
  return request;
}

}  // namespace relent::cli
