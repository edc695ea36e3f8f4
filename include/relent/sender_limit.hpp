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
  duration time_bucket = detail::milliseconds(500);  ///< what the rate is measured over, from 1 ms to 60 s
  double min_rate = 0.5;    ///< attempts per second that the limit always lets through, above 0
  double min_capacity = 1;  ///< attempts that may go at once after a pause, at least 1

  friend constexpr bool operator==(const sender_limit_options&,
                                   const sender_limit_options&) noexcept = default;
};

/// Every rule that the options break, by field; empty if a limit can be made from them.
problem_list problems(const sender_limit_options& options) noexcept;

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
  struct core;  // defined in impl/sender_limit.ipp, so that <mutex> stays there
  core* core_;
};

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/sender_limit.ipp>  // IWYU pragma: export
#endif
