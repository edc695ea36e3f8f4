// SPDX-License-Identifier: Apache-2.0
// The environment variables by which `relent run` speaks to its command, and by which one inside another
// learns of it. Layer 5.
#pragma once

#include <relent/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// What a `relent run` around this one said.
struct enclosing_run {
  std::uint32_t attempt = 0;          ///< RELENT_ATTEMPT
  std::optional<duration> time_left;  ///< until RELENT_DEADLINE; zero if that has passed
  std::string idempotency_key;        ///< RELENT_IDEMPOTENCY_KEY; may be empty
};

/// Nothing if there is none. A value that makes no sense is left out, with a line about it in `remarks`.
std::optional<enclosing_run> find_enclosing_run(std::chrono::system_clock::time_point wall_now,
                                                std::vector<std::string>& remarks);

/// A key for a command inside an attempt whose key is `outer`: the same whenever the attempt is repeated, and
/// another for another command. A UUID version 8 (RFC 9562 section 5.8).
std::string derived_key(std::string_view outer, std::span<char* const> command);

/// The environment of a command: ours, with what is said for each attempt. One thread.
class run_environment {
 public:
  run_environment();

  /// Says NAME=VALUE, in place of what was said before; nothing: takes NAME out.
  void set(std::string_view name, const std::optional<std::string>& value);

  /// RELENT_ATTEMPT, RELENT_MAX_ATTEMPTS, RELENT_DEADLINE (seconds since 1970, absent without a limit) and
  /// RELENT_IDEMPOTENCY_KEY.
  void set_attempt(std::uint32_t attempt, std::uint32_t max_attempts, duration time_left,
                   std::chrono::system_clock::time_point wall_now, std::string_view key);

  /// Ends with a null pointer. Valid until the next change.
  char* const* get();

 private:
  std::vector<std::string> own_;
  std::vector<char*> all_;
};

}  // namespace relent::cli
