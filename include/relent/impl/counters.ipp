// SPDX-License-Identifier: Apache-2.0
// The stripes of the counters.
#pragma once

#include <relent/counters.hpp>

#include <array>
#include <atomic>
#include <cstddef>

namespace relent {
namespace detail {

using count = std::atomic<std::uint64_t>;

struct alignas(64) counter_stripe {
  std::array<count, counter_values::attempt_buckets> succeeded_on{};
  std::array<count, stop_reason_count> stopped{};
  std::array<count, fault_kind_count> faults{};
  count retries{};
};

struct counter_stripes {
  static constexpr std::size_t size = 16;  // a power of two
  counter_stripe stripe[size];
};

/// Threads are numbered as they come, so that up to 16 of them never share a stripe.
RELENT_INLINE std::size_t this_thread_stripe() noexcept {
  static constinit std::atomic<std::size_t> next{0};
  static thread_local constinit std::size_t mine = counter_stripes::size;  // not numbered yet
  if (mine == counter_stripes::size) [[unlikely]]
    mine = next.fetch_add(1, std::memory_order_relaxed) % counter_stripes::size;
  return mine;
}

RELENT_INLINE void increment(count& c) noexcept { c.fetch_add(1, std::memory_order_relaxed); }

template <std::size_t Size>
void add_to(std::uint64_t (&sum)[Size], const std::array<count, Size>& part) noexcept {
  for (std::size_t i = 0; i < Size; ++i) sum[i] += part[i].load(std::memory_order_relaxed);
}

}  // namespace detail

RELENT_INLINE counters::counters() : stripes_(new detail::counter_stripes) {}
RELENT_INLINE counters::~counters() { delete stripes_; }

RELENT_INLINE void counters::succeeded(std::uint32_t attempt) noexcept {
  auto& by_attempt = stripes_->stripe[detail::this_thread_stripe()].succeeded_on;
  const std::size_t last = by_attempt.size() - 1;
  detail::increment(by_attempt[attempt - 1 < last ? attempt - 1 : last]);
}

RELENT_INLINE void counters::attempt_failed(fault_kind kind) noexcept {
  detail::increment(stripes_->stripe[detail::this_thread_stripe()].faults[static_cast<std::size_t>(kind)]);
}

RELENT_INLINE void counters::retried() noexcept {
  detail::increment(stripes_->stripe[detail::this_thread_stripe()].retries);
}

RELENT_INLINE void counters::stopped(stop_reason reason) noexcept {
  detail::increment(stripes_->stripe[detail::this_thread_stripe()].stopped[static_cast<std::size_t>(reason)]);
}

RELENT_INLINE counter_values counters::read() const noexcept {
  counter_values sum;
  for (const detail::counter_stripe& part : stripes_->stripe) {
    detail::add_to(sum.succeeded_on, part.succeeded_on);
    detail::add_to(sum.stopped, part.stopped);
    detail::add_to(sum.faults, part.faults);
    sum.retries += part.retries.load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace relent
