// SPDX-License-Identifier: Apache-2.0
// The retries of a call one after the other, with the bounds of each wait and of all together. What is made of
// them is in schedule.cpp and explanation.cpp.
#pragma once

#include <relent/backoff.hpp>
#include <relent/explain/schedule.hpp>
#include <relent/time.hpp>

#include <cstdint>
#include <vector>

namespace relent::detail {

/// Retries in a row that are looked at together: one at first, a small part of those before later on.
struct stretch {
  std::uint32_t last = 0;  ///< the number of its last retry
  std::uint32_t count = 0;
  wait_range wait;   ///< bounds of any one of its waits, and their mean
  wait_range total;  ///< of all waits up to its last
};

/// length x count, at most max_duration; length must not be negative.
duration times(duration length, std::uint32_t count) noexcept;

wait_range add(const wait_range& a, const wait_range& b) noexcept;

/// Whether a wait depends on the one before it.
bool has_memory(jitter kind) noexcept;

/// The bounds of all waits up to a retry of the smooth curve (jitter::decorrelated_v2). Its waits are what lies
/// between points of the curve, so that a short one is followed by a long one: the sums of the single bounds
/// would be far too wide.
class smooth_curve_totals {
 public:
  explicit smooth_curve_totals(const backoff_options& options) noexcept;

  /// One retry further: narrows the bounds of the total.
  void next(wait_range& total);

 private:
  double most() const noexcept;

  double scale_;
  double cap_;
  std::vector<double> ends_{0.0};  // where the point of retry k can lie: from ends_[k - 1] to ends_[k]
  double least_to_low_ = 0;        // the least total that ends at the low end, and at the high end
  double least_to_high_ = 0;
};

/// Whether means are wanted: some are only found by drawing, which takes a while.
enum class means : std::uint8_t { wanted, left_out };

/// Walks from retry 1 to the last one, which always is a stretch of its own. A walk over four billion retries
/// has about 60,000 stretches.
class waits_walk {
 public:
  waits_walk(const backoff_options& options, std::uint32_t retries, means mean);

  /// Goes on to the next stretch; false behind the last one.
  bool next();
  const stretch& here() const noexcept { return here_; }

 private:
  wait_range wait_of(std::uint32_t retry);
  std::uint32_t size_of_next() const noexcept;

  backoff_options options_;
  std::uint32_t retries_;
  backoff_memory short_;  // of a call whose draws were all the least
  backoff_memory long_;   // and all the greatest
  std::vector<duration> drawn_means_;
  smooth_curve_totals smooth_;
  stretch here_;
};

}  // namespace relent::detail
