// SPDX-License-Identifier: Apache-2.0
// The rules that a breaker's options must keep to.
#pragma once

#include <relent/breaker.hpp>

namespace relent {

RELENT_INLINE problem_list problems(const breaker_options& options) noexcept {
  problem_list found;
  const duration zero = duration::zero();
  const double greatest = 0x1.fffffffffffffp1023;
  found.require(options.failures || options.failure_ratio, "breaker.failures",
                "must be given unless failure_ratio is");
  if (options.failures)
    found.require(*options.failures >= 1 && *options.failures <= 64, "breaker.failures", "must be 1 to 64");
  if (options.of_last) {
    found.require(*options.of_last <= 64, "breaker.of_last", "must be at most 64");
    found.require(options.failures && *options.of_last >= *options.failures, "breaker.of_last",
                  "must not be below failures");
  }
  if (options.failure_ratio)
    found.require(*options.failure_ratio > 0 && *options.failure_ratio <= 1, "breaker.failure_ratio",
                  "must be a ratio above 0 and at most 1");
  found.require(options.window >= detail::milliseconds(10), "breaker.window", "must be at least 10ms");
  found.require(options.min_calls >= 1 && options.min_calls <= 100'000, "breaker.min_calls",
                "must be 1 to 100000");
  found.require(options.open_for > zero, "breaker.open_for", "must be above zero");
  found.require(options.open_for_jitter >= 0 && options.open_for_jitter <= 1, "breaker.open_for_jitter",
                "must be a ratio from 0 to 1");
  found.require(options.open_for_multiplier >= 1 && options.open_for_multiplier <= greatest,
                "breaker.open_for_multiplier", "must be a finite number of at least 1");
  found.require(options.max_open_for >= options.open_for, "breaker.max_open_for",
                "must not be below open_for");
  found.require(options.probes >= 1 && options.probes <= 32, "breaker.probes", "must be 1 to 32");
  found.require(options.successes_to_close >= 1, "breaker.successes_to_close", "must be at least 1");
  found.require(options.probe_timeout > zero, "breaker.probe_timeout", "must be above zero");
  return found;
}

}  // namespace relent
