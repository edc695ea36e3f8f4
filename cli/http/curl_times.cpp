// SPDX-License-Identifier: Apache-2.0
// From curl's words to ours.
#include "curl_times.hpp"

#include "cli/policy_flags.hpp"

#include <relent/duration_text.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace relent::cli {
namespace {

using lines = std::vector<std::string>;

/// A number with decimals and nothing else.
std::optional<double> bare_number(std::string_view text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// Two flags that say the same. Whether the first, which is curl's, is the only one.
bool alone(const flag_values& values, std::string_view curls, std::string_view ours, lines& problems) {
  if (!values.given(curls)) return false;
  if (values.given(ours))
    problems.push_back(fmt::format("{}: not together with {}: both say it", curls, ours));
  return true;
}

void read_retry(const flag_values& values, policy_options& options, lines& problems) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max() - 1;
  if (!alone(values, "--retry", "--max-attempts", problems)) return;
  if (const auto retries = read_number(values, "--retry", most, problems))
    options.max_attempts = static_cast<std::uint32_t>(*retries) + 1;
}

void read_retry_delay(const flag_values& values, policy_options& options, lines& warnings, lines& problems) {
  for (const std::string_view ours : {"--base", "--cap", "--growth", "--delays"})
    if (!alone(values, "--retry-delay", ours, problems)) return;
  const auto delay = read_seconds(values, "--retry-delay", problems);
  if (!delay) return;
  options.backoff.base = options.backoff.cap = *delay;
  options.backoff.growth = growth::constant;
  if (values.given("--jitter")) return;
  options.backoff.jitter = jitter::equal;
  warnings.push_back(
      fmt::format("--retry-delay: waits are drawn from {} to {}, so that clients do not come back "
                  "together; --jitter none: {} each time",
                  to_text(*delay / 2), to_text(*delay), to_text(*delay)));
}

void read_retry_max_time(const flag_values& values, policy_options& options, lines& warnings,
                         lines& problems) {
  if (!alone(values, "--retry-max-time", "--deadline", problems)) return;
  const auto all = read_seconds(values, "--retry-max-time", problems);
  if (!all) return;
  options.deadline = *all;
  warnings.push_back(
      fmt::format("--retry-max-time: everything ends after {}, the attempt under way too, as with --deadline",
                  to_text(*all)));
}

}  // namespace

std::optional<duration> read_seconds(const flag_values& values, std::string_view name, lines& problems) {
  const auto text = values.text(name);
  if (!text) return std::nullopt;
  constexpr double most = 1e9;
  duration length{};
  if (const auto number = bare_number(*text)) {
    if (*number < 0 || *number > most) {
      problems.push_back(
          fmt::format("{}: '{}' is not a number of seconds from 0 to 1000000000", name, *text));
      return std::nullopt;
    }
    length = std::chrono::duration_cast<duration>(std::chrono::duration<double>(*number));
  } else if (const duration_parse read = parse_duration(*text); read.value) {
    length = *read.value;
  } else {
    problems.push_back(fmt::format("{}: '{}' is no number of seconds: write 30, 2.5 or 500ms", name, *text));
  }
  if (length <= duration::zero()) return std::nullopt;
  return length;
}

policy_options with_curl_times(const flag_values& values, policy_options options, lines& warnings,
                               lines& problems) {
  read_retry(values, options, problems);
  read_retry_delay(values, options, warnings, problems);
  read_retry_max_time(values, options, warnings, problems);
  if (alone(values, "--max-time", "--attempt-timeout", problems))
    if (const auto limit = read_seconds(values, "--max-time", problems)) options.attempt_timeout = *limit;
  if (values.given("--retry-all-errors"))
    warnings.emplace_back(
        "--retry-all-errors: no effect: what can succeed is tried again in any case, a 404 or a POST that "
        "may have "
        "been done is not");
  return options;
}

}  // namespace relent::cli
