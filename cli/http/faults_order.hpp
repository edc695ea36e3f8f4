// SPDX-License-Identifier: Apache-2.0
// What the words after `relent faults` ask for. Layer 5.
#pragma once

#include "cli/flags.hpp"

#include <relent/testing/fault_server.hpp>
#include <relent/time.hpp>

#include <optional>
#include <string>
#include <vector>

namespace relent::cli {

/// A server to be, and how it is told of.
struct faults_order {
  testing::fault_server_options server = {};
  bool only_here = true;  ///< whether the address is a loopback one
  std::optional<duration> ends_after = std::nullopt;
  std::optional<std::string> certificate_copy = std::nullopt;
  bool only_check = false;
  bool json = false;
  bool quiet = false;
};

/// What is wrong is added to `problems`, a line each, also with the scripts.
faults_order read_faults_order(const flag_values& values, std::vector<std::string>& problems);

/// "127.0.0.1:8080", and with brackets "[::1]:8080".
std::string place_text(const testing::fault_server_options& server);

}  // namespace relent::cli
