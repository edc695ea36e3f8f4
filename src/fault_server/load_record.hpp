// SPDX-License-Identifier: Apache-2.0
// What comes in over time, in tenths of a second, and the capacity that a server is given.
#pragma once

#include <relent/testing/fault_server.hpp>

#include <algorithm>
#include <vector>

namespace relent::testing::faults {

inline constexpr duration bucket_length = detail::milliseconds(100);
inline constexpr std::size_t most_buckets = 36'000;  // an hour

/// Tenths of a second since a beginning.
class load_record {
 public:
  /// The bucket of that time after the beginning; after the first hour one that nobody reads.
  load_bucket& at(duration since) {
    const auto index = static_cast<std::size_t>(since / bucket_length);
    if (index >= most_buckets) return rest_;
    if (index >= buckets_.size()) buckets_.resize(index + 1);
    return buckets_[index];
  }

  /// All up to that time, also those in which nothing came.
  std::vector<load_bucket> until(duration since) const {
    std::vector<load_bucket> out = buckets_;
    const auto size = static_cast<std::size_t>(since / bucket_length) + 1;
    out.resize(std::max(out.size(), std::min(size, most_buckets)));
    return out;
  }

  void clear() {
    buckets_.clear();
    rest_ = {};
  }

 private:
  std::vector<load_bucket> buckets_;
  load_bucket rest_{};
};

/// So many requests a second, of which a tenth of a second's worth can be saved up; what is turned away costs too.
class work_capacity {
 public:
  work_capacity(double per_second, double cost) : rate_(per_second), cost_(cost) {}

  /// Whether there is capacity for one more request.
  bool admits(time_point now) noexcept {
    const double most = std::max(1.0, rate_ / 10);
    if (!begun_) level_ = most;
    if (begun_ && now > last_)
      level_ = std::min(most, level_ + rate_ * static_cast<double>((now - last_).count()) / 1e9);
    last_ = begun_ ? std::max(last_, now) : now;
    begun_ = true;
    const bool admitted = level_ >= 1;
    // The debt that a flood can leave is bounded too: what it could not handle was never taken up.
    level_ = std::max(-most, level_ - (admitted ? 1.0 : cost_));
    return admitted;
  }

 private:
  double rate_;
  double cost_;
  double level_ = 0;
  bool begun_ = false;
  time_point last_{};
};

}  // namespace relent::testing::faults
