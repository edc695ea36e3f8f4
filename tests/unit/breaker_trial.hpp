// SPDX-License-Identifier: Apache-2.0
// A breaker with a hand on its clock and on its luck, for the breaker's own tests.
#pragma once

#include <relent/breaker.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace relent::test {

/// Always draws the same: 0 is the least, ~0 the greatest.
struct fixed_draw {
  std::uint64_t bits = 0;
  std::uint64_t next() noexcept { return bits; }
};

struct breaker_trial {
  using permit = relent::breaker::permit;

  explicit breaker_trial(const breaker_options& options) : breaker(options) {}

  std::optional<permit> ask() { return breaker.admit(now); }
  permit take() {
    if (const auto given = ask()) return *given;
    throw std::logic_error("refused, though the test needs a permit");
  }
  void succeed(permit p) { breaker.succeeded(p, now); }
  void fail(permit p) { breaker.failed(p, now, draw); }
  void abandon(permit p) { breaker.abandoned(p, now); }

  /// Calls one after the other: S succeeds, F fails. A refused one is counted by the breaker and passed over.
  void play(std::string_view calls) {
    for (const char call : calls) {
      if (call != 'S' && call != 'F') continue;
      const auto given = ask();
      if (given && call == 'S') succeed(*given);
      if (given && call == 'F') fail(*given);
    }
  }

  /// Open, and its time is over.
  void wait_until_half_open() { now = breaker.open_until().value(); }

  std::string_view state() const { return to_string(breaker.current(now)); }

  relent::breaker breaker;
  time_point now{};
  fixed_draw draw;
};

}  // namespace relent::test
