// SPDX-License-Identifier: Apache-2.0
// The report for a person: what holds, when the retries come, how long it can take, what it does to the load, and
// what to mend.
#include "explain_report.hpp"
#include "rounded.hpp"

#include <relent/duration_text.hpp>
#include <relent/explain/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace relent::cli {
namespace {

template <class... Words>
void line(std::string& text, fmt::format_string<Words...> form, Words&&... words) {
  fmt::format_to(std::back_inserter(text), form, std::forward<Words>(words)...);
  text += '\n';
}

std::string limit_text(const optional<duration>& limit) { return limit ? to_text(*limit) : "none"; }

std::string growth_text(const backoff_options& backoff) {
  switch (backoff.growth) {
    case growth::exponential:
      return fmt::format("from {}, times {}", to_text(backoff.base), backoff.multiplier);
    case growth::constant: return "of " + to_text(backoff.base);
    case growth::linear:
      return fmt::format("from {}, plus {}", to_text(backoff.base),
                         to_text(backoff.increment.value_or(backoff.base)));
    case growth::fibonacci:
      return fmt::format("from {}, growing as Fibonacci's numbers", to_text(backoff.base));
    case growth::list: return "of " + to_text(backoff.delays);
  }
  return {};
}

std::string budget_text(const budget_options& budget) {
  switch (budget.kind()) {
    case budget_kind::none: return "none";
    case budget_kind::token:
      return fmt::format("token: {} tokens, a retry takes {}, a success gives {} back",
                         budget.token().capacity, budget.token().retry_cost,
                         budget.token().refund_last_cost
                             ? fmt::format("{} (after retries, the last cost)", budget.token().success_credit)
                             : fmt::format("{}", budget.token().success_credit));
    case budget_kind::ratio:
      return fmt::format("ratio: {} retries per request within {}, at least {}", budget.ratio().ratio,
                         to_text(budget.ratio().window), budget.ratio().min_retries);
    case budget_kind::throttle:
      return fmt::format("throttle: {} tokens, a failure takes 1, a success gives {} back",
                         budget.throttle().capacity, budget.throttle().success_credit);
  }
  return {};
}

void add_rules(std::string& text, const explained& what) {
  const policy_options& policy = what.rules.policy.options();
  const backoff_options& backoff = policy.backoff;
  line(text, "  attempts         {} at most, the first included", policy.max_attempts);
  line(text, "  deadline         {}", limit_text(policy.deadline));
  line(text, "  attempt_timeout  {}", limit_text(policy.attempt_timeout));
  line(text, "  waits            {}, at most {}, jitter {}", growth_text(backoff), to_text(backoff.cap),
       to_string(backoff.jitter));
  if (what.use == policy_use::calls) line(text, "  budget           {}", budget_text(what.rules.budget));
}

void add_command_rules(std::string& text, const command_rules& rules) {
  if (rules == command_rules{}) return;
  text += "\nFor commands\n";
  if (rules.retry_on) line(text, "  tried again      {}", to_text(*rules.retry_on));
  if (!rules.stop_on.empty()) line(text, "  never            {}", to_text(rules.stop_on));
  if (rules.retry_on_output) line(text, "  if output has    {}", *rules.retry_on_output);
  if (rules.output_decides_for)
    line(text, "  which decides    only for {}", to_text(*rules.output_decides_for));
  if (rules.until_output) line(text, "  until output has {}", *rules.until_output);
  if (rules.invert) line(text, "  invert           exit code 0 is the failure");
  if (rules.successes > 1) line(text, "  successes        {} in a row", rules.successes);
}

/// A row of the drawing: the waits from earliest to latest on a scale that ends at `scale`.
std::string bar(const wait_range& wait, duration scale, bool utf8) {
  constexpr int width = 28;
  const auto place = [&](duration at) {
    if (scale <= duration::zero()) return 0;
    return std::min(width - 1, static_cast<int>(static_cast<double>(at.count()) /
                                                    static_cast<double>(scale.count()) * (width - 1) +
                                                0.5));
  };
  std::string text;
  for (int i = 0; i <= place(wait.latest); ++i) {
    if (i == place(wait.mean))
      text += utf8 ? "●" : "o";
    else if (i < place(wait.earliest))
      text += ' ';
    else
      text += utf8 ? "━" : "-";
  }
  return text;
}

void add_row(std::string& text, const schedule_row& row, duration scale, bool utf8) {
  line(text, "{:>7}  {:>8} {:>8} {:>8}   {:>8} {:>8} {:>8}   {}", row.retry, rounded(row.wait.earliest),
       rounded(row.wait.mean), rounded(row.wait.latest), rounded(row.total.earliest), rounded(row.total.mean),
       rounded(row.total.latest), bar(row.wait, scale, utf8));
}

void add_schedule(std::string& text, const schedule& waits, bool utf8) {
  text += "\nWhen the retries come\n";
  if (waits.rows.empty()) {
    text += "  never: there is one attempt\n";
    return;
  }
  duration scale = waits.last.wait.latest;
  for (const schedule_row& row : waits.rows) scale = std::max(scale, row.wait.latest);
  text += "            wait before it               all waits so far\n";
  text += "  retry  earliest     mean   latest   earliest     mean   latest\n";
  for (const schedule_row& row : waits.rows) add_row(text, row, scale, utf8);
  if (waits.last.retry > waits.rows.back().retry) {
    if (waits.last.retry > waits.rows.back().retry + 1) text += utf8 ? "      …\n" : "    ...\n";
    add_row(text, waits.last, scale, utf8);
  }
  if (!waits.mean_is_exact) text += "  The means are those of 4000 calls drawn.\n";
}

void add_time(std::string& text, const policy_options& policy, const time_bounds& time) {
  text += "\nHow long it can take\n";
  line(text, "  if attempts fail at once           {}", rounded(time.waits));
  if (time.with_time_outs)
    line(text, "  if each runs into its time-out     {} = {} x {} + {}", rounded(*time.with_time_outs),
         policy.max_attempts, to_text(*policy.attempt_timeout), rounded(time.waits));
  line(text, "  at worst                           {}",
       time.worst ? rounded(*time.worst) +
                        (policy.deadline && *time.worst == *policy.deadline ? ", by the deadline" : "")
                  : "without limit: an attempt may hang for ever");
}

std::string factor(double value) {
  return value >= 1e6 ? fmt::format("{:.3g}", value) : fmt::format("{}", std::round(value * 100) / 100);
}

void add_load(std::string& text, const explained& what, const explanation& facts) {
  text += "\nWhat it does to the load\n";
  const bool has_budget = what.use == policy_use::calls && what.rules.budget.kind() != budget_kind::none;
  if (what.use == policy_use::commands)
    text +=
        "  No budget, unless --budget shares one. Attempts for each run, in the mean, if of all attempts\n"
        "  there fail\n";
  else if (has_budget)
    line(text,
         "  A full budget grants {:.0f} retries at once. Attempts per call in the long run, if of all "
         "attempts\n"
         "  there fail",
         facts.burst);
  else
    text += "  No budget. Attempts per call, in the mean, if of all attempts there fail\n";
  line(text, "  {:>24} {:>10}{:>12}{:>12}{:>12}", "", "1 %", "10 %", "50 %", "100 %");
  const auto row = [&](std::string_view name, auto value) {
    line(text, "  {:>24} {:>10}{:>12}{:>12}{:>12}", name, factor(value(facts.load[0])),
         factor(value(facts.load[1])), factor(value(facts.load[2])), factor(value(facts.load[3])));
  };
  row(has_budget ? "without the budget" : "", [](const load_row& r) { return r.without_budget; });
  if (has_budget) row("with it", [](const load_row& r) { return r.with_budget; });
  if (what.layers > 1) {
    line(text, "  Over {} layers: {}^{} = {} attempts at the bottom for each request at the top{}",
         what.layers, what.rules.policy->max_attempts, what.layers, factor(facts.amplification),
         has_budget ? fmt::format("; in the long run the budgets leave at most {}",
                                  factor(facts.amplification_with_budget))
                    : std::string());
  }
}

void add_warnings(std::string& text, const std::vector<warning>& warnings) {
  if (warnings.empty()) {
    text += "\nNo warnings.\n";
    return;
  }
  line(text, "\n{} warning{}", warnings.size(), warnings.size() == 1 ? "" : "s");
  for (const warning& each : warnings) {
    line(text, "  {} ({})", each.message, each.id);
    line(text, "      {}", each.arithmetic);
    line(text, "      mend: {}", each.mend);
  }
}

}  // namespace

explanation explanation_of(const explained& what) {
  return explain({.policy = what.rules.policy.options(),
                  .budget = what.use == policy_use::calls ? what.rules.budget : budget::none(),
                  .use = what.use,
                  .layers = what.layers,
                  .most_rows = 12});
}

std::string explain_as_text(const explained& what, const explanation& facts, bool utf8) {
  std::string text = what.source + "\n";
  add_rules(text, what);
  add_command_rules(text, what.rules.command);
  add_schedule(text, facts.schedule, utf8);
  add_time(text, what.rules.policy.options(), facts.time);
  add_load(text, what, facts);
  add_warnings(text, facts.warnings);
  return text;
}

}  // namespace relent::cli
