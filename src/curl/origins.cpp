// SPDX-License-Identifier: Apache-2.0
// Origins of addresses, and their dependencies.
#include "origins.hpp"

#include "handle.hpp"

#include <relent/curl/client.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace relent::curl {
namespace {

using detail::address;

/// What of an address decides about its origin: all before the path.
std::string_view prefix_of(std::string_view url) {
  const std::size_t colon = url.find(':');
  if (colon == std::string_view::npos || url.substr(colon, 3) != "://") return url;
  std::size_t end = colon + 3;
  while (end < url.size() && url[end] != '/' && url[end] != '?' && url[end] != '#' && url[end] != '\\') ++end;
  return url.substr(0, end);
}

struct curl_free_text {
  void operator()(char* text) const noexcept { curl_free(text); }
};

std::string part_of(CURLU* parsed, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(parsed, which, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
  const std::unique_ptr<char, curl_free_text> owned(text);
  return owned.get();
}

}  // namespace

namespace detail {

std::string shown_address(std::string_view url) {
  const std::size_t scheme = url.find("://");
  std::string shown(scheme == std::string_view::npos ? std::string_view() : url.substr(0, scheme + 3));
  url = url.substr(0, url.find('\0'));
  if (scheme != std::string_view::npos) url.remove_prefix(std::min(url.size(), scheme + 3));
  if (const std::size_t at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  return shown.append(url.substr(0, url.find_first_of("?#")));
}

std::string without_userinfo(std::string_view url) {
  const std::string_view prefix = prefix_of(url);
  const std::size_t at = prefix.rfind('@');
  if (at == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, url.find("://") + 3)).append(url.substr(at + 1));
}

}  // namespace detail

std::string origin_of(std::string_view url) {
  const address parsed(curl_url());
  if (!parsed) throw std::bad_alloc();
  const std::string text(url);
  const CURLUcode code = curl_url_set(parsed.get(), CURLUPART_URL, text.c_str(), 0);
  if (code != CURLUE_OK || text.find('\0') != std::string::npos)
    throw std::invalid_argument("relent: '" + detail::shown_address(url) + "' is no address of a server: " +
                                (code == CURLUE_BAD_SCHEME || url.find("://") == std::string_view::npos
                                     ? "write it with http:// or https:// before it"
                                     : curl_url_strerror(code)));
  const std::string scheme = part_of(parsed.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https")
    throw std::invalid_argument("relent: '" + detail::shown_address(url) + "': " + scheme +
                                " is not spoken here, only http and https");
  std::string origin =
      scheme + "://" + part_of(parsed.get(), CURLUPART_HOST) + ":" + part_of(parsed.get(), CURLUPART_PORT);
  for (char& c : origin)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return origin;
}

namespace detail {

origins::origins(dependency_options options, std::size_t most) : options_(std::move(options)), most_(most) {
  const dependency tried(options_);  // so that a bad option is told at once
}

std::shared_ptr<dependency> origins::of(std::string_view url) {
  const std::string_view prefix = prefix_of(url);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = written_.find(prefix); known != written_.end()) return of_origin(known->second);
  }
  const std::string origin = origin_of(url);
  const std::lock_guard lock(mutex_);
  if (written_.size() > 4 * most_) written_.clear();
  // What has a password in it is read anew each time rather than kept.
  if (prefix.find('@') == std::string_view::npos) written_.emplace(std::string(prefix), origin);
  return of_origin(origin);
}

std::shared_ptr<dependency> origins::of_origin(const std::string& origin) {
  if (const auto place = by_origin_.find(origin); place != by_origin_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, place->second);
    return by_use_.front().shared;
  }
  dependency_options options = options_;
  if (options.name.empty()) options.name = origin;
  auto shared = std::make_shared<dependency>(std::move(options));
  by_use_.push_front({origin, shared});
  by_origin_.emplace(by_use_.front().origin, by_use_.begin());
  forget_oldest();
  return shared;
}

void origins::forget_oldest() {
  for (auto one = by_use_.end(); by_use_.size() > most_ && one != by_use_.begin();) {
    --one;
    if (one->shared.use_count() > 1) continue;
    by_origin_.erase(one->origin);
    one = by_use_.erase(one);
  }
}

}  // namespace detail
}  // namespace relent::curl
