// SPDX-License-Identifier: Apache-2.0
// The close_notify alert, heard through OpenSSL.
#include "clean_close.hpp"

#include "handle.hpp"

#include <openssl/crypto.h>
#include <openssl/ssl.h>

#include <string>

namespace relent::curl::detail {
namespace {

/// Objects of one OpenSSL are nothing for another.
bool is_our_openssl() {
  const curl_version_info_data* const curl = curl_version_info(CURLVERSION_NOW);
  return curl->ssl_version != nullptr &&
         curl->ssl_version == std::string("OpenSSL/") + OpenSSL_version(OPENSSL_VERSION_STRING);
}

void hear(const SSL* connection, int where, int what) {
  constexpr int alert_without_its_level = 0xff;
  if (where != SSL_CB_READ_ALERT || (what & alert_without_its_level) != SSL_AD_CLOSE_NOTIFY) return;
  static_cast<close_watch*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)))->announced(connection);
}

CURLcode prepare(CURL* /*handle*/, void* context, void* watch) {
  auto* const tls = static_cast<SSL_CTX*>(context);
  SSL_CTX_set_app_data(tls, watch);
  SSL_CTX_set_info_callback(tls, &hear);
  return CURLE_OK;
}

}  // namespace

void close_watch::bind(CURL* handle) {
  static const bool possible = is_our_openssl();
  if (!possible) return;
  set(handle, CURLOPT_SSL_CTX_FUNCTION, &prepare);
  set(handle, CURLOPT_SSL_CTX_DATA, static_cast<void*>(this));
}

void close_watch::await_close(CURL* handle) noexcept {
  const curl_tlssessioninfo* session = nullptr;
  if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == nullptr) return;
  if (session->backend != CURLSSLBACKEND_OPENSSL || session->internals == nullptr) return;
  if (announced_ == session->internals) announced_ = nullptr;  // of an earlier one in the same place
  awaited_ = session->internals;
}

}  // namespace relent::curl::detail
