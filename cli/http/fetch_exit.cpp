// SPDX-License-Identifier: Apache-2.0
// From an answer to a number.
#include "fetch_exit.hpp"

#include "cli/exit_codes.hpp"

namespace relent::cli {
int exit_code_of(const curl::response& answer) noexcept {
  if (answer.ok()) return exit_success;
  if (answer.report.attempts == 0)
    return answer.stop() == stop_reason::deadline ? exit_time_is_up : exit_failure;
  if (answer.status >= 400) return exit_http_failure;
  // A failure to write is an exception; what libcurl calls so is that the answer went beyond a limit of ours.
  if (answer.error.code == exit_write_failure) return exit_strange_answer;
  return answer.error.code == 0 ? exit_failure : answer.error.code;
}

}  // namespace relent::cli
