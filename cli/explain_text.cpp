// SPDX-License-Identifier: Apache-2.0
// The report for a person: what holds, when the retries come, how long it can take, what it does to the load, and
// what to mend.
#include "explain_report.hpp"
#include "markup.hpp"
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

constexpr std::size_t page_width = 100;

/// A sentence, its further lines begun by as many blanks as `indent`.
void paragraph(std::string& text, std::size_t indent, std::string_view words) {
  text.append(indent, ' ');
  text += filled(words, indent, indent, page_width);
}

/// About three digits, of at most 9 characters; what is beyond all numbers in words.
std::string length(duration of) {
  constexpr duration day = std::chrono::hours{24};
  if (of == max_duration) return "292 years";
  return of < 30 * day ? rounded(of) : fmt::format("{}d", of / day);
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

std::string breaker_text(const breaker_options& breaker) {
  std::string text = "opens";
  if (breaker.failures && breaker.of_last)
    text += fmt::format(" after {} failures in {} calls", *breaker.failures, *breaker.of_last);
  else if (breaker.failures)
    text += fmt::format(" after {} failures in a row", *breaker.failures);
  if (breaker.failure_ratio)
    text += fmt::format("{} at a ratio of {} failures within {}", breaker.failures ? " or" : "",
                        *breaker.failure_ratio, to_text(breaker.window));
  return text + fmt::format(", for {} at first", to_text(breaker.open_for));
}

std::string kinds_text(const fault_set& kinds) {
  std::string text;
  for (int i = 0; i < fault_kind_count; ++i)
    if (const auto kind = static_cast<fault_kind>(i); kinds.contains(kind))
      text.append(text.empty() ? "" : " ").append(to_string(kind));
  return text.empty() ? "nothing" : text;
}

void rule(std::string& text, std::string_view name, std::string_view words) {
  fmt::format_to(std::back_inserter(text), "  {:<15}  ", name);
  text += filled(words, 19, 19, page_width);
}

void add_rules(std::string& text, const explained& what) {
  const policy_options& policy = what.rules.policy.options();
  const backoff_options& backoff = policy.backoff;
  rule(text, "attempts", fmt::format("{} at most, the first included", policy.max_attempts));
  rule(text, "deadline", limit_text(policy.deadline));
  rule(text, "attempt_timeout", limit_text(policy.attempt_timeout));
  rule(text, "waits",
       fmt::format("{}, at most {}, jitter {}", growth_text(backoff), to_text(backoff.cap),
                   to_string(backoff.jitter)));
  if (what.use == policy_use::commands) return;
  if (backoff.rate_limited_base)
    rule(text, "",
         fmt::format("from {} after rate_limited and overloaded", to_text(*backoff.rate_limited_base)));
  if (policy.retry_on != default_retry_on) rule(text, "retry_on", kinds_text(policy.retry_on));
  rule(text, "budget", budget_text(what.rules.budget));
  if (what.rules.breaker) rule(text, "breaker", breaker_text(*what.rules.breaker));
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

/// A row of the drawing, `width` columns at most: the waits from earliest to latest on a scale that ends at
/// `scale`.
std::string bar(const wait_range& wait, int width, duration scale, bool utf8) {
  const auto place = [&](duration at) {
    if (scale <= duration::zero()) return 0;
    const double part = static_cast<double>(at.count()) / static_cast<double>(scale.count());
    return static_cast<int>(std::lround(part * (width - 1)));
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

/// The columns of a table; the first is as wide as the greatest number.
void add_row(std::string& text, const schedule_row& row, int width, duration scale, bool utf8) {
  line(text, "{:>{}}  {:>8} {:>8} {:>8}   {:>9} {:>9} {:>9}   {}", row.retry, width,
       length(row.wait.earliest), length(row.wait.mean), length(row.wait.latest), length(row.total.earliest),
       length(row.total.mean), length(row.total.latest), bar(row.wait, 35 - width, scale, utf8));
}

void add_schedule(std::string& text, const schedule& waits, bool utf8) {
  text += "\nWhen the retries come\n";
  if (waits.rows.empty()) {
    text += "  never: there is one attempt\n";
    return;
  }
  duration scale = waits.last.wait.latest;
  for (const schedule_row& row : waits.rows) scale = std::max(scale, row.wait.latest);
  const int width = std::max(7, static_cast<int>(std::to_string(waits.last.retry).size()) + 1);
  line(text, "{:>{}}  wait before it               all waits so far", "", width + 1);
  line(text, "{:>{}}  {:>8} {:>8} {:>8}   {:>9} {:>9} {:>9}", "retry", width, "earliest", "mean", "latest",
       "earliest", "mean", "latest");
  for (const schedule_row& row : waits.rows) add_row(text, row, width, scale, utf8);
  if (waits.last.retry > waits.rows.back().retry) {
    if (waits.last.retry > waits.rows.back().retry + 1) line(text, "{:>{}}", utf8 ? "…" : "...", width);
    add_row(text, waits.last, width, scale, utf8);
  }
  if (!waits.mean_is_exact) text += "  The means are about right: those of 4000 calls drawn.\n";
}

std::string worst_text(const policy_options& policy, const time_bounds& time) {
  if (!time.worst) return "without limit: an attempt may hang for ever";
  std::string text = length(*time.worst);
  if (policy.deadline && *time.worst == *policy.deadline) text += ", by the deadline";
  const bool servers_count = time.with_time_outs && *time.with_time_outs < *time.worst;
  if (servers_count)
    text += fmt::format(", if the server asks for waits of up to {}", length(time.server_wait));
  return text;
}

std::string of_all(std::uint32_t some, std::uint32_t all) {
  return some >= all ? "all" : fmt::format("{} of {}", some, all);
}

void add_time(std::string& text, const policy_options& policy, const time_bounds& time) {
  text += "\nHow long it can take\n";
  const auto fact = [&text](std::string_view name, std::string_view words) {
    fmt::format_to(std::back_inserter(text), "  {:<34} ", name);
    text += filled(words, 37, 37, page_width);
  };
  fact("if attempts fail at once", length(time.waits));
  if (time.with_time_outs)
    fact("if each runs into its time-out",
         fmt::format("{} = {} x {} + {}", length(*time.with_time_outs), policy.max_attempts,
                     to_text(*policy.attempt_timeout), length(time.waits)));
  fact("at worst", worst_text(policy, time));
  if (!policy.deadline || policy.max_attempts == 1) return;
  std::string certain = of_all(time.certain_attempts, policy.max_attempts) + " if they fail at once";
  if (time.certain_attempts_with_time_outs)
    certain += fmt::format(", {} if they time out",
                           of_all(*time.certain_attempts_with_time_outs, policy.max_attempts));
  fact("attempts that start for certain", certain);
}

std::string factor(double value) {
  if (std::isinf(value)) return "no end of";
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
         "  A full budget grants {} at once. Attempts per call in the long run, if of all attempts\n"
         "  there fail",
         facts.burst == 1 ? "1 retry" : fmt::format("{:.0f} retries", facts.burst));
  else
    text += "  No budget. Attempts per call, in the mean, if of all attempts there fail\n";
  line(text, "  {:>24} {:>10}{:>12}{:>12}{:>12}", "", "1 %", "10 %", "50 %", "100 %");
  const auto row = [&](std::string_view name, auto value) {
    line(text, "  {:>24} {:>10}{:>12}{:>12}{:>12}", name, factor(value(facts.load[0])),
         factor(value(facts.load[1])), factor(value(facts.load[2])), factor(value(facts.load[3])));
  };
  row(has_budget ? "without the budget" : "", [](const load_row& r) { return r.without_budget; });
  if (has_budget) row("with it", [](const load_row& r) { return r.with_budget; });
  if (what.layers > 1)
    paragraph(
        text, 2,
        fmt::format("Over {} layers: {}^{} = {} attempts at the bottom for each request at the top{}.",
                    what.layers, what.rules.policy->max_attempts, what.layers, factor(facts.amplification),
                    has_budget ? fmt::format("; in the long run the budgets leave at most {}",
                                             factor(facts.amplification_with_budget))
                               : std::string()));
}

void add_warnings(std::string& text, const std::vector<warning>& warnings) {
  if (warnings.empty()) {
    text += "\nNo warnings.\n";
    return;
  }
  line(text, "\n{} warning{}", warnings.size(), warnings.size() == 1 ? "" : "s");
  for (const warning& each : warnings) {
    paragraph(text, 2, fmt::format("{} ({})", each.message, each.id));
    paragraph(text, 6, each.arithmetic);
    paragraph(text, 6, "mend: " + each.mend);
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
