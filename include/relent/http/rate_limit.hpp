// SPDX-License-Identifier: Apache-2.0
// How much a server says is left of a limit, and when there is more: the three shapes of RateLimit that are in use, and
// the X-RateLimit family. Which of them counts for a wait is decided in server_delay.hpp. Target relent::http.
#pragma once

#include <relent/http/header_list.hpp>
#include <relent/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace relent::http {

/// What is left of the limit that gives out the soonest.
struct rate_limit {
  std::uint64_t remaining = 0;
  std::optional<duration> reset = std::nullopt;  ///< until there is more; never negative
  std::string_view header = {};  ///< the field that told the reset, in small letters; lives for ever
};

/// RateLimit as draft-ietf-httpapi-ratelimit-headers has it: a list of named items since revision 08
/// (`"default";r=50;t=30`; of several policies the one with the longest reset among those of which nothing is
/// left, else the first), a dictionary in revision 07 (`limit=100, remaining=50, reset=5`), three fields of their own
/// before (RateLimit-Remaining, RateLimit-Reset). Resets are seconds from now, but a RateLimit-Reset of at least 1e9
/// is an instant, as below: some servers send that. What is malformed is ignored, as the draft wants. `now` is
/// by the server's clock. Thread-safe.
std::optional<rate_limit> rate_limit_in(const header_list& response,
                                        std::chrono::system_clock::time_point now);

/// X-RateLimit-Remaining with X-RateLimit-Reset-After or X-RateLimit-Reset, also spelt X-Rate-Limit-. A reset of at
/// least 1e12 is milliseconds since 1970, of at least 1e9 seconds since 1970, less is seconds from now; a
/// fraction is allowed. `now` is by the server's clock. Thread-safe.
std::optional<rate_limit> x_rate_limit_in(const header_list& response,
                                          std::chrono::system_clock::time_point now);

}  // namespace relent::http
