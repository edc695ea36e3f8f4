// SPDX-License-Identifier: Apache-2.0
// Which bytes of a whole an answer brings, and by what a file can be told to be still the same. Layer 5.
#pragma once

#include <relent/http/header_list.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relent::cli {

/// Content-Range of bytes (RFC 9110 section 14.4).
struct content_range {
  /// Nothing: none of the bytes asked for (an answer with the status 416).
  std::optional<std::uint64_t> first = {};
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total = {};
};

/// Nothing for what is no such text, or contradicts itself.
std::optional<content_range> parse_content_range(std::string_view text);

/// What If-Range may carry (RFC 9110 section 13.1.5): a strong ETag, or a Last-Modified that is at least a minute
/// older than the answer, so that the file cannot have changed twice within that second. Empty: there is none.
std::string validator_in(const http::header_list& headers, std::chrono::system_clock::time_point wall_now);

/// The length that the head promises; nothing if it does not, or nonsense.
std::optional<std::uint64_t> content_length_in(const http::header_list& headers);

}  // namespace relent::cli
