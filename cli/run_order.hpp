// SPDX-License-Identifier: Apache-2.0
// What the command line of `relent run` asks for, read and checked. Carried out by command_run.hpp. Layer 5.
#pragma once

#include "flags.hpp"
#include "run_log.hpp"
#include "supervisor.hpp"

#include <relent/policy_file/policy_file.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// What becomes of the command's stdout.
enum class output_mode : std::uint8_t {
  stream,     ///< it is ours
  last,       ///< only the last attempt's reaches ours
  to_stderr,  ///< the same, and that of the attempts before goes to our stderr
};

struct run_order {
  named_policy rules;
  std::string source;  ///< where the rules come from, for a person
  std::optional<std::uint64_t> seed;
  std::span<char*> command;

  std::uint64_t stdin_limit = std::uint64_t{8} << 30U;
  output_mode output = output_mode::stream;
  relent::cli::daemons daemons = relent::cli::daemons::end;
  bool quiet = false;
  std::optional<std::string> log;
  relent::cli::log_format log_format = relent::cli::log_format::text;
  std::optional<std::string> on_retry;
  std::optional<std::string> budget;
  bool dry_run = false;
};

/// What is wrong is added to `problems`, a line each; then the result is not to be used.
run_order read_run_order(const split_command_line& words, const flag_values& values,
                         std::vector<std::string>& problems);

}  // namespace relent::cli
