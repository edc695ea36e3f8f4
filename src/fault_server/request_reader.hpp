// SPDX-License-Identifier: Apache-2.0
// Reads one request out of the bytes of a connection. Its body is counted and fingerprinted, not kept.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "book.hpp"
#include "request_head.hpp"

namespace relent::testing::faults {

inline constexpr std::size_t longest_head = 64 * 1024;

class request_reader {
 public:
  enum class progress : std::uint8_t {
    more,       ///< bytes are missing
    head,       ///< the head is complete, the body is not read yet; told once
    whole,      ///< all is there
    bad,        ///< this is no HTTP/1 request
    too_large,  ///< its head is longer than longest_head
  };

  request_reader();
  ~request_reader();
  request_reader(const request_reader&) = delete;
  request_reader& operator=(const request_reader&) = delete;

  /// Takes from the front of `bytes` what belongs to the request.
  progress take(std::string& bytes);
  bool is_whole() const noexcept;
  /// Once take() has said head or whole.
  const request_head& head() const noexcept;
  /// What has come in of the body.
  body_seen body() const noexcept;

 private:
  class parser;
  std::unique_ptr<parser> parser_;
  bool head_told_ = false;
};

}  // namespace relent::testing::faults
