// SPDX-License-Identifier: Apache-2.0
// Randomness for tests: the draws are written down.
#pragma once

#include <relent/random.hpp>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace relent::testing {

/// Gives the draws in order, then begins again. One thread at a time.
class scripted_random {
 public:
  /// Each draw is the uniform number in [0, 1) that a formula is to see; 1 stands for the greatest below it.
  scripted_random(std::initializer_list<double> draws) {
    if (draws.size() == 0) throw std::invalid_argument("scripted_random: give at least one draw");
    for (const double u : draws) bits_.push_back(bits_of(u));
  }
  explicit scripted_random(double every_draw) : scripted_random({every_draw}) {}

  std::uint64_t next() noexcept { return bits_[used_++ % bits_.size()]; }

  /// How many draws were taken.
  std::uint64_t used() const noexcept { return used_; }

 private:
  static std::uint64_t bits_of(double u) {
    if (!(u >= 0 && u <= 1)) throw std::invalid_argument("scripted_random: a draw lies between 0 and 1");
    return u == 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(u * 0x1.0p64);
  }

  std::vector<std::uint64_t> bits_;
  std::uint64_t used_ = 0;
};

}  // namespace relent::testing
