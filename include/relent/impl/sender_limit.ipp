// SPDX-License-Identifier: Apache-2.0
// The sender limit: its arithmetic under a lock.
#pragma once

#include <relent/impl/sender_limit_arithmetic.ipp>
#include <relent/sender_limit.hpp>

#include <cmath>
#include <mutex>

namespace relent {

RELENT_INLINE problem_list problems(const sender_limit_options& options) noexcept {
  constexpr double most = 1e9;
  const auto positive = [](double value) { return value > 0 && value <= most; };
  problem_list found;
  found.require(options.beta > 0 && options.beta < 1, "sender_limit.beta", "must be above 0 and below 1");
  found.require(positive(options.scale), "sender_limit.scale", "must be above 0 and at most 1e9");
  found.require(options.smoothing > 0 && options.smoothing <= 1, "sender_limit.smoothing",
                "must be above 0 and at most 1");
  found.require(
      options.time_bucket >= std::chrono::milliseconds{1} && options.time_bucket <= std::chrono::seconds{60},
      "sender_limit.time_bucket", "must be from 1ms to 60s");
  found.require(positive(options.min_rate), "sender_limit.min_rate", "must be above 0 and at most 1e9");
  found.require(options.min_capacity >= 1 && options.min_capacity <= most, "sender_limit.min_capacity",
                "must be from 1 to 1e9");
  return found;
}

namespace detail {

RELENT_INLINE const sender_limit_options& checked(const sender_limit_options& options) {
  if (const problem_list found = problems(options); !found.empty()) throw options_error(found);
  return options;
}

}  // namespace detail

struct sender_limit::core {
  explicit core(const sender_limit_options& from)
      : options(from),
        cubic(from.beta, from.scale, time_point{}),
        meter(from.time_bucket, from.smoothing, time_point{}),
        flow(from.min_rate, from.min_capacity, time_point{}) {}

  /// The latest time seen, `now` included. The first time seen is where everything starts.
  time_point reach(time_point now) noexcept {
    if (!started) {
      started = true;
      latest = now;
      cubic = {options.beta, options.scale, now};
      meter = {options.time_bucket, options.smoothing, now};
      flow = {options.min_rate, options.min_capacity, now};
    }
    if (now > latest) latest = now;
    return latest;
  }

  void follow(double rate, time_point now) noexcept { flow.set_rate(std::fmin(rate, 2 * meter.rate()), now); }

  std::mutex mutex;
  sender_limit_options options;
  detail::cubic_rate cubic;
  detail::rate_meter meter;
  detail::token_flow flow;
  bool started = false;
  bool enabled = false;
  time_point latest{};
};

RELENT_INLINE sender_limit::sender_limit(const sender_limit_options& options)
    : core_(new core(detail::checked(options))) {}

RELENT_INLINE sender_limit::~sender_limit() { delete core_; }

RELENT_INLINE duration sender_limit::acquire(time_point now) {
  const std::lock_guard held(core_->mutex);
  now = core_->reach(now);
  return core_->enabled ? core_->flow.take(now) : duration::zero();
}

RELENT_INLINE void sender_limit::succeeded(time_point now) {
  const std::lock_guard held(core_->mutex);
  now = core_->reach(now);
  core_->meter.count(now);
  core_->follow(core_->cubic.succeeded(now), now);
}

RELENT_INLINE void sender_limit::throttled(time_point now) {
  const std::lock_guard held(core_->mutex);
  now = core_->reach(now);
  core_->meter.count(now);
  const double rate =
      core_->enabled ? std::fmin(core_->meter.rate(), core_->flow.rate()) : core_->meter.rate();
  core_->follow(core_->cubic.throttled(rate, now), now);
  core_->enabled = true;
}

RELENT_INLINE bool sender_limit::enabled() const {
  const std::lock_guard held(core_->mutex);
  return core_->enabled;
}

RELENT_INLINE double sender_limit::fill_rate() const {
  const std::lock_guard held(core_->mutex);
  return core_->flow.rate();
}

RELENT_INLINE double sender_limit::measured_rate() const {
  const std::lock_guard held(core_->mutex);
  return core_->meter.rate();
}

RELENT_INLINE double sender_limit::capacity() const {
  const std::lock_guard held(core_->mutex);
  return core_->flow.level();
}

}  // namespace relent
