// SPDX-License-Identifier: Apache-2.0
// What a backoff makes a call wait: for each retry the earliest, the mean and the latest wait, and the sums.
// Asked of the very function that the engine draws from (backoff.hpp); no second formula. Target
// relent::explain.
#pragma once

#include <relent/backoff.hpp>
#include <relent/time.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace relent {

/// Bounds of a wait, of which jitter never quite reaches the latest, and its mean.
struct wait_range {
  duration earliest{};
  duration mean{};
  duration latest{};

  friend bool operator==(const wait_range&, const wait_range&) = default;
};

/// One retry: its own wait, and all waits up to it together.
struct schedule_row {
  std::uint32_t retry = 0;
  wait_range wait;
  wait_range total;
};

/// The waits of a call that needs all its retries.
struct schedule {
  /// The first retries, at most as many as asked for, and at most 8000.
  std::vector<schedule_row> rows;
  /// The last retry; equal to rows.back() if all fit. Number 0 if there are no retries.
  schedule_row last;
  /// False: the mean is that of many draws from a fixed seed (the two decorrelated jitters), good to a few
  /// percent.
  bool mean_is_exact = true;
};

/// The schedule of `retries` retries after faults that are not rate_limited. Saturates. From the 8000th
/// retry on several are taken together, so that four billion take no time: the bounds of the total stay true,
/// up to a ten-thousandth too wide. Pure; thread-safe.
schedule schedule_of(const backoff_options& options, std::uint32_t retries, std::size_t most_rows = 20);

}  // namespace relent
