// SPDX-License-Identifier: Apache-2.0
// What a transfer's end without a whole answer means for retrying.
#pragma once

#include <relent/fault.hpp>

#include <curl/curl.h>

namespace relent::curl::detail {

/// What is known of a transfer that failed.
struct failed_transfer {
  CURLcode code = CURLE_OK;
  int os_errno = 0;
  phase reached = phase::resolve;
  /// A redirect had been followed: whatever failed, the first server had answered.
  bool redirected = false;
  /// The status with which a proxy refused the tunnel; 0: none did.
  int proxy_status = 0;
};

/// Never `cancelled` for libcurl's own codes but CURLE_ABORTED_BY_CALLBACK.
fault fault_of(const failed_transfer& transfer) noexcept;

/// After a redirect no failure proves any more that nothing was done.
fault after_redirect(fault what, bool redirected) noexcept;

}  // namespace relent::curl::detail
