// SPDX-License-Identifier: Apache-2.0
// The same as JSON.
#include "explain_report.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>

namespace relent::cli {
namespace {

using json = nlohmann::ordered_json;

double seconds(duration length) { return std::chrono::duration<double>(length).count(); }

json seconds_or_null(const optional<duration>& length) {
  return length ? json(seconds(*length)) : json(nullptr);
}

json range(const wait_range& wait) {
  return {{"earliest_seconds", seconds(wait.earliest)},
          {"mean_seconds", seconds(wait.mean)},
          {"latest_seconds", seconds(wait.latest)}};
}

json row_of(const schedule_row& row) {
  return {{"retry", row.retry}, {"wait", range(row.wait)}, {"total", range(row.total)}};
}

/// JSON has no infinity.
json finite_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

}  // namespace

std::string explain_as_json(const explained& what, const explanation& facts) {
  const policy_options& policy = what.rules.policy.options();
  json object{{"source", what.source},
              {"use", what.use == policy_use::calls ? "calls" : "commands"},
              {"max_attempts", policy.max_attempts},
              {"deadline_seconds", seconds_or_null(policy.deadline)},
              {"attempt_timeout_seconds", seconds_or_null(policy.attempt_timeout)}};
  json rows = json::array();
  for (const schedule_row& row : facts.schedule.rows) rows.push_back(row_of(row));
  object["schedule"] = {
      {"rows", rows}, {"last", row_of(facts.schedule.last)}, {"mean_is_exact", facts.schedule.mean_is_exact}};
  object["time"] = {
      {"waits_seconds", seconds(facts.time.waits)},
      {"with_time_outs_seconds", seconds_or_null(facts.time.with_time_outs)},
      {"server_wait_seconds", seconds(facts.time.server_wait)},
      {"worst_seconds", seconds_or_null(facts.time.worst)},
      {"certain_attempts", facts.time.certain_attempts},
      {"certain_attempts_with_time_outs", facts.time.certain_attempts_with_time_outs
                                              ? json(*facts.time.certain_attempts_with_time_outs)
                                              : json(nullptr)}};
  json load = json::array();
  for (const load_row& row : facts.load)
    load.push_back({{"fault_rate", row.fault_rate},
                    {"attempts_per_call_without_budget", row.without_budget},
                    {"attempts_per_call", row.with_budget}});
  object["load"] = {{"budget_burst", finite_or_null(facts.burst)},
                    {"at_fault_rates", load},
                    {"layers", what.layers},
                    {"amplification", finite_or_null(facts.amplification)},
                    {"amplification_with_budget", finite_or_null(facts.amplification_with_budget)}};
  json warnings = json::array();
  for (const warning& each : facts.warnings)
    warnings.push_back(
        {{"id", each.id}, {"message", each.message}, {"arithmetic", each.arithmetic}, {"mend", each.mend}});
  object["warnings"] = warnings;
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace relent::cli
