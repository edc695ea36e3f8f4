// SPDX-License-Identifier: Apache-2.0
// What a policy does to the load on a dependency while it has faults: attempts per call with and without the
// budget, in the long run. Computed, for independent faults of a constant rate; a server in trouble, whose
// faults feed each other, is the simulator's business. Target relent::explain.
#pragma once

#include <relent/budget.hpp>

#include <cstdint>

namespace relent {

/// Attempts per call when a share `fault_rate` (0 to 1) of all attempts fails and every retry is granted:
/// 1 + p + p^2 + ... + p^(n-1).
double attempts_without_budget(std::uint32_t max_attempts, double fault_rate) noexcept;

/// The same with the budget, in the long run: once what it was filled with at first is used up.
double attempts_with_budget(std::uint32_t max_attempts, const budget_options& budget,
                            double fault_rate) noexcept;

/// The greatest value that attempts_with_budget has at any fault rate.
double most_attempts_with_budget(std::uint32_t max_attempts, const budget_options& budget) noexcept;

/// How many retries a full budget grants at once; infinity for budget::none().
double burst_of(const budget_options& budget) noexcept;

/// `factor` to the power of `layers`: attempts that reach the bottom for each request at the top.
double amplification(double factor, std::uint32_t layers) noexcept;

}  // namespace relent
