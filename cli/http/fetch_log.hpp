// SPDX-License-Identifier: Apache-2.0
// The log of `relent fetch`: one record for each attempt and one for the outcome, with the fields of that of
// `relent run` and those of HTTP; documented in docs/fetch.md. Layer 5.
#pragma once

#include "fetch_told.hpp"

#include "cli/run_log.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// One thread.
class fetch_log {
 public:
  /// All must outlive it. `call` is the call's identity.
  fetch_log(log_file& file, log_format format, const fetch_told& facts, std::string call)
      : file_(file), format_(format), facts_(facts), call_(std::move(call)) {}

  /// An attempt ended; `made` is what is known of its transfer, `retry` what was decided, if there is another one.
  void attempt(const event& ended, const curl::transfer_record* made, const event* retry);
  /// The call is over; `exit_code` is that of the tool.
  void end(const event& outcome, int exit_code);

 private:
  std::vector<log_field> beginning(std::string_view kind) const;
  void write(const std::vector<log_field>& fields, const std::string& sentence);

  log_file& file_;
  log_format format_;
  const fetch_told& facts_;
  std::string call_;
};

}  // namespace relent::cli
