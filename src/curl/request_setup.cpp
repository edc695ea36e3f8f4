// SPDX-License-Identifier: Apache-2.0
// The request's line, headers and body as libcurl wants to be told of them.
#include "request_setup.hpp"

#include "origins.hpp"

#include <algorithm>
#include <stdexcept>

namespace relent::curl::detail {
namespace {

/// Of which methods and header names are made (RFC 9110 section 5.6.2).
bool is_token(std::string_view text) noexcept {
  static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_one_line(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("relent: " + why); }

/// What libcurl does of itself with the method's redirects, so that no other method is repeated by them.
bool may_be_redirected(const std::string& method) noexcept {
  return method == "GET" || method == "HEAD" || method == "POST" || method == "PUT";
}

void set_size(CURL* handle, CURLoption option, const body_replay& sent) {
  set(handle, option, sent.size() ? static_cast<curl_off_t>(*sent.size()) : curl_off_t{-1});
}

void set_method(CURL* handle, const std::string& method, const body_replay& sent) {
  if (method == "GET" && !sent.exists()) return set(handle, CURLOPT_HTTPGET, 1L);
  if (method == "HEAD" && !sent.exists()) return set(handle, CURLOPT_NOBODY, 1L);
  if (method == "POST") {
    set(handle, CURLOPT_POST, 1L);
    if (sent.exists()) return set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, sent);
    return set(handle, CURLOPT_POSTFIELDS, "");
  }
  if (sent.exists()) {
    set(handle, CURLOPT_UPLOAD, 1L);
    set_size(handle, CURLOPT_INFILESIZE_LARGE, sent);
  }
  if (method != "PUT" || !sent.exists()) set(handle, CURLOPT_CUSTOMREQUEST, method.c_str());
}

/// A header without a value is written with a semicolon, and one that libcurl shall leave out, without any.
void add_line(string_list& lines, const http::header& one) {
  append(lines, one.value.empty() ? one.name + ";" : one.name + ": " + one.value);
}

void set_headers(CURL* handle, const http::header_list& headers, const body_replay& sent, bool is_post,
                 bool may_expect, string_list& lines) {
  for (const http::header& one : headers) add_line(lines, one);
  // libcurl would call every body of a POST a form.
  if (is_post && !headers.contains("content-type")) append(lines, "Content-Type:");
  if (sent.exists() && !sent.size() && is_post && !headers.contains("transfer-encoding"))
    append(lines, "Transfer-Encoding: chunked");
  if (!may_expect && (sent.exists() || is_post)) append(lines, "Expect:");
  if (lines) set(handle, CURLOPT_HTTPHEADER, lines.get());
}

void set_redirects(CURL* handle, const request& what) {
  // What has no length cannot be left out of the request that follows a 303.
  const bool has_length = !what.body || what.body->size().has_value();
  const bool followed = what.max_redirects > 0 && may_be_redirected(what.method) && has_length;
  set(handle, CURLOPT_FOLLOWLOCATION, followed ? 1L : 0L);
  if (!followed) return;
  set(handle, CURLOPT_MAXREDIRS, static_cast<long>(what.max_redirects));
  set(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
}

void set_tls(CURL* handle, const client_options& options) {
  if (!options.ca_file.empty()) set(handle, CURLOPT_CAINFO, options.ca_file.c_str());
  if (options.verify_tls) return;
  set(handle, CURLOPT_SSL_VERIFYPEER, 0L);
  set(handle, CURLOPT_SSL_VERIFYHOST, 0L);
}

}  // namespace

namespace {

bool has_scheme(std::string_view url) noexcept {
  return http::same_name(url.substr(0, 7), "http://") || http::same_name(url.substr(0, 8), "https://");
}

/// A length that is not the body's would leave the rest to be taken for the next request.
void check_framing(const http::header_list& headers, const body& sent) {
  const std::string due = !sent ? "0" : sent->size() ? std::to_string(*sent->size()) : "";
  for (const std::string_view length : headers.all("content-length"))
    if (length != due) refuse("the header Content-Length is not the body's: leave it out");
  for (const std::string_view coding : headers.all("transfer-encoding"))
    if (!http::same_name(coding, "chunked")) refuse("the header Transfer-Encoding can only be chunked");
}

void check_headers(const http::header_list& headers) {
  for (const http::header& one : headers) {
    if (!is_token(one.name)) refuse("'" + one.name + "' is no name of a header");
    if (!is_one_line(one.value)) refuse("the header " + one.name + " has a line break or a NUL in its value");
  }
}

}  // namespace

void check(const client_options& options) {
  check_headers(options.headers);
  if (options.headers.contains("idempotency-key"))
    refuse("an Idempotency-Key that is the same for all requests is none: say it with each request");
  if (!is_one_line(options.user_agent)) refuse("the user agent has a line break or a NUL in it");
}

void check(const http::header_list& prepared, const request& what) {
  check_headers(prepared);
  check_framing(prepared, what.body);
}

void check(const request& what) {
  if (what.url.find('\0') != std::string::npos) refuse("'" + shown_address(what.url) + "' has a NUL in it");
  if (what.url.find("://") == std::string::npos)
    refuse("'" + shown_address(what.url) +
           "' is no address of a server: write it with http:// or https:// before it");
  if (!has_scheme(what.url)) refuse("'" + shown_address(what.url) + "': only http and https are spoken here");
  if (what.method == "HEAD" && what.body) refuse("a HEAD request has no body");
  if (!is_token(what.method)) refuse("'" + what.method + "' is no method: write GET, POST or another word");
  for (const std::string& name : what.without)
    if (!is_token(name)) refuse("'" + name + "' is no name of a header");
  check(what.headers, what);
}

std::string own_key(const request& what) {
  if (what.headers.empty()) return {};
  const http::read_key found = http::read_idempotency_key(what.headers, http::key_reading::lenient);
  return found.key.value_or("");
}

http::header_list with_defaults(const http::header_list& own, const http::header_list& defaults) {
  http::header_list all = own;
  for (const http::header& one : defaults)
    if (!own.contains(one.name)) all.add(one.name, one.value);
  return all;
}

bool is_plain(const request& what, const http::header_list& headers) noexcept {
  return what.method == "GET" && !what.body && !what.configure && what.max_redirects == 0 &&
         what.without.empty() && headers.empty();
}

void describe(CURL* handle, const request& what, const client_options& options, const body_replay& sent,
              const http::header_list& headers, bool may_expect, string_list& lines) {
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_QUICK_EXIT, 1L);  // a cancelled call does not wait for a name to be resolved
  set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle, CURLOPT_URL, what.url.c_str());
  if (!options.user_agent.empty()) set(handle, CURLOPT_USERAGENT, options.user_agent.c_str());
  set_method(handle, what.method, sent);
  for (const std::string& name : what.without) append(lines, name + ":");
  if (!sent.exists() && (what.method == "PUT" || what.method == "PATCH") &&
      !headers.contains("content-length"))
    append(lines, "Content-Length: 0");  // RFC 9110 section 8.6
  set_headers(handle, headers, sent, what.method == "POST", may_expect, lines);
  set_redirects(handle, what);
  set_tls(handle, options);
}

}  // namespace relent::curl::detail
