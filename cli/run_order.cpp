// SPDX-License-Identifier: Apache-2.0
// From words to an order.
#include "run_order.hpp"

#include "policy_flags.hpp"
#include "policy_source.hpp"
#include "size_text.hpp"

#include "src/text/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace relent::cli {
namespace {

using problem_lines = std::vector<std::string>;

void read_ends(const flag_values& values, std::string_view name, problem_lines& problems, auto&& accept) {
  const auto text = values.text(name);
  if (!text) return;
  const attempt_ends_parse parsed = parse_attempt_ends(*text);
  if (parsed.value)
    accept(*parsed.value);
  else
    problems.push_back(fmt::format("{}: '{}' {}", name, *text, parsed.error));
}

void read_pattern(const flag_values& values, std::string_view name, std::optional<std::string>& pattern,
                  problem_lines& problems) {
  const auto text = values.text(name);
  if (!text) return;
  pattern = std::string(*text);
  if (const std::string error = regex_error_in(*pattern); !error.empty())
    problems.push_back(fmt::format("{}: '{}' is no regular expression: {}", name, *text, error));
}

void read_command_rules(const flag_values& values, command_rules& rules, problem_lines& problems) {
  read_ends(values, "--retry-on", problems, [&](const attempt_ends& ends) { rules.retry_on = ends; });
  read_ends(values, "--stop-on", problems, [&](const attempt_ends& ends) { rules.stop_on = ends; });
  read_pattern(values, "--retry-on-output", rules.retry_on_output, problems);
  read_ends(values, "--output-decides-for", problems,
            [&](const attempt_ends& ends) { rules.output_decides_for = ends; });
  read_pattern(values, "--until-output", rules.until_output, problems);
  if (values.given("--invert")) rules.invert = true;
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (const auto n = read_number(values, "--successes", most, problems)) {
    rules.successes = static_cast<std::uint32_t>(*n);
    if (*n == 0) problems.emplace_back("--successes: '0' must be at least 1");
  }
  rules.kill_after = read_duration(values, "--kill-after", problems).value_or(rules.kill_after);
}

void read_word(const flag_values& values, std::string_view name, std::span<const std::string_view> known,
               problem_lines& problems, auto&& accept) {
  const auto text = values.text(name);
  if (!text) return;
  const auto place = std::ranges::find(known, *text);
  if (place != known.end()) return accept(place - known.begin());
  const std::string_view near = text::nearest(*text, known);
  problems.push_back(near.empty()
                         ? fmt::format("{}: '{}' is unknown: write {}", name, *text, fmt::join(known, ", "))
                         : fmt::format("{}: '{}' is unknown: did you mean {}?", name, *text, near));
}

void read_streams(const flag_values& values, run_order& order, problem_lines& problems) {
  constexpr std::array<std::string_view, 3> modes{"stream", "last", "stderr"};
  read_word(values, "--output", modes, problems, [&](auto i) { order.output = static_cast<output_mode>(i); });
  if (const auto text = values.text("--stdin-limit")) {
    const size_parse parsed = parse_size(*text);
    if (parsed.value)
      order.stdin_limit = *parsed.value;
    else
      problems.push_back(fmt::format("--stdin-limit: '{}' {}", *text, parsed.error));
  }
}

void read_telling(const flag_values& values, run_order& order, problem_lines& problems) {
  order.quiet = values.given("--quiet");
  if (const auto path = values.text("--log")) order.log = std::string(*path);
  constexpr std::array<std::string_view, 3> formats{"text", "json", "logfmt"};
  read_word(values, "--log-format", formats, problems,
            [&](auto i) { order.log_format = static_cast<log_format>(i); });
  if (values.given("--log-format") && !order.log)
    problems.emplace_back("--log-format: needs --log FILE as well");
  if (const auto command = values.text("--on-retry")) order.on_retry = std::string(*command);
}

}  // namespace

run_order read_run_order(const split_command_line& words, const flag_values& values,
                         std::vector<std::string>& problems) {
  run_order order;
  const std::size_t problems_before = problems.size();
  chosen_policy chosen = choose_policy(values, std::nullopt, problems);
  order.rules = std::move(chosen.policy);
  order.source = std::move(chosen.source);
  if (problems.size() == problems_before) {
    const policy_options options = read_policy(values, order.rules.policy.options(), problems);
    if (problems.size() == problems_before) order.rules.policy = policy(options);
  }
  read_command_rules(values, order.rules.command, problems);
  order.seed = read_number(values, "--seed", UINT64_MAX, problems);
  read_streams(values, order, problems);
  read_telling(values, order, problems);
  if (values.given("--leave-daemons")) order.daemons = daemons::leave;
  if (const auto name = values.text("--budget")) order.budget = std::string(*name);
  if (order.budget && order.rules.budget.kind() != budget_kind::token)
    problems.emplace_back("--budget: only a token budget can be shared, and the policy's is of another kind");
  order.dry_run = values.given("--dry-run");
  order.command = words.command;
  if (problems.empty() && words.command.empty() && !order.dry_run)
    problems.emplace_back("no command: write it after --, as in relent run -- curl -fsS https://example.com");
  return order;
}

}  // namespace relent::cli
