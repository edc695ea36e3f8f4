// SPDX-License-Identifier: Apache-2.0
// How long to wait before a retry: the options, what is wrong with them, the ceiling of a retry and the
// wait drawn below it. Integer draws, no mathematics library, all constexpr: one seed gives one series on
// every platform. What a server asked for, deadlines and budgets are not here (engine.hpp). Layer 1.
#pragma once

#include <relent/delay_list.hpp>
#include <relent/impl/backoff_arithmetic.ipp>
#include <relent/impl/backoff_v2.ipp>
#include <relent/optional.hpp>
#include <relent/problem.hpp>
#include <relent/random.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace relent {

/// How the wait is drawn; u is uniform in [0, 1), one draw a wait.
enum class jitter : std::uint8_t {
  none,             ///< the ceiling itself: everyone comes back together
  full,             ///< u x ceiling
  equal,            ///< ceiling/2 + u x ceiling/2
  decorrelated,     ///< uniform from base up to the lesser of cap and 3 x the wait before, at first 3 x base
  decorrelated_v2,  ///< Polly's smooth curve; cut at the cap after the draw, so long calls end up on the cap
  ratio,            ///< ceiling x [1 - r, 1 + r), the ceiling kept low enough to stay below the cap
};
inline constexpr int jitter_count = 6;

/// How the ceiling grows from retry to retry. The two decorrelated jitters have a growth of their own.
enum class growth : std::uint8_t {
  exponential,  ///< base, base x multiplier, base x multiplier^2, ...
  constant,     ///< base, base, base, ...
  linear,       ///< base, base + increment, base + 2 x increment, ...; never below zero
  fibonacci,    ///< base x 1, 2, 3, 5, 8, ...
  list,         ///< the delays as written, the last one repeated
};
inline constexpr int growth_count = 5;

/// The waits between the attempts of a call. Check with problems(); without that every wait still lies
/// between zero and the cap.
struct backoff_options {
  duration base = detail::milliseconds(100);  ///< the ceiling of retry 1; zero is allowed
  duration cap = detail::seconds(10);         ///< no wait is longer
  double multiplier = 2;                      ///< growth::exponential; at least 1
  relent::jitter jitter = relent::jitter::full;
  relent::growth growth = relent::growth::exponential;
  optional<duration> increment = nullopt;  ///< growth::linear; may be negative; absent: base
  double jitter_ratio = 0.2;               ///< jitter::ratio; from 0 to 1
  delay_list delays = {};                  ///< growth::list
  /// Takes the place of base after a fault that was rate_limited or overloaded, as AWS does (there 1 s
  /// against 50 ms); the exponent counts all retries alike.
  optional<duration> rate_limited_base = nullopt;

  friend constexpr bool operator==(const backoff_options&, const backoff_options&) = default;
};

/// What one call remembers between its waits; zero-initialised before the first. Never shared by two calls.
struct backoff_memory {
  std::int64_t bits = 0;
};

namespace detail {

/// The longest of the delays; zero without any.
constexpr duration longest_of(const delay_list& delays) noexcept {
  duration longest{};
  for (const duration delay : delays) longest = delay > longest ? delay : longest;
  return longest;
}

constexpr bool has_own_growth(jitter kind) noexcept {
  return kind == jitter::decorrelated || kind == jitter::decorrelated_v2;
}

/// The base that counts for this retry.
constexpr duration base_of(const backoff_options& options, bool rate_limited) noexcept {
  return at_least_zero(rate_limited && options.rate_limited_base ? *options.rate_limited_base : options.base);
}

/// The ceiling before the cap.
constexpr duration uncapped(const backoff_options& options, std::uint32_t retry, duration base) noexcept {
  const std::uint32_t steps = retry == 0 ? 0 : retry - 1;
  switch (options.growth) {
    case growth::exponential: return multiply(base, limited_power(options.multiplier, steps));
    case growth::constant: return base;
    case growth::linear: return linear(base, options.increment.value_or(base), steps);
    case growth::fibonacci: return multiply(base, fibonacci(retry));
    case growth::list: {
      const std::size_t size = options.delays.size();
      if (size == 0) return base;
      return at_least_zero(options.delays[steps < size ? steps : size - 1]);
    }
  }
  return base;
}

/// Uniform between base and the lesser of cap and three times the wait before. The cap comes before the
/// draw here as elsewhere: cut off afterwards, two waits of three would be exactly the cap.
constexpr duration decorrelated_wait(duration base, duration cap, backoff_memory& memory,
                                     std::uint64_t random_bits) noexcept {
  const duration lower = lesser(base, cap);
  const duration previous = duration{memory.bits} > base ? duration{memory.bits} : base;
  const duration upper = lesser(multiply(previous, std::uint64_t{3}), cap);
  const duration wait = lower + uniform_below(random_bits, upper - lower);
  memory.bits = wait.count();
  return wait;
}

/// (f(t) - previous f) / 1.4 x base for t = retry - 1 + u, then the cap (Polly, DecorrelatedJitterBackoffV2).
constexpr duration v2_wait(std::uint32_t retry, duration base, duration cap, backoff_memory& memory,
                           std::uint64_t random_bits) noexcept {
  constexpr std::uint32_t last = 900;  // any cap is far below the curve by then, and the curve still finite
  const std::uint32_t whole = retry == 0 ? 0 : retry - 1;
  if (whole > last) return base == duration::zero() ? base : cap;
  const double value = v2_curve(whole, uniform_unit(random_bits));
  const double step = value - detail::bit_cast<double>(memory.bits);
  memory.bits = detail::bit_cast<std::int64_t>(value);
  return lesser(saturate(step / 1.4 * static_cast<double>(base.count())), cap);
}

/// Uniform in limit x [1 - ratio, 1 + ratio), where the limit is the ceiling or, if less, cap / (1 + ratio):
/// cut off at the cap afterwards, half of all late waits would be exactly the cap.
constexpr duration ratio_wait(duration ceiling, duration cap, double ratio,
                              std::uint64_t random_bits) noexcept {
  const double spread = ratio >= 0 ? (ratio <= 1 ? ratio : 1) : 0;
  const duration middle = lesser(ceiling, multiply(cap, 1 / (1 + spread)));
  const duration lower = lesser(multiply(middle, 1 - spread), middle);  // rounding never lifts it
  const duration upper = lesser(multiply(middle, 1 + spread), cap);
  return lower + uniform_below(random_bits, upper - lower);
}

}  // namespace detail

/// Every rule that the options break, under names that begin with "backoff.". An option that would be
/// silently ignored is a problem as well.
constexpr problem_list problems(const backoff_options& options) noexcept {
  problem_list found;
  const bool is_list = options.growth == growth::list;
  const duration zero = duration::zero();
  found.require(options.base >= zero, "backoff.base", "must not be negative");
  found.require(options.cap >= zero, "backoff.cap", "must not be negative");
  if (is_list)
    found.require(options.cap >= detail::longest_of(options.delays), "backoff.cap",
                  "must not be below the longest of the delays");
  else
    found.require(options.cap < zero || options.cap >= options.base, "backoff.cap", "must not be below base");
  found.require(options.multiplier >= 1 && options.multiplier <= 0x1.fffffffffffffp1023, "backoff.multiplier",
                "must be a finite number of at least 1");
  found.require(options.growth == growth::exponential || !detail::has_own_growth(options.jitter),
                "backoff.growth", "must be exponential with a decorrelated jitter, which grows by itself");
  found.require(options.growth == growth::linear || !options.increment, "backoff.increment",
                "must be absent unless growth is linear");
  found.require(options.jitter_ratio >= 0 && options.jitter_ratio <= 1, "backoff.jitter_ratio",
                "must be between 0 and 1");
  found.require(is_list || options.delays.empty(), "backoff.delays", "must be absent unless growth is list");
  found.require(!is_list || !options.delays.empty(), "backoff.delays", "must not be empty if growth is list");
  found.require(!options.delays.too_long(), "backoff.delays", "must be at most 16");
  for (const duration delay : options.delays)
    if (delay < zero) {
      found.add("backoff.delays", "must not be negative");
      break;
    }
  if (options.rate_limited_base) {
    found.require(*options.rate_limited_base >= zero, "backoff.rate_limited_base", "must not be negative");
    found.require(*options.rate_limited_base <= options.cap, "backoff.rate_limited_base",
                  "must not be above cap");
    found.require(!is_list, "backoff.rate_limited_base", "must be absent if growth is list");
  }
  return found;
}

/// The ceiling of retry 1, 2, ...: what the growth gives, between zero and the cap, saturating for every
/// retry up to 2^32 - 1. `rate_limited` says that the fault before was rate_limited or overloaded.
constexpr duration ceiling(const backoff_options& options, std::uint32_t retry,
                           bool rate_limited = false) noexcept {
  const duration cap = detail::at_least_zero(options.cap);
  return detail::lesser(detail::uncapped(options, retry, detail::base_of(options, rate_limited)), cap);
}

/// The wait before retry 1, 2, ..., between zero and the cap. Draws once, or not at all without jitter.
/// `memory` belongs to the call. One thread at a time.
template <random_source Random>
constexpr duration next_wait(const backoff_options& options, std::uint32_t retry, backoff_memory& memory,
                             Random& random, bool rate_limited = false) {
  const duration limit = ceiling(options, retry, rate_limited);
  if (options.jitter == jitter::none) return limit;
  const std::uint64_t bits = random.next();
  const duration cap = detail::at_least_zero(options.cap);
  switch (options.jitter) {
    case jitter::none: return limit;
    case jitter::full: return uniform_below(bits, limit);
    case jitter::equal: return limit / 2 + uniform_below(bits, limit - limit / 2);
    case jitter::decorrelated:
      return detail::decorrelated_wait(detail::base_of(options, rate_limited), cap, memory, bits);
    case jitter::decorrelated_v2:
      return detail::v2_wait(retry, detail::base_of(options, rate_limited), cap, memory, bits);
    case jitter::ratio: return detail::ratio_wait(limit, cap, options.jitter_ratio, bits);
  }
  return limit;
}

/// The name as it stands in policy files and flags: "decorrelated_v2".
constexpr std::string_view to_string(jitter kind) noexcept {
  switch (kind) {
    case jitter::none: return "none";
    case jitter::full: return "full";
    case jitter::equal: return "equal";
    case jitter::decorrelated: return "decorrelated";
    case jitter::decorrelated_v2: return "decorrelated_v2";
    case jitter::ratio: return "ratio";
  }
  return "none";
}

/// The name as it stands in policy files and flags: "fibonacci".
constexpr std::string_view to_string(growth kind) noexcept {
  switch (kind) {
    case growth::exponential: return "exponential";
    case growth::constant: return "constant";
    case growth::linear: return "linear";
    case growth::fibonacci: return "fibonacci";
    case growth::list: return "list";
  }
  return "exponential";
}

/// The jitter of that name, or nothing. Thread-safe.
optional<jitter> jitter_from(std::string_view name) noexcept;

/// The growth of that name, or nothing. Thread-safe.
optional<growth> growth_from(std::string_view name) noexcept;

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/backoff.ipp>  // IWYU pragma: export
#endif
