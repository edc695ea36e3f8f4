// SPDX-License-Identifier: Apache-2.0
// Laws of the arithmetic on time, against the same in 128 bits.
#include <relent/random.hpp>
#include <relent/time.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using relent::duration;
using relent::end_of_time;
using relent::max_duration;
using relent::time_point;

__extension__ using wide = __int128;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

// RapidCheck's own integers are small; overflow happens near the ends of the range.
rc::Gen<std::int64_t> anywhere() {
  return rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange<std::int64_t>(most - 1000, most),
                        rc::gen::inRange<std::int64_t>(least, least + 1000),
                        rc::gen::inRange<std::int64_t>(least, most),
                        rc::gen::element(most, least, std::int64_t{0}));
}

duration a_length() {
  const std::int64_t n = *anywhere();
  return duration{n < 0 ? -(n + 1) : n};
}

time_point an_instant() { return time_point{duration{*anywhere()}}; }

wide of(duration d) { return d.count(); }
wide of(time_point t) { return t.time_since_epoch().count(); }

RC_GTEST_PROP(time_law, sum_of_lengths_is_exact_or_the_longest, ()) {
  const duration a = a_length();
  const duration b = a_length();
  RC_ASSERT(of(relent::saturating_add(a, b)) == std::min(of(a) + of(b), of(max_duration)));
}

RC_GTEST_PROP(time_law, instant_later_by_a_length_is_exact_or_the_end_of_time, ()) {
  const time_point from = an_instant();
  const duration length = a_length();
  RC_ASSERT(of(relent::saturating_add(from, length)) == std::min(of(from) + of(length), of(end_of_time)));
}

RC_GTEST_PROP(time_law, time_between_instants_is_exact_within_zero_and_the_longest, ()) {
  const time_point from = an_instant();
  const time_point to = an_instant();
  const wide exact = std::clamp(of(to) - of(from), wide{0}, of(max_duration));
  RC_ASSERT(of(relent::time_between(from, to)) == exact);
}

RC_GTEST_PROP(time_law, what_lies_between_leads_from_one_instant_to_the_other, ()) {
  const time_point from = an_instant();
  const time_point to = an_instant();
  const duration gap = relent::time_between(from, to);
  RC_PRE(to >= from && gap < max_duration);
  RC_ASSERT(relent::saturating_add(from, gap) == to);
}

RC_GTEST_PROP(time_law, saturate_is_the_whole_part_within_zero_and_the_longest, ()) {
  const double sign = *rc::gen::element(1.0, -1.0);
  const double x = sign * std::ldexp(1.0 + relent::uniform_unit(*rc::gen::arbitrary<std::uint64_t>()),
                                     *rc::gen::inRange(-10, 80));
  const duration got = relent::saturate(x);
  if (x <= 0)
    RC_ASSERT(got == duration::zero());
  else if (x >= 0x1p63)
    RC_ASSERT(got == max_duration);
  else
    RC_ASSERT(static_cast<double>(got.count()) == std::floor(x));
}

RC_GTEST_PROP(time_law, saturate_never_shrinks_as_its_argument_grows, ()) {
  const double a =
      std::ldexp(relent::uniform_unit(*rc::gen::arbitrary<std::uint64_t>()), *rc::gen::inRange(0, 70));
  const double b =
      std::ldexp(relent::uniform_unit(*rc::gen::arbitrary<std::uint64_t>()), *rc::gen::inRange(0, 70));
  RC_ASSERT(relent::saturate(std::min(a, b)) <= relent::saturate(std::max(a, b)));
}

RC_GTEST_PROP(time_law, draw_below_a_ceiling_is_the_exact_product, ()) {
  const std::uint64_t bits = *rc::gen::arbitrary<std::uint64_t>();
  const duration ceiling = a_length();
  __extension__ using unsigned_wide = unsigned __int128;
  const auto product = static_cast<unsigned_wide>(bits) * static_cast<std::uint64_t>(ceiling.count());
  RC_ASSERT(of(relent::uniform_below(bits, ceiling)) == static_cast<wide>(product >> 64U));
}

}  // namespace
