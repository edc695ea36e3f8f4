// SPDX-License-Identifier: Apache-2.0
// Each warning: when it holds, the numbers that show it, and the change that mends it.
#include "warnings.hpp"

#include <relent/duration_text.hpp>
#include <relent/explain/load.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace relent::detail {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 || value == std::floor(value) ? "%.0f" : "%.2g", value);
  return text;
}

std::string quoted(duration length) { return '"' + to_text(length) + '"'; }

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
      : options_(options), policy_(options.policy), facts_(facts) {}

  std::vector<warning> find() {
    if (policy_.max_attempts > 1) {
      no_attempt_starts();
      no_retry_fits();
      no_deadline();
      waits_pass_deadline();
      time_outs_pass_deadline();
      layers_multiply();
      no_jitter();
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
  const wait_range& first_wait() const { return facts_.schedule.rows.front().wait; }
  bool has_rows() const { return !facts_.schedule.rows.empty(); }

  void no_attempt_starts() {
    if (!policy_.deadline || policy_.least_attempt_time < *policy_.deadline) return;
    warn("no_attempt_starts", "no attempt ever starts",
         "least_attempt_time " + to_text(policy_.least_attempt_time) + " >= deadline " +
             to_text(*policy_.deadline),
         "least_attempt_time = " + quoted(*policy_.deadline / 10));
  }

  void no_retry_fits() {
    if (!policy_.deadline || !has_rows() || first_wait().earliest < *policy_.deadline) return;
    warn("no_retry_fits", "no retry ever fits before the deadline",
         "the first wait is at least " + to_text(first_wait().earliest) + ", the deadline " +
             to_text(*policy_.deadline),
         "backoff.base = " + quoted(rounded_down(*policy_.deadline / 10)));
  }

  void no_deadline() {
    if (policy_.deadline) return;
    const std::string shown =
        facts_.time.with_time_outs
            ? n() + " attempts of " + to_text(*policy_.attempt_timeout) + " and waits of " +
                  to_text(facts_.time.waits) + " = " + to_text(*facts_.time.with_time_outs)
            : "an attempt that hangs, hangs for ever; the waits alone can take " + to_text(facts_.time.waits);
    warn("no_deadline", "nothing bounds the whole call", shown,
         "deadline = " + quoted(facts_.time.with_time_outs ? rounded_up(*facts_.time.with_time_outs)
                                                           : duration(std::chrono::seconds(30))));
  }

  void waits_pass_deadline() {
    if (!policy_.deadline || facts_.time.certain_attempts >= policy_.max_attempts) return;
    warn("waits_pass_deadline", "the waits alone can pass the deadline",
         "waits of up to " + to_text(facts_.time.waits) + " in a deadline of " + to_text(*policy_.deadline) +
             ": certain to start, though each fails at once: " +
             std::to_string(facts_.time.certain_attempts) + " of " + n(),
         "max_attempts = " + std::to_string(facts_.time.certain_attempts) +
             ", or deadline = " + quoted(rounded_up(saturating_add(facts_.time.waits, duration(1)))));
  }

  void time_outs_pass_deadline() {
    if (!policy_.deadline || !policy_.attempt_timeout) return;
    if (*policy_.attempt_timeout >= *policy_.deadline) {
      warn("attempt_timeout_not_below_deadline", "the first attempt may use up the whole deadline",
           "attempt_timeout " + to_text(*policy_.attempt_timeout) + " >= deadline " +
               to_text(*policy_.deadline),
           "attempt_timeout = " + quoted(rounded_down(*policy_.deadline / policy_.max_attempts)));
      return;
    }
    const std::uint32_t certain = facts_.time.certain_attempts_with_time_outs.value_or(policy_.max_attempts);
    const bool waits_alone_pass = facts_.time.certain_attempts < policy_.max_attempts;
    if (waits_alone_pass || *facts_.time.with_time_outs <= *policy_.deadline) return;
    const duration left = *policy_.deadline - std::min(facts_.time.waits, *policy_.deadline);
    const duration fits = rounded_down(left / policy_.max_attempts);
    warn("time_outs_pass_deadline", "attempts that time out do not all fit before the deadline",
         n() + " x " + to_text(*policy_.attempt_timeout) + " + waits of up to " + to_text(facts_.time.waits) +
             " = " + to_text(*facts_.time.with_time_outs) + " > " + to_text(*policy_.deadline) + ": " +
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

  void no_jitter() {
    if (policy_.backoff.jitter != jitter::none || !has_rows() || first_wait().latest == duration::zero())
      return;
    warn("no_jitter", "without jitter, clients that failed together come back together",
         options_.use == policy_use::calls
             ? "1000 clients that fail in one instant send 1000 requests in the same instant " +
                   to_text(first_wait().latest) + " later"
             : "jobs started by the same minute of cron try again in the same instant, " +
                   to_text(first_wait().latest) + " later",
         "backoff.jitter = \"full\"");
  }

  void no_wait() {
    if (!has_rows() || facts_.schedule.last.total.latest > duration::zero()) return;
    warn("no_wait", "retries follow at once, while whatever failed is still failing",
         n() + " attempts without a pause between them", "backoff.base = \"100ms\"");
  }

  void no_growth() {
    if (policy_.backoff.growth != growth::exponential || policy_.backoff.multiplier > 1 ||
        policy_.max_attempts < 4)
      return;
    if (policy_.backoff.jitter == jitter::decorrelated || policy_.backoff.jitter == jitter::decorrelated_v2)
      return;
    warn("no_growth", "the waits do not grow",
         "multiplier 1: every wait is at most " + to_text(policy_.backoff.base),
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
  std::vector<warning> found_;
};

}  // namespace

std::vector<warning> warnings_of(const explain_options& options, const explanation& facts) {
  return finder(options, facts).find();
}

}  // namespace relent::detail
