// SPDX-License-Identifier: Apache-2.0
// In the long run a budget pays out what it takes in. p is the share of attempts that fail, r the retries per
// call.
#include <relent/explain/load.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace relent {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Retries per call that a token budget can pay for. Income: `success_credit` for each of the (1-p)(1+r)
/// successful calls. Cost: `retry_cost` for each of the r retries. With a refund a successful retry is free,
/// and earns nothing: then only first attempts earn, and only failed retries cost.
double sustained(const token_budget& rule, double p) noexcept {
  if (rule.refund_last_cost)
    return p == 0 ? unlimited : rule.success_credit * (1 - p) / (rule.retry_cost * p);
  const double earned = rule.success_credit * (1 - p) / rule.retry_cost;
  return earned >= 1 ? unlimited : earned / (1 - earned);
}

/// Below the fault rate at which failures take more than successes bring, the throttle fills up and grants
/// everything; above, it empties and grants nothing (gRFC A6).
double sustained(const throttle_budget& rule, double p) noexcept {
  return p <= rule.success_credit * (1 - p) ? unlimited : 0;
}

double sustained(const budget_options& budget, double p) noexcept {
  switch (budget.kind()) {
    case budget_kind::none: return unlimited;
    case budget_kind::token: return sustained(budget.token(), p);
    case budget_kind::ratio: return budget.ratio().ratio;
    case budget_kind::throttle: return sustained(budget.throttle(), p);
  }
  return unlimited;
}

}  // namespace

double attempts_without_budget(std::uint32_t max_attempts, double fault_rate) noexcept {
  const double n = max_attempts;
  if (fault_rate >= 1) return n;
  return fault_rate <= 0 ? 1 : (1 - std::pow(fault_rate, n)) / (1 - fault_rate);
}

double attempts_with_budget(std::uint32_t max_attempts, const budget_options& budget,
                            double fault_rate) noexcept {
  const double p = std::clamp(fault_rate, 0.0, 1.0);
  const double wanted = attempts_without_budget(max_attempts, p) - 1;
  return 1 + std::min(wanted, sustained(budget, p));
}

double most_attempts_with_budget(std::uint32_t max_attempts, const budget_options& budget) noexcept {
  double most = 1;
  for (int permille = 0; permille <= 1000; ++permille)
    most = std::max(most, attempts_with_budget(max_attempts, budget, permille / 1000.0));
  return most;
}

double burst_of(const budget_options& budget) noexcept {
  switch (budget.kind()) {
    case budget_kind::none: return unlimited;
    case budget_kind::token: return std::floor(budget.token().capacity / budget.token().retry_cost);
    case budget_kind::ratio: return std::max(budget.ratio().min_retries, budget.ratio().reserve);
    case budget_kind::throttle: return std::ceil(budget.throttle().capacity / 2) - 1;
  }
  return unlimited;
}

double amplification(double factor, std::uint32_t layers) noexcept { return std::pow(factor, layers); }

}  // namespace relent
