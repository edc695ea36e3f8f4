// SPDX-License-Identifier: Apache-2.0
// Each warning: when it holds, the numbers that show it, and the change that mends it.
#include "warnings.hpp"
#include "waits_walk.hpp"

#include <relent/deadline.hpp>
#include <relent/duration_text.hpp>
#include <relent/explain/load.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace relent::detail {
namespace {

std::string number(double value) {
  if (std::isinf(value)) return "no end of";
  char text[32];
  const bool whole = value >= 100 || value == std::floor(value);
  std::snprintf(text, sizeof text, value >= 1e9 ? "%.3g" : whole ? "%.0f" : "%.2g", value);
  return text;
}

/// A length in a sentence, where nanoseconds are of no use.
std::string told(duration length) {
  if (length == max_duration) return "292 years";
  constexpr duration fine = std::chrono::milliseconds(1);
  return to_text(length > 1000 * fine ? length - length % fine : length);
}

std::string quoted(duration length) { return '"' + to_text(std::max(length, duration(1))) + '"'; }

/// Cut to what a person would write.
duration rounded_down(duration length) {
  for (const duration unit :
       {duration(std::chrono::minutes(1)), duration(std::chrono::seconds(1)),
        duration(std::chrono::milliseconds(100)), duration(std::chrono::milliseconds(1))})
    if (length >= 2 * unit) return length - length % unit;
  return length;
}

duration rounded_up(duration length) {
  const duration down = rounded_down(length);
  if (down == length) return length;
  for (const duration unit :
       {duration(std::chrono::minutes(1)), duration(std::chrono::seconds(1)),
        duration(std::chrono::milliseconds(100)), duration(std::chrono::milliseconds(1))})
    if (length >= 2 * unit) return saturating_add(down, unit);
  return length;
}

class finder {
 public:
  finder(const explain_options& options, const explanation& facts)
      : options_(options), policy_(options.policy), facts_(facts) {
    if (policy_.max_attempts > 1) first_ = schedule_of(policy_.backoff, 1).last;
  }

  std::vector<warning> find() {
    if (policy_.max_attempts > 1) {
      no_attempt_starts();
      no_retry_fits();
      no_deadline();
      waits_pass_deadline();
      time_outs_pass_deadline();
      layers_multiply();
      no_jitter();
      in_step_at_cap();
      no_wait();
      no_growth();
      load_in_an_outage();
      many_attempts();
      retries_of_unknown();
      server_errors_without_limit();
    }
    return std::move(found_);
  }

 private:
  void warn(std::string_view id, std::string message, std::string arithmetic, std::string mend) {
    found_.push_back({id, std::move(message), std::move(arithmetic), std::move(mend)});
  }

  std::string n() const { return std::to_string(policy_.max_attempts); }
  const wait_range& first_wait() const { return first_.wait; }
  bool is_list() const { return policy_.backoff.growth == growth::list; }
  std::string first_waits(duration length) const {
    return is_list() ? "backoff.delays = [" + quoted(length) + "]" : "backoff.base = " + quoted(length);
  }

  std::string all_waits(duration longest) const {
    const std::string length = quoted(longest);
    return is_list() ? "backoff.delays = [" + length + "]"
                     : "backoff.base = " + length + ", backoff.cap = " + length;
  }

  /// As the engine asks: whether an attempt may start so long after the call's beginning.
  bool fits(duration start) const {
    return !policy_.deadline ||
           fits_before(time_point{} + *policy_.deadline, time_point{} + start, policy_.least_attempt_time);
  }

  void no_attempt_starts() {
    if (fits(duration::zero())) return;
    warn("no_attempt_starts", "no attempt ever starts",
         "least_attempt_time " + told(policy_.least_attempt_time) + " > deadline " + told(*policy_.deadline),
         "least_attempt_time = " + quoted(*policy_.deadline / 10));
  }

  void no_retry_fits() {
    if (!fits(duration::zero()) || fits(first_wait().earliest)) return;
    const bool needs_time = first_wait().earliest < *policy_.deadline;
    warn("no_retry_fits", "no retry ever fits before the deadline",
         "the first wait is at least " + told(first_wait().earliest) +
             (needs_time ? ", least_attempt_time " + told(policy_.least_attempt_time) : std::string()) +
             ", the deadline " + told(*policy_.deadline),
         needs_time ? "least_attempt_time = " + quoted(rounded_down(*policy_.deadline / 10))
                    : first_waits(rounded_down(*policy_.deadline / 10)));
  }

  void no_deadline() {
    if (policy_.deadline) return;
    const std::string shown =
        facts_.time.with_time_outs
            ? n() + " attempts of " + told(*policy_.attempt_timeout) + " and waits of " +
                  told(facts_.time.waits) + " = " + told(*facts_.time.with_time_outs)
            : "an attempt that hangs, hangs for ever; the waits alone can take " + told(facts_.time.waits);
    const duration long_enough = facts_.time.with_time_outs.value_or(max_duration);
    warn("no_deadline", "nothing bounds the whole call", shown,
         "deadline = " + quoted(long_enough < max_duration          ? rounded_up(long_enough)
                                : options_.use == policy_use::calls ? duration(std::chrono::seconds(30))
                                                                    : duration(std::chrono::hours(1))));
  }

  void waits_pass_deadline() {
    const std::uint32_t certain = facts_.time.certain_attempts;
    if (!fits(duration::zero()) || !fits(first_wait().earliest) || certain >= policy_.max_attempts) return;
    const duration longer = saturating_add(facts_.time.waits, policy_.least_attempt_time);
    const std::string fewer = certain > 1
                                  ? "max_attempts = " + std::to_string(certain)
                                  : all_waits(rounded_down((*policy_.deadline - policy_.least_attempt_time) /
                                                           policy_.max_attempts));
    warn("waits_pass_deadline", "the waits alone can pass the deadline",
         "waits of up to " + told(facts_.time.waits) + " in a deadline of " + told(*policy_.deadline) +
             ": certain to start, though each fails at once: " + std::to_string(certain) + " of " + n(),
         fewer + (longer < max_duration
                      ? ", or deadline = " + quoted(rounded_up(saturating_add(longer, duration(1))))
                      : std::string()));
  }

  void time_outs_pass_deadline() {
    if (!policy_.deadline || !policy_.attempt_timeout) return;
    if (*policy_.attempt_timeout >= *policy_.deadline) {
      warn("attempt_timeout_not_below_deadline", "the first attempt may use up the whole deadline",
           "attempt_timeout " + told(*policy_.attempt_timeout) + " >= deadline " + told(*policy_.deadline),
           "attempt_timeout = " + quoted(rounded_down(*policy_.deadline / policy_.max_attempts)));
      return;
    }
    const std::uint32_t certain = facts_.time.certain_attempts_with_time_outs.value_or(policy_.max_attempts);
    const bool waits_alone_pass = facts_.time.certain_attempts < policy_.max_attempts;
    if (waits_alone_pass || *facts_.time.with_time_outs <= *policy_.deadline) return;
    const duration left = *policy_.deadline - std::min(facts_.time.waits, *policy_.deadline);
    const duration fits = rounded_down(left / policy_.max_attempts);
    warn("time_outs_pass_deadline", "attempts that time out do not all fit before the deadline",
         n() + " x " + told(*policy_.attempt_timeout) + " + waits of up to " + told(facts_.time.waits) +
             " = " + told(*facts_.time.with_time_outs) + " > " + told(*policy_.deadline) + ": " +
             (certain < policy_.max_attempts ? "certain to start: " + std::to_string(certain) + " of " + n()
                                             : "the last is cut short"),
         (fits > duration::zero() ? "attempt_timeout = " + quoted(fits) + ", or " : std::string()) +
             "deadline = " + quoted(rounded_up(saturating_add(*facts_.time.with_time_outs, duration(1)))));
  }

  void layers_multiply() {
    if (options_.layers < 2) return;
    warn(
        "layers_multiply", std::to_string(options_.layers) + " layers that retry multiply",
        n() + "^" + std::to_string(options_.layers) + " = " + number(facts_.amplification) +
            " attempts at the bottom for one request at the top, when the bottom is in trouble",
        "max_attempts = 1 in all layers but one; nested = \"single_attempt\" does that between Relent calls");
  }

  /// The first retry before which all clients wait exactly as long as each other; nothing if there is none
  /// among those shown.
  std::optional<schedule_row> in_step() const {
    for (const schedule_row& row : facts_.schedule.rows)
      if (row.wait.earliest == row.wait.latest && row.wait.latest > duration::zero()) return row;
    return std::nullopt;
  }

  void no_jitter() {
    const std::optional<schedule_row> row = in_step();
    if (!row) return;
    const std::string wait = told(row->wait.latest);
    warn("no_jitter", "without jitter, clients that failed together come back together",
         options_.use == policy_use::calls
             ? "1000 clients that fail in one instant send 1000 requests in the same instant " + wait +
                   " later: retry " + std::to_string(row->retry)
             : "jobs started by the same minute of cron try again in the same instant, " + wait + " later",
         policy_.backoff.jitter == jitter::decorrelated
             ? "backoff.cap = " + quoted(times(std::max(policy_.backoff.base, duration(1)), 10))
             : "backoff.jitter = \"full\"");
  }

  /// The smooth curve is cut at the cap after the draw.
  void in_step_at_cap() {
    const schedule_row& last = facts_.schedule.last;
    if (policy_.backoff.jitter != jitter::decorrelated_v2 || last.wait.latest == duration::zero()) return;
    if (last.wait.mean < policy_.backoff.cap - policy_.backoff.cap / 10) return;
    warn("in_step_at_cap", "late retries wait exactly the cap, and come back together",
         "retry " + std::to_string(last.retry) + " waits " + told(last.wait.mean) +
             " in the mean, with a cap of " + told(policy_.backoff.cap),
         "backoff.jitter = \"full\", or a higher backoff.cap");
  }

  void no_wait() {
    if (facts_.time.waits > duration::zero()) return;
    warn("no_wait", "retries follow at once, while whatever failed is still failing",
         n() + " attempts without a pause between them",
         policy_.backoff.cap > duration::zero() || is_list()
             ? first_waits(std::chrono::milliseconds(100))
             : R"(backoff.base = "100ms", backoff.cap = "10s")");
  }

  void no_growth() {
    if (policy_.backoff.growth != growth::exponential || policy_.backoff.multiplier > 1 ||
        policy_.max_attempts < 4)
      return;
    if (policy_.backoff.jitter == jitter::decorrelated || policy_.backoff.jitter == jitter::decorrelated_v2)
      return;
    warn("no_growth", "the waits do not grow",
         "multiplier 1: every wait is at most " + told(policy_.backoff.base),
         "backoff.multiplier = 2, or backoff.growth = \"constant\" to say that it is meant so");
  }

  void load_in_an_outage() {
    if (options_.use != policy_use::calls || options_.budget.kind() != budget_kind::none) return;
    warn("no_budget", "nothing bounds the retries of all calls together",
         "in an outage every call makes " + n() + " attempts: " + n() +
             " times the load, for as long as it lasts",
         "budget = { kind = \"token\" }");
  }

  void many_attempts() {
    constexpr std::uint32_t many = 10;
    if (options_.use != policy_use::calls || policy_.max_attempts <= many) return;
    warn("many_attempts", "more than " + std::to_string(many) + " attempts hardly ever help a call",
         "if half of all attempts fail, 5 attempts leave " + number(std::pow(0.5, 5) * 100) +
             " % of calls failed; in an outage none of " + n() + " helps",
         "max_attempts = 5");
  }

  void retries_of_unknown() {
    for (const fault_kind kind : {fault_kind::unknown, fault_kind::rejected, fault_kind::unauthenticated}) {
      if (options_.use != policy_use::calls || !policy_.retry_on.contains(kind)) continue;
      const std::string name(to_string(kind));
      warn(kind == fault_kind::unknown ? "retries_of_unknown" : "retries_of_permanent",
           "faults of kind " + name + " are retried",
           kind == fault_kind::unknown
               ? "an error that nobody classified is most often a mistake in the program: it fails " + n() +
                     " times"
               : "the same request gets the same answer " + n() + " times",
           "take \"" + name + "\" out of retry_on");
    }
  }

  void server_errors_without_limit() {
    if (options_.use != policy_use::calls || policy_.server_error_retries || policy_.max_attempts < 3 ||
        !policy_.retry_on.contains(fault_kind::server_error))
      return;
    warn("server_errors_without_limit", "a plain 500 is retried as often as an overload",
         "a request that makes the server fail makes it fail " + n() + " times", "server_error_retries = 1");
  }

  const explain_options& options_;
  const policy_options& policy_;
  const explanation& facts_;
  schedule_row first_;
  std::vector<warning> found_;
};

}  // namespace

std::vector<warning> warnings_of(const explain_options& options, const explanation& facts) {
  return finder(options, facts).find();
}

}  // namespace relent::detail
