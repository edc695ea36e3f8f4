// SPDX-License-Identifier: Apache-2.0
// A limit on how fast a client sends, first attempts included, that it works out from the throttling it
// meets: the adaptive mode of the AWS SDKs. It delays and never refuses; what refuses retries is
// budget.hpp. An option of a dependency. Layer 1.
#pragma once

#include <relent/problem.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

namespace relent {

/// How the limit follows what the server does. The defaults are those of the AWS SDKs.
struct sender_limit_options {
  double beta = 0.7;       ///< what is left of the rate after throttling, above 0 and below 1
  double scale = 0.4;      ///< how steeply the rate grows again (CUBIC, RFC 9438 section 4.1), above 0
  double smoothing = 0.8;  ///< weight of the newest time bucket in the measured rate, above 0, at most 1
  duration time_bucket =
      std::chrono::milliseconds{500};  ///< what the rate is measured over, from 1 ms to 60 s
  double min_rate = 0.5;               ///< attempts per second that the limit always lets through, above 0
  double min_capacity = 1;             ///< attempts that may go at once after a pause, at least 1

  friend constexpr bool operator==(const sender_limit_options&,
                                   const sender_limit_options&) noexcept = default;
};

/// Every rule that the options break, by field; empty if a limit can be made from them.
constexpr problem_list problems(const sender_limit_options& options) noexcept {
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

}  // namespace detail

/// Holds a client's attempts back to a rate that the server was seen to accept. Off until the first
/// throttling; then the rate is cut, and grows again with every success, up to twice the measured one.
/// Time running backwards counts as standing still. Thread-safe.
class sender_limit {
 public:
  /// Throws options_error.
  explicit sender_limit(const sender_limit_options& options = {});
  ~sender_limit();
  sender_limit(const sender_limit&) = delete;
  sender_limit& operator=(const sender_limit&) = delete;

  /// Zero: an attempt may go now. Else how long until it is worth asking again: nothing is reserved, so
  /// callers who ask together get the same wait, and the first to come back goes first.
  duration acquire(time_point now);

  /// An attempt ended, and not by being throttled.
  void succeeded(time_point now);

  /// An attempt was throttled: a fault of kind rate_limited or overloaded.
  void throttled(time_point now);

  /// Whether it holds anybody back: true from the first throttling on.
  bool enabled() const;

  /// Attempts per second that are let through, once enabled.
  double fill_rate() const;

  /// Attempts per second that ended of late.
  double measured_rate() const;

  /// Attempts that could go at this moment, fractions included, as of the last call that told the time.
  double capacity() const;

 private:
  class lock;

  time_point reach(time_point now) noexcept;
  void follow(double rate, time_point now) noexcept;

  sender_limit_options options_;
  detail::cubic_rate cubic_;
  detail::rate_meter meter_;
  detail::token_flow flow_;
  bool started_ = false;
  bool enabled_ = false;
  time_point latest_{};
  // Holds the mutex. Bytes, so that this header does not need <mutex>.
  alignas(16) mutable unsigned char mutex_[80];
};

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/sender_limit.ipp>  // IWYU pragma: export
#endif
