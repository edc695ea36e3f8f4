// SPDX-License-Identifier: Apache-2.0
// What the flags say of the connection, as libcurl's options. Layer 5.
#pragma once

#include "fetch_order.hpp"

#include <memory>

namespace relent::cli {

/// Sets them on the CURL* of an attempt. Immutable; must outlive the attempts.
class connection_options {
 public:
  explicit connection_options(const fetch_connection& wanted);
  ~connection_options();
  connection_options(const connection_options&) = delete;
  connection_options& operator=(const connection_options&) = delete;

  /// Throws std::invalid_argument for what this libcurl cannot do.
  void set_on(void* handle) const;

 private:
  const fetch_connection& wanted_;
  void* resolve_ = nullptr;  // a curl_slist
};

/// "1.1", "2", "3": by which version the handle's latest answer came.
std::string_view http_version(void* handle);

}  // namespace relent::cli
