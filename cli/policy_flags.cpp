// SPDX-License-Identifier: Apache-2.0
// From texts to a policy.
#include "policy_flags.hpp"

#include "src/text/nearest.hpp"

#include <relent/duration_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace relent::cli {

const std::vector<flag> policy_flags{
    {"--max-attempts", "N", "tries in all, the first included [3]"},
    {"--deadline", "D",
     "all attempts and waits together end by then, the running attempt is cut; none for no limit [1h]"},
    {"--attempt-timeout", "D", "what one attempt gets at most [no limit but the deadline]"},
    {"--base", "D", "the first wait is at most this [100ms]"},
    {"--cap", "D", "no wait is longer [10s]"},
    {"--multiplier", "X", "what each wait's limit grows by [2]"},
    {"--jitter",
     "J",
     "full: anywhere below the limit; or none, equal, ratio, decorrelated, decorrelated_v2 [full]",
     {},
     completes::words,
     "full none equal ratio decorrelated decorrelated_v2"},
    {"--growth",
     "G",
     "exponential, constant, linear or fibonacci [exponential]",
     {},
     completes::words,
     "exponential constant linear fibonacci list"},
    {"--delays", "LIST", "limits written out, 1s,5s,30s; the last one repeats"},
    {"--nested",
     "N",
     "inside another relent run: single_attempt or retry [single_attempt]",
     {},
     completes::words,
     "single_attempt retry"},
    {"--seed", "N", "draw the same waits each time, for tests"},
};

policy_options default_policy_for_commands() { return {.deadline = std::chrono::hours{1}}; }

std::optional<duration> read_duration(const flag_values& values, std::string_view name,
                                      std::vector<std::string>& problems) {
  const auto text = values.text(name);
  if (!text) return std::nullopt;
  const duration_parse parsed = parse_duration(*text);
  if (!parsed.value) problems.push_back(fmt::format("{}: '{}' {}", name, *text, parsed.error));
  return parsed.value;
}

std::optional<std::uint64_t> read_number(const flag_values& values, std::string_view name, std::uint64_t most,
                                         std::vector<std::string>& problems) {
  const auto text = values.text(name);
  if (!text) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc{} && end == text->data() + text->size() && number <= most) return number;
  problems.push_back(fmt::format("{}: '{}' is not a whole number from 0 to {}", name, *text, most));
  return std::nullopt;
}

namespace {

/// A length of time or the word none.
void read_limit(const flag_values& values, std::string_view name, optional<duration>& limit,
                std::vector<std::string>& problems) {
  if (values.text(name) == "none")
    limit = std::nullopt;
  else if (const auto length = read_duration(values, name, problems))
    limit = length;
}

void read_multiplier(const flag_values& values, double& multiplier, std::vector<std::string>& problems) {
  const auto text = values.text("--multiplier");
  if (!text) return;
  double number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc{} && end == text->data() + text->size())
    multiplier = number;
  else
    problems.push_back(fmt::format("--multiplier: '{}' is not a number: write 2 or 1.5", *text));
}

/// One of the names that `to_string` gives for 0 to count - 1.
template <class Enum>
void read_name(const flag_values& values, std::string_view flag_name, int count,
               optional<Enum> (*from_name)(std::string_view), Enum& chosen,
               std::vector<std::string>& problems) {
  const auto text = values.text(flag_name);
  if (!text) return;
  if (const auto found = from_name(*text)) {
    chosen = *found;
    return;
  }
  std::vector<std::string_view> known;
  known.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) known.push_back(to_string(static_cast<Enum>(i)));
  if (const std::string_view near = text::nearest(*text, known); !near.empty())
    problems.push_back(fmt::format("{}: '{}' is unknown: did you mean {}?", flag_name, *text, near));
  else
    problems.push_back(
        fmt::format("{}: '{}' is unknown: write {}", flag_name, *text, fmt::join(known, ", ")));
}

void read_nested(const flag_values& values, nesting& chosen, std::vector<std::string>& problems) {
  const auto text = values.text("--nested");
  if (!text) return;
  if (*text == "single_attempt")
    chosen = nesting::single_attempt;
  else if (*text == "retry")
    chosen = nesting::retry;
  else
    problems.push_back(fmt::format("--nested: '{}' is unknown: write single_attempt or retry", *text));
}

/// A list means growth::list, and the cap gives way to it unless it was given as well.
void read_delays(const flag_values& values, backoff_options& backoff, std::vector<std::string>& problems) {
  const auto text = values.text("--delays");
  if (!text) return;
  const delay_list_parse parsed = parse_delay_list(*text);
  if (!parsed.value) {
    problems.push_back(fmt::format("--delays: '{}' {}", *text, parsed.error));
    return;
  }
  backoff.delays = *parsed.value;
  if (!values.given("--growth")) backoff.growth = growth::list;
  if (values.given("--cap")) return;
  for (const duration delay : backoff.delays) backoff.cap = std::max(backoff.cap, delay);
}

/// "backoff.base" as a flag is --base.
std::string flag_for(std::string_view field) {
  constexpr std::string_view inside = "backoff.";
  if (field.starts_with(inside)) field.remove_prefix(inside.size());
  std::string name = "--" + std::string(field);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

policy_options read_policy(const flag_values& values, policy_options options,
                           std::vector<std::string>& problems) {
  const auto problems_before = problems.size();
  backoff_options& backoff = options.backoff;
  constexpr std::uint64_t most_attempts = std::numeric_limits<std::uint32_t>::max();
  if (const auto n = read_number(values, "--max-attempts", most_attempts, problems))
    options.max_attempts = static_cast<std::uint32_t>(*n);
  read_limit(values, "--deadline", options.deadline, problems);
  read_limit(values, "--attempt-timeout", options.attempt_timeout, problems);
  backoff.base = read_duration(values, "--base", problems).value_or(backoff.base);
  backoff.cap = read_duration(values, "--cap", problems).value_or(backoff.cap);
  read_multiplier(values, backoff.multiplier, problems);
  read_name<jitter>(values, "--jitter", jitter_count, jitter_from, backoff.jitter, problems);
  read_name<growth>(values, "--growth", growth_count, growth_from, backoff.growth, problems);
  read_delays(values, backoff, problems);
  read_nested(values, options.nested, problems);
  if (problems.size() > problems_before) return options;  // the rules would only repeat it

  for (const problem& found : relent::problems(options)) {
    const std::string name = flag_for(found.field);
    const auto text = values.text(name);
    problems.push_back(text ? fmt::format("{}: '{}' {}", name, *text, found.rule)
                            : fmt::format("{}: the default {}", name, found.rule));
  }
  return options;
}

}  // namespace relent::cli
