// SPDX-License-Identifier: Apache-2.0
// The curve of decorrelated jitter V2, f(t) = 2^t x tanh(sqrt(4 t)), without the mathematics library, so
// that compiler, library and platform make no difference. Included by backoff.hpp in both modes, for all
// of it is constexpr. No addition here takes an inexact product as an operand: a compiler that fuses
// multiply and add then still rounds alike. Layer 1.
#pragma once

#include <cstdint>

namespace relent::detail {

/// std::bit_cast without the rest of <bit>, which every include of the core would pay for.
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

/// 2^n for n from 0 to 1023.
constexpr double power_of_two(std::uint32_t n) noexcept {
  return bit_cast<double>(std::uint64_t{n + 1023U} << 52U);
}

/// The square root of x >= 0, by Newton's method from half the exponent.
constexpr double square_root(double x) noexcept {
  if (!(x > 0)) return 0;
  constexpr std::uint64_t half_bias = std::uint64_t{1023} << 51U;
  auto root = bit_cast<double>((bit_cast<std::uint64_t>(x) >> 1U) + half_bias);
  for (int i = 0; i < 5; ++i) root = 0.5 * (root + x / root);
  return root;
}

/// e^x - 1 for x in [0, 1], by its series.
constexpr double exp_minus_one(double x) noexcept {
  double sum = x;
  double term = x;
  for (int k = 2; k <= 20; ++k) {
    term = term * x / k;
    sum += term;
  }
  return sum;
}

/// e^-x for x in [1, 64): the series for a small part of x, then squared back up.
constexpr double exp_of_minus(double x) noexcept {
  int halvings = 0;
  while (x > 0.5) {
    x *= 0.5;
    ++halvings;
  }
  double power = 1 + exp_minus_one(x);
  for (; halvings > 0; --halvings) power *= power;
  return 1 / power;
}

/// tanh(y / 2) for y >= 0.
constexpr double tanh_of_half(double y) noexcept {
  if (y >= 44) return 1;  // within half a unit in the last place
  if (y < 1) {
    const double e = exp_minus_one(y);
    return e / (e + 2);
  }
  const double q = exp_of_minus(y);
  return (1 - q) / (1 + q);
}

/// f(whole + part) for whole from 0 to 1023 and part in [0, 1).
constexpr double v2_curve(std::uint32_t whole, double part) noexcept {
  constexpr double log2_of_e = 1.44269504088896340735992468100;
  const double t = static_cast<double>(whole) + part;
  const double mantissa = (1 + exp_minus_one(part / log2_of_e)) * tanh_of_half(4 * square_root(t));
  return mantissa * power_of_two(whole);
}

}  // namespace relent::detail
