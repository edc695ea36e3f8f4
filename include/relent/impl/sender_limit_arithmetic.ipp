// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the sender limit: CUBIC's curve, a rate meter and a token flow. No lock, no clock.
#pragma once

#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cmath>

namespace relent::detail {

inline double seconds_between(time_point from, time_point to) noexcept {
  return static_cast<double>(time_between(from, to).count()) / 1e9;
}

/// The rate that CUBIC allows: cut at throttling, then back towards the rate of the last cut, flat around
/// it, and beyond. Rates are per second. One thread at a time.
class cubic_rate {
 public:
  cubic_rate(double beta, double scale, time_point last_cut, double rate_at_last_cut = 0) noexcept
      : beta_(beta), scale_(scale), last_cut_(last_cut), rate_before_cut_(rate_at_last_cut) {}

  /// The rate after a throttling met at `rate`. What is remembered to return to is `rate`, the one before
  /// the cut. (Some SDKs' tests expect the rate after the cut; no client ever behaves like that.)
  double throttled(double rate, time_point now) noexcept;

  /// The rate after a success.
  double succeeded(time_point now) const noexcept;

  /// Seconds after a cut until the old rate is reached again.
  double plateau() const noexcept;

  double rate_before_cut() const noexcept { return rate_before_cut_; }

 private:
  double beta_;
  double scale_;
  time_point last_cut_;
  double rate_before_cut_;
};

/// The rate of events, measured over time buckets and smoothed. One thread at a time.
class rate_meter {
 public:
  rate_meter(duration time_bucket, double smoothing, time_point start) noexcept;
  void count(time_point now) noexcept;
  /// Events per second; zero until the first bucket is over.
  double rate() const noexcept { return rate_; }

 private:
  duration::rep bucket_at(time_point now) const noexcept;

  duration time_bucket_;
  double smoothing_;
  duration::rep last_bucket_;
  double events_ = 0;
  double rate_ = 0;
};

/// Tokens that flow in at a rate, up to a capacity; empty at first. One thread at a time.
class token_flow {
 public:
  token_flow(double min_rate, double min_capacity, time_point start) noexcept
      : min_rate_(min_rate),
        min_capacity_(min_capacity),
        rate_(min_rate),
        capacity_(min_capacity),
        filled_(start) {}

  /// Zero: one token is taken. Else how long until one is there, and nothing is taken.
  duration take(time_point now) noexcept;

  /// Lets tokens flow at `rate` from now on. The capacity is what flows in a second.
  void set_rate(double rate, time_point now) noexcept;

  double rate() const noexcept { return rate_; }
  double level() const noexcept { return level_; }

 private:
  void fill(time_point now) noexcept;

  double min_rate_;
  double min_capacity_;
  double rate_;
  double capacity_;
  double level_ = 0;
  time_point filled_;
};

inline double cubic_rate::plateau() const noexcept {
  return std::cbrt(rate_before_cut_ * (1 - beta_) / scale_);
}

inline double cubic_rate::throttled(double rate, time_point now) noexcept {
  rate_before_cut_ = rate;
  last_cut_ = now;
  return beta_ * rate;
}

inline double cubic_rate::succeeded(time_point now) const noexcept {
  const double t = seconds_between(last_cut_, now) - plateau();
  return scale_ * t * t * t + rate_before_cut_;
}

inline rate_meter::rate_meter(duration time_bucket, double smoothing, time_point start) noexcept
    : time_bucket_(time_bucket), smoothing_(smoothing), last_bucket_(bucket_at(start)) {}

inline duration::rep rate_meter::bucket_at(time_point now) const noexcept {
  const duration since = now.time_since_epoch();
  const duration::rep whole = since / time_bucket_;
  return since % time_bucket_ < duration::zero() ? whole - 1 : whole;
}

inline void rate_meter::count(time_point now) noexcept {
  events_ += 1;
  const duration::rep bucket = bucket_at(now);
  if (bucket <= last_bucket_) return;
  const double buckets = static_cast<double>(bucket) - static_cast<double>(last_bucket_);
  const double seconds = buckets * static_cast<double>(time_bucket_.count()) / 1e9;
  rate_ = events_ / seconds * smoothing_ + rate_ * (1 - smoothing_);
  events_ = 0;
  last_bucket_ = bucket;
}

inline void token_flow::fill(time_point now) noexcept {
  level_ = std::fmin(capacity_, level_ + seconds_between(filled_, now) * rate_);
  if (now > filled_) filled_ = now;
}

inline duration token_flow::take(time_point now) noexcept {
  fill(now);
  const double nanoseconds = (1 - level_) / rate_ * 1e9;
  // Less than the clock can tell. Insisting on it would mean waiting again, for nothing.
  if (nanoseconds < 1) {
    level_ = std::fmax(0, level_ - 1);
    return duration::zero();
  }
  return saturate(std::round(nanoseconds));
}

inline void token_flow::set_rate(double rate, time_point now) noexcept {
  fill(now);
  rate_ = std::fmax(rate, min_rate_);
  capacity_ = std::fmax(rate, min_capacity_);
  level_ = std::fmin(level_, capacity_);
}

}  // namespace relent::detail
