// SPDX-License-Identifier: Apache-2.0
// What the command line of `relent fetch` asks for, read and checked. Carried out by fetch_run.hpp. Layer 5.
#pragma once

#include "fetch_content.hpp"
#include "web_address.hpp"

#include "cli/flags.hpp"
#include "cli/run_log.hpp"

#include <relent/http/header_list.hpp>
#include <relent/http/idempotency_key_field.hpp>
#include <relent/policy_file/policy_file.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// The address and what is sent there.
struct fetch_request {
  web_address address;
  std::string method = "GET";
  http::header_list headers = {};
  /// Headers that are not even sent where libcurl would, as -H 'Expect:' has it.
  std::vector<std::string> without = {};
  std::optional<std::string> user_agent = {};  ///< nothing: ours
  fetch_content content = {};
  std::uint64_t stdin_limit = std::uint64_t{8} << 30U;

  /// Given: sent; empty: one that is made up.
  std::optional<std::string> key = {};
  http::key_style key_style = http::key_style::quoted;
  bool repeatable = false;
};

/// Where the answer goes.
struct fetch_output {
  std::optional<std::string> file = {};  ///< nothing: stdout
  bool create_folders = false;
  bool resume = false;
  bool include_head = false;
  bool failures_too = false;
};

/// How the server is reached.
struct fetch_connection {
  std::uint32_t max_redirects = 0;
  std::optional<duration> connect_timeout = {};
  std::optional<std::uint32_t> stall_seconds = 60;
  bool verify_tls = true;
  std::string ca_file = {};
  std::string certificate = {};
  std::string key = {};
  std::optional<std::string> proxy = {};
  std::optional<std::string> no_proxy = {};
  std::vector<std::string> resolve = {};
  std::string unix_socket = {};
  std::optional<std::uint64_t> bytes_per_second = {};
  std::string protocols = {};  ///< as libcurl takes them: "https"; empty: both
  std::uint8_t least_tls = 0;  ///< 2 or 3: TLS 1.2 or 1.3
  std::uint8_t http = 0;       ///< 1 or 2: HTTP/1.1 or HTTP/2
  std::uint8_t ip = 0;         ///< 4 or 6
  bool compressed = false;
};

struct fetch_order {
  named_policy rules;
  std::string source;  ///< where the rules come from, for a person
  std::optional<std::uint64_t> seed;

  fetch_request request;
  fetch_output output;
  fetch_connection connection;

  bool silent = false;
  bool show_error = false;
  bool progress = true;
  std::optional<std::string> log;
  relent::cli::log_format log_format = relent::cli::log_format::text;
  std::optional<std::string> budget;
  bool dry_run = false;
  /// What is to be known of flags that do not mean quite what they mean to curl; a line each.
  std::vector<std::string> warnings;
  /// All that was said, which tells this call from another one.
  std::span<char* const> words;
};

/// The reader of the command line, with curl's flags that there are not.
flag_reader fetch_flag_reader();

/// What is wrong is added to `problems`, a line each; then the result is not to be used. Throws content_error.
fetch_order read_fetch_order(const flag_values& values, std::span<char* const> words,
                             std::vector<std::string>& problems);

}  // namespace relent::cli
