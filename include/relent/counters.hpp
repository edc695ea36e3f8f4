// SPDX-License-Identifier: Apache-2.0
// What a dependency counts about its calls, readable at any time. Layer 1.
#pragma once

#include <relent/event.hpp>
#include <relent/fault.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cstddef>
#include <cstdint>

namespace relent {

/// A reading of the counters. Each number is exact; numbers read while calls run may be a call apart.
struct counter_values {
  static constexpr std::size_t attempt_buckets = 16;

  /// succeeded_on[n-1]: calls that succeeded on attempt n; the last entry holds that attempt and all later ones.
  std::uint64_t succeeded_on[attempt_buckets]{};
  /// Calls that ended without success, by stop_reason.
  std::uint64_t stopped[stop_reason_count]{};
  /// Failed attempts, by fault_kind.
  std::uint64_t faults[fault_kind_count]{};
  /// Attempts after the first.
  std::uint64_t retries = 0;

  constexpr std::uint64_t first_try() const noexcept { return succeeded_on[0]; }
  constexpr std::uint64_t after_retry() const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < attempt_buckets; ++i) sum += succeeded_on[i];
    return sum;
  }
  constexpr std::uint64_t stopped_for(stop_reason reason) const noexcept {
    return stopped[static_cast<std::size_t>(reason)];
  }
  constexpr std::uint64_t faults_of(fault_kind kind) const noexcept {
    return faults[static_cast<std::size_t>(kind)];
  }
  /// Calls that ended.
  constexpr std::uint64_t calls() const noexcept {
    std::uint64_t sum = first_try() + after_retry();
    for (const std::uint64_t n : stopped) sum += n;
    return sum;
  }
  /// Attempts that ended.
  constexpr std::uint64_t attempts() const noexcept {
    std::uint64_t sum = first_try() + after_retry();
    for (const std::uint64_t n : faults) sum += n;
    return sum;
  }
};

namespace detail {
struct counter_stripes;
}

/// Counts without contention: threads are spread over stripes, each on cache lines of its own, so that a
/// success costs one uncontended increment. Thread-safe.
class counters {
 public:
  counters();
  ~counters();
  counters(const counters&) = delete;
  counters& operator=(const counters&) = delete;

  void succeeded(std::uint32_t attempt) noexcept;
  void attempt_failed(fault_kind kind) noexcept;
  void retried() noexcept;
  void stopped(stop_reason reason) noexcept;

  counter_values read() const noexcept;

 private:
  detail::counter_stripes* stripes_;
};

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/counters.ipp>  // IWYU pragma: export
#endif
