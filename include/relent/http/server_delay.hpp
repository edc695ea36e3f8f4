// SPDX-License-Identifier: Apache-2.0
// How long a response asks to wait: Retry-After and its relatives, and which of them goes before which. What is
// accepted of it (policy_options::max_server_delay, the deadline) is decided by the engine; what forbids a retry is
// in pushback.hpp. Target relent::http.
//
// In this order, the first that is there counts:
//   retry-after-ms, x-ms-retry-after-ms, x-amz-retry-after   milliseconds, perhaps with a fraction
//   Retry-After                                              whole seconds or an HTTP date
//   RateLimit, if nothing remains                            its reset
//   X-RateLimit-Retry-After                                  seconds, if there is no RateLimit
//   X-RateLimit-Remaining 0 with X-RateLimit-Reset           its reset, if there is no RateLimit
// A Retry-After that is there and says nothing ("soon", -1, 1.5) still keeps RateLimit from being asked, over which it
// goes whatever it says; the client's own backoff counts then. A field of milliseconds that says nothing is passed over.
// In a response that a cache has had for a while (Age above 0) what is told of limits is out of date and does not count.
#pragma once

#include <relent/http/header_list.hpp>
#include <relent/time.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace relent::http {

/// The wait that a server asked for.
struct server_delay {
  duration wait{};               ///< from when the response came; never negative, saturated
  std::string_view header = {};  ///< the field that said so, in small letters; lives for ever
};

/// Which of the server's words count.
struct delay_rules {
  bool lenient_dates = true;   ///< dates beside those of RFC 9110, as date_forms::lenient
  bool vendor_headers = true;  ///< retry-after-ms, x-ms-retry-after-ms, x-amz-retry-after
  bool rate_limit = true;      ///< RateLimit in its three shapes
  bool x_rate_limit = true;    ///< X-RateLimit-Reset and its spellings, X-RateLimit-Retry-After

  friend bool operator==(const delay_rules&, const delay_rules&) = default;
};

/// The server's time: that of the response's Date and its Age on top, if it has a Date that can be read and lies between
/// 1990 and 2200, else `wall_now`. So a client whose clock is wrong waits as long as it should. Thread-safe.
std::chrono::system_clock::time_point server_now(const header_list& response,
                                                 std::chrono::system_clock::time_point wall_now) noexcept;

/// What one Retry-After says (RFC 9110 section 10.2.3): digits are seconds, saturated where they are too many; a
/// date is counted from server_now, zero if it has passed; anything else is nothing. Thread-safe.
std::optional<duration> parse_retry_after(std::string_view value, const header_list& response,
                                          std::chrono::system_clock::time_point wall_now,
                                          bool lenient_dates = true) noexcept;

/// What the response asks for, by the order above; of several lines the first. Junk never throws. Thread-safe.
std::optional<server_delay> server_delay_in(const header_list& response,
                                            std::chrono::system_clock::time_point wall_now,
                                            const delay_rules& rules = {});

}  // namespace relent::http
