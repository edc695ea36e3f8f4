// SPDX-License-Identifier: Apache-2.0
// The saturating arithmetic under the ceilings of backoff.hpp: products, powers, Fibonacci, straight lines.
// Included by it in both modes, for all of it is constexpr. Layer 1.
#pragma once

#include <relent/random.hpp>
#include <relent/time.hpp>

#include <cstdint>

namespace relent::detail {

constexpr duration lesser(duration a, duration b) noexcept { return b < a ? b : a; }

/// length x factor for length >= 0, at most max_duration.
constexpr duration multiply(duration length, std::uint64_t factor) noexcept {
  const auto count = static_cast<std::uint64_t>(length.count());
  const std::uint64_t low = count * factor;
  if (multiply_high(count, factor) != 0 || low > static_cast<std::uint64_t>(max_duration.count()))
    return max_duration;
  return duration{static_cast<duration::rep>(low)};
}

/// length x factor for length and factor >= 0, rounded to the nanosecond, at most max_duration.
/// Exact for whole factors.
constexpr duration multiply(duration length, double factor) noexcept {
  if (factor < 0x1p63) {
    const auto whole = static_cast<std::uint64_t>(factor);
    if (static_cast<double>(whole) == factor) return multiply(length, whole);
  }
  const double product = static_cast<double>(length.count()) * factor;
  const duration below = saturate(product);
  const bool round_up = product < 0x1p52 && product >= static_cast<double>(below.count()) + 0.5;
  return round_up ? below + duration{1} : below;
}

/// x^n for x >= 1 by squaring; what exceeds 2^64 becomes 2^64, so nothing overflows.
constexpr double limited_power(double x, std::uint32_t n) noexcept {
  constexpr double limit = 0x1p64;
  if (x > limit) x = limit;
  double result = 1;
  for (; n != 0; n >>= 1U) {
    if ((n & 1U) != 0) result = result * x > limit ? limit : result * x;
    x = x * x > limit ? limit : x * x;
  }
  return result;
}

/// The n-th of 1, 2, 3, 5, 8, ...; from the 91st on the same, which is beyond any use.
constexpr std::uint64_t fibonacci(std::uint32_t n) noexcept {
  std::uint64_t current = 1;
  std::uint64_t next = 2;
  for (std::uint32_t i = 1; i < n && i < 91; ++i) {
    const std::uint64_t sum = current + next;
    current = next;
    next = sum;
  }
  return current;
}

/// base + steps x increment, between zero and max_duration; base must not be negative.
constexpr duration linear(duration base, duration increment, std::uint32_t steps) noexcept {
  if (increment >= duration::zero()) return saturating_add(base, multiply(increment, std::uint64_t{steps}));
  const duration down = increment == duration::min() ? max_duration : -increment;
  const duration fall = multiply(down, std::uint64_t{steps});
  return fall >= base ? duration::zero() : base - fall;
}

constexpr duration at_least_zero(duration length) noexcept {
  return length < duration::zero() ? duration::zero() : length;
}

}  // namespace relent::detail
