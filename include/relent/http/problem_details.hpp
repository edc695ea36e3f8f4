// SPDX-License-Identifier: Apache-2.0
// The members of a problem details object (RFC 9457) that any of them may have. It tells people what went wrong;
// none of it says whether to retry. Target relent::http.
#pragma once

#include <relent/version.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace relent::http {

/// The greatest body that is looked at, in bytes.
inline constexpr std::size_t max_problem_body = std::size_t{64} * 1024;

/// What the body of an error says of it. Text as the server wrote it (UTF-8): escape it before a terminal sees it.
struct problem_details {
  std::string type = "about:blank";
  std::string title = {};
  std::string detail = {};
  std::string instance = {};
  std::optional<int> status = {};  ///< 100 to 599

  friend bool operator==(const problem_details&, const problem_details&) = default;
};

/// Whether a Content-Type is that of problem details in JSON, whatever its parameters. Thread-safe.
bool is_problem_json(std::string_view content_type) noexcept;

/// Reads a response's body. Nothing if it is of another type, too great, or no JSON object. A member of the wrong
/// type counts as absent, others are ignored (RFC 9457 section 3.1). Whatever the bytes, it does not throw but
/// for want of memory. Thread-safe.
std::optional<problem_details> parse_problem_details(std::string_view content_type, std::string_view body);

}  // namespace relent::http
