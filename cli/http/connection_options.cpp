// SPDX-License-Identifier: Apache-2.0
// One option after the other.
#include "connection_options.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <stdexcept>

namespace relent::cli {
namespace {

template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
  if (const CURLcode code = curl_easy_setopt(handle, option, value); code != CURLE_OK)
    throw std::invalid_argument(
        fmt::format("the connection cannot be made so: {}", curl_easy_strerror(code)));
}

void set_text(CURL* handle, CURLoption option, const std::string& text) {
  if (!text.empty()) set(handle, option, text.c_str());
}

}  // namespace

connection_options::connection_options(const fetch_connection& wanted) : wanted_(wanted) {
  for (const std::string& each : wanted.resolve)
    resolve_ = curl_slist_append(static_cast<curl_slist*>(resolve_), each.c_str());
}

connection_options::~connection_options() { curl_slist_free_all(static_cast<curl_slist*>(resolve_)); }

void connection_options::set_on(void* handle) const {
  if (wanted_.stall_seconds) {
    set(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(*wanted_.stall_seconds));
  }
  if (wanted_.proxy) set(handle, CURLOPT_PROXY, wanted_.proxy->c_str());
  if (wanted_.no_proxy) set(handle, CURLOPT_NOPROXY, wanted_.no_proxy->c_str());
  if (resolve_ != nullptr) set(handle, CURLOPT_RESOLVE, static_cast<curl_slist*>(resolve_));
  set_text(handle, CURLOPT_UNIX_SOCKET_PATH, wanted_.unix_socket);
  set_text(handle, CURLOPT_SSLCERT, wanted_.certificate);
  set_text(handle, CURLOPT_SSLKEY, wanted_.key);
  set_text(handle, CURLOPT_REDIR_PROTOCOLS_STR, wanted_.protocols);
  if (wanted_.bytes_per_second) {
    set(handle, CURLOPT_MAX_RECV_SPEED_LARGE, static_cast<curl_off_t>(*wanted_.bytes_per_second));
    set(handle, CURLOPT_MAX_SEND_SPEED_LARGE, static_cast<curl_off_t>(*wanted_.bytes_per_second));
  }
  if (wanted_.least_tls == 2) set(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (wanted_.least_tls == 3) set(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_3));
  if (wanted_.http == 1) set(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (wanted_.http == 2) set(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2_0));
  if (wanted_.ip == 4) set(handle, CURLOPT_IPRESOLVE, static_cast<long>(CURL_IPRESOLVE_V4));
  if (wanted_.ip == 6) set(handle, CURLOPT_IPRESOLVE, static_cast<long>(CURL_IPRESOLVE_V6));
  if (wanted_.compressed) set(handle, CURLOPT_ACCEPT_ENCODING, "");
}

std::string_view http_version(void* handle) {
  long version = 0;
  if (handle == nullptr || curl_easy_getinfo(handle, CURLINFO_HTTP_VERSION, &version) != CURLE_OK)
    return "1.1";
  switch (version) {
    case CURL_HTTP_VERSION_1_0: return "1.0";
    case CURL_HTTP_VERSION_2_0: return "2";
    case CURL_HTTP_VERSION_3: return "3";
    default: return "1.1";
  }
}

}  // namespace relent::cli
