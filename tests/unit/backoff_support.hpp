// SPDX-License-Identifier: Apache-2.0
// What the tests of backoff share: a draw that is always the same, a comparison to within a tolerance,
// and the name of a table's row.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <relent/time.hpp>
#include <string>

namespace relent::test {

/// A source that always gives the same u in [0, 1]; 1 stands for the greatest draw there is.
struct pinned {
  explicit constexpr pinned(double u) : bits(u >= 1 ? ~std::uint64_t{0} : to_bits(u)) {}
  static constexpr std::uint64_t to_bits(double u) { return static_cast<std::uint64_t>(u * 0x1p64); }
  constexpr std::uint64_t next() {
    ++draws;
    return bits;
  }
  std::uint64_t bits;
  int draws = 0;
};

inline duration seconds(double count) { return duration{std::llround(count * 1e9)}; }

inline void expect_within(duration actual, duration expected, duration tolerance, const std::string& where) {
  EXPECT_LE(actual > expected ? actual - expected : expected - actual, tolerance)
      << where << ": " << actual.count() << " ns instead of " << expected.count() << " ns";
}

template <class Row>
std::string id_of(const testing::TestParamInfo<Row>& info) {
  return info.param.id;
}

}  // namespace relent::test
