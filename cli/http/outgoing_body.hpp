// SPDX-License-Identifier: Apache-2.0
// What a request sends, made ready to be sent for every attempt. Layer 5.
#pragma once

#include "fetch_content.hpp"
#include "piped_body.hpp"

#include <relent/curl/body.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace relent::cli {

/// One thread.
class outgoing_body {
 public:
  /// `stdin_limit` and `check` are for what can be read once (piped_body.hpp). The content must outlive it. Reads
  /// an input to its end if its size has to be known first. Throws content_error, as its body does.
  outgoing_body(const fetch_content& content, std::uint64_t stdin_limit, std::function<void()> check);

  /// Null: nothing is sent.
  const curl::body& get() const noexcept { return body_; }
  /// Why it cannot be sent again; empty if it can.
  std::string why_not() const { return piped_ ? piped_->why_not() : std::string(); }

 private:
  void take_input(const fetch_content& content, std::uint64_t limit, std::function<void()> check);

  curl::body body_;
  std::shared_ptr<piped_body> piped_;
};

}  // namespace relent::cli
