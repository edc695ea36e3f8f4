// SPDX-License-Identifier: Apache-2.0
// From words to an order.
#include "fetch_order.hpp"

#include "absent_flags.hpp"
#include "curl_times.hpp"
#include "request_flags.hpp"

#include "cli/pages/pages.hpp"
#include "cli/policy_flags.hpp"
#include "cli/policy_source.hpp"

#include <fmt/format.h>

#include <array>

namespace relent::cli {
namespace {

using lines = std::vector<std::string>;

void read_rules(const flag_values& values, fetch_order& order, lines& problems) {
  const std::size_t before = problems.size();
  chosen_policy chosen = choose_policy(values, std::nullopt, problems);
  order.rules = std::move(chosen.policy);
  order.source = std::move(chosen.source);
  if (!values.given("--policy") && !values.given("--profile")) order.source = "the defaults of relent fetch";
  if (problems.size() > before) return;
  policy_options options = with_curl_times(values, order.rules.policy.options(), order.warnings, problems);
  if (problems.size() == before) options = read_policy(values, options, problems);
  if (problems.size() == before) order.rules.policy = policy(options);
}

void read_output(const flag_values& values, fetch_order& order, lines& problems) {
  fetch_output& output = order.output;
  const auto file = values.text("--output");
  if (file && values.given("--remote-name"))
    problems.emplace_back("--remote-name: not together with --output");
  if (file && *file != "-") output.file = std::string(*file);
  if (file && file->empty()) problems.emplace_back("--output: is empty: write the name of a file, or -");
  if (values.given("--remote-name") && !file) {
    output.file = std::string(order.request.address.last_name());
    if (output.file->empty() || *output.file == "." || *output.file == "..")
      problems.emplace_back("--remote-name: the address ends with no name of a file: write -o FILE");
  }
  output.create_folders = values.given("--create-dirs");
  output.include_head = values.given("--include") || values.given("--head");
  output.failures_too = values.given("--fail-with-body");
  output.resume = values.given("--resume");
}

void check_resume(const flag_values& values, const fetch_order& order, lines& problems) {
  if (!order.output.resume) return;
  if (!order.output.file) problems.emplace_back("--resume: needs a file: write -o FILE or -O");
  if (order.request.method != "GET" || order.request.content.is != fetch_content::kind::none)
    problems.push_back(
        fmt::format("--resume: is for GET without data, and this is {}", order.request.method));
  for (const std::string_view other : {"--include", "--range", "--compressed", "--fail-with-body"})
    if (values.given(other)) problems.push_back(fmt::format("--resume: not together with {}", other));
}

void read_telling(const flag_values& values, fetch_order& order, lines& problems) {
  order.silent = values.given("--silent");
  order.show_error = values.given("--show-error");
  order.progress = !order.silent && !values.given("--no-progress-meter");
  if (const auto path = values.text("--log")) order.log = std::string(*path);
  if (const auto word = values.text("--log-format")) {
    const auto format = log_format_from(*word);
    if (!format)
      problems.push_back(fmt::format("--log-format: '{}' is unknown: write text, json, logfmt", *word));
    if (!order.log) problems.emplace_back("--log-format: needs --log FILE as well");
    order.log_format = format.value_or(order.log_format);
  }
  order.dry_run = values.given("--dry-run");
}

void check_protocol(const fetch_order& order, lines& problems) {
  const std::string& allowed = order.connection.protocols;
  const std::string_view scheme = order.request.address.scheme();
  if ((allowed == "http" || allowed == "https") && !scheme.empty() && scheme != allowed)
    problems.push_back(fmt::format("--proto: the address is {}, and only {} is allowed", scheme, allowed));
}

}  // namespace

flag_reader fetch_flag_reader() {
  return flag_reader(fetch_flags(), operands::allowed, short_names::bundled, absent_curl_flags());
}

fetch_order read_fetch_order(const flag_values& values, std::span<char* const> words, lines& problems) {
  fetch_order order;
  order.words = words;
  read_rules(values, order, problems);
  order.seed = read_number(values, "--seed", UINT64_MAX, problems);
  order.request = read_request(values, problems);
  order.connection = read_connection(values, problems);
  read_output(values, order, problems);
  check_resume(values, order, problems);
  check_protocol(order, problems);
  read_telling(values, order, problems);
  if (const auto name = values.text("--budget")) order.budget = std::string(*name);
  if (order.budget && order.rules.budget.kind() != budget_kind::token)
    problems.emplace_back("--budget: only a token budget can be shared, and the policy's is of another kind");
  return order;
}

}  // namespace relent::cli
