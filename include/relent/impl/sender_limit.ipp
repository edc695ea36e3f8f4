// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the sender limit, and the lock around it.
#pragma once

#include <relent/sender_limit.hpp>

#include <cmath>
#include <mutex>
#include <new>

namespace relent {
namespace detail {

RELENT_INLINE double seconds_between(time_point from, time_point to) noexcept {
  return static_cast<double>(time_between(from, to).count()) / 1e9;
}

RELENT_INLINE double cubic_rate::plateau() const noexcept {
  return std::cbrt(rate_before_cut_ * (1 - beta_) / scale_);
}

RELENT_INLINE double cubic_rate::throttled(double rate, time_point now) noexcept {
  rate_before_cut_ = rate;
  last_cut_ = now;
  return beta_ * rate;
}

RELENT_INLINE double cubic_rate::succeeded(time_point now) const noexcept {
  const double t = seconds_between(last_cut_, now) - plateau();
  return scale_ * t * t * t + rate_before_cut_;
}

RELENT_INLINE rate_meter::rate_meter(duration time_bucket, double smoothing, time_point start) noexcept
    : time_bucket_(time_bucket), smoothing_(smoothing), last_bucket_(bucket_at(start)) {}

RELENT_INLINE duration::rep rate_meter::bucket_at(time_point now) const noexcept {
  const duration since = now.time_since_epoch();
  const duration::rep whole = since / time_bucket_;
  return since % time_bucket_ < duration::zero() ? whole - 1 : whole;
}

RELENT_INLINE void rate_meter::count(time_point now) noexcept {
  events_ += 1;
  const duration::rep bucket = bucket_at(now);
  if (bucket <= last_bucket_) return;
  const double buckets = static_cast<double>(bucket) - static_cast<double>(last_bucket_);
  const double seconds = buckets * static_cast<double>(time_bucket_.count()) / 1e9;
  rate_ = events_ / seconds * smoothing_ + rate_ * (1 - smoothing_);
  events_ = 0;
  last_bucket_ = bucket;
}

RELENT_INLINE void token_flow::fill(time_point now) noexcept {
  level_ = std::fmin(capacity_, level_ + seconds_between(filled_, now) * rate_);
  if (now > filled_) filled_ = now;
}

RELENT_INLINE duration token_flow::take(time_point now) noexcept {
  fill(now);
  const double nanoseconds = (1 - level_) / rate_ * 1e9;
  // Less than the clock can tell. Insisting on it would mean waiting again, for nothing.
  if (nanoseconds < 1) {
    level_ = std::fmax(0, level_ - 1);
    return duration::zero();
  }
  return saturate(std::round(nanoseconds));
}

RELENT_INLINE void token_flow::set_rate(double rate, time_point now) noexcept {
  fill(now);
  rate_ = std::fmax(rate, min_rate_);
  capacity_ = std::fmax(rate, min_capacity_);
  level_ = std::fmin(level_, capacity_);
}

RELENT_INLINE const sender_limit_options& checked(const sender_limit_options& options) {
  if (const problem_list found = problems(options); !found.empty()) throw options_error(found);
  return options;
}

}  // namespace detail

class sender_limit::lock {
 public:
  explicit lock(const sender_limit& limit) : held_(mutex_of(limit)) {}

  static std::mutex& mutex_of(const sender_limit& limit) noexcept {
    static_assert(sizeof(std::mutex) <= sizeof mutex_ && alignof(std::mutex) <= 16);
    return *std::launder(reinterpret_cast<std::mutex*>(limit.mutex_));
  }

 private:
  std::lock_guard<std::mutex> held_;
};

RELENT_INLINE sender_limit::sender_limit(const sender_limit_options& options)
    : options_(detail::checked(options)),
      cubic_(options.beta, options.scale, time_point{}),
      meter_(options.time_bucket, options.smoothing, time_point{}),
      flow_(options.min_rate, options.min_capacity, time_point{}) {
  ::new (static_cast<void*>(mutex_)) std::mutex;
}

RELENT_INLINE sender_limit::~sender_limit() {
  using std::mutex;
  lock::mutex_of(*this).~mutex();
}

/// The latest time seen, `now` included. The first time seen is where everything starts.
RELENT_INLINE time_point sender_limit::reach(time_point now) noexcept {
  if (!started_) {
    started_ = true;
    latest_ = now;
    cubic_ = {options_.beta, options_.scale, now};
    meter_ = {options_.time_bucket, options_.smoothing, now};
    flow_ = {options_.min_rate, options_.min_capacity, now};
  }
  if (now > latest_) latest_ = now;
  return latest_;
}

RELENT_INLINE void sender_limit::follow(double rate, time_point now) noexcept {
  flow_.set_rate(std::fmin(rate, 2 * meter_.rate()), now);
}

RELENT_INLINE duration sender_limit::acquire(time_point now) {
  const lock held(*this);
  now = reach(now);
  return enabled_ ? flow_.take(now) : duration::zero();
}

RELENT_INLINE void sender_limit::succeeded(time_point now) {
  const lock held(*this);
  now = reach(now);
  meter_.count(now);
  follow(cubic_.succeeded(now), now);
}

RELENT_INLINE void sender_limit::throttled(time_point now) {
  const lock held(*this);
  now = reach(now);
  meter_.count(now);
  const double rate = enabled_ ? std::fmin(meter_.rate(), flow_.rate()) : meter_.rate();
  follow(cubic_.throttled(rate, now), now);
  enabled_ = true;
}

RELENT_INLINE bool sender_limit::enabled() const {
  const lock held(*this);
  return enabled_;
}

RELENT_INLINE double sender_limit::fill_rate() const {
  const lock held(*this);
  return flow_.rate();
}

RELENT_INLINE double sender_limit::measured_rate() const {
  const lock held(*this);
  return meter_.rate();
}

RELENT_INLINE double sender_limit::capacity() const {
  const lock held(*this);
  return flow_.level();
}

}  // namespace relent
