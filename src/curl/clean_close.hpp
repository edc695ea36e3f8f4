// SPDX-License-Identifier: Apache-2.0
// TLS connections that end without saying so.
#pragma once

#include <curl/curl.h>

namespace relent::curl::detail {

/// A body that lasts until the connection closes is whole only if the close was announced (RFC 9112 section 8). libcurl
/// takes it for whole in any case, so that whoever cuts the connection can cut the body: here the announcement is
/// watched for. Possible where libcurl's TLS is the OpenSSL that we are linked with; elsewhere a body counts as whole.
/// Bound to a handle for as long as that has connections; in one place. One thread.
class close_watch {
 public:
  /// Sets the handle's options.
  void bind(CURL* handle);
  /// A transfer begins.
  void begin() noexcept { awaited_ = nullptr; }
  /// The body in hand lasts until the connection closes.
  void await_close(CURL* handle) noexcept;
  /// The transfer has ended: whether a close was awaited that was not announced.
  bool missed() const noexcept { return awaited_ != nullptr && announced_ != awaited_; }
  /// TLS has something to say about this handle's connection. For the callback alone.
  void announced(const void* connection) noexcept { announced_ = connection; }

 private:
  const void* awaited_ = nullptr;
  const void* announced_ = nullptr;
};

}  // namespace relent::curl::detail
