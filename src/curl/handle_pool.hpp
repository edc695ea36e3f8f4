// SPDX-License-Identifier: Apache-2.0
// Handles with their open connections, lent to one attempt at a time.
#pragma once

#include "clean_close.hpp"
#include "exchange.hpp"
#include "handle.hpp"
#include "transfer.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace relent::curl::detail {

/// A handle and where its connections live, in the order in which libcurl wants them gone; and what it calls. Stays
/// where it is made.
struct connected_handle {
  close_watch closes;        // outlives the connections
  multi_handle connections;  // null: in the handle itself
  easy_handle easy = make_easy();
  std::array<char, CURL_ERROR_SIZE> error_text{};
  resend_guard guard;
  exchange io;
  /// Its options are those of a plain GET of this client, which the next plain GET need not set again.
  bool is_plain = false;
  // What was set last.
  std::string url;
  long timeout_ms = -1;
  long connect_timeout_ms = -1;

  void forget_options() {
    // What a hook may have set and a reset leaves: other calls must not find it.
    curl_easy_setopt(easy.get(), CURLOPT_SHARE, nullptr);
    curl_easy_setopt(easy.get(), CURLOPT_COOKIELIST, "ALL");
    curl_easy_setopt(easy.get(), CURLOPT_COOKIEFILE, nullptr);
    curl_easy_reset(easy.get());
    url.clear();
    is_plain = false;
    timeout_ms = connect_timeout_ms = -1;
  }
};

/// Thread-safe. What is given back last is lent first, because its connections are the likeliest to be open.
class handle_pool {
 public:
  /// `stoppable`: of handles whose transfers can be stopped, which costs a multi handle each.
  handle_pool(std::size_t most_idle, bool stoppable) : most_idle_(most_idle), stoppable_(stoppable) {}

  class lease {
   public:
    explicit lease(handle_pool& from) : pool_(from), handle_(from.take()) {}
    ~lease() { pool_.give_back(std::move(handle_)); }
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    connected_handle& operator*() const noexcept { return *handle_; }
    connected_handle* operator->() const noexcept { return handle_.get(); }

   private:
    handle_pool& pool_;
    std::unique_ptr<connected_handle> handle_;
  };

 private:
  std::unique_ptr<connected_handle> take();
  void give_back(std::unique_ptr<connected_handle> handle) noexcept;

  const std::size_t most_idle_;
  const bool stoppable_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<connected_handle>> idle_;  // guarded by mutex_
};

}  // namespace relent::curl::detail
