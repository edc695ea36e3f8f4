// SPDX-License-Identifier: Apache-2.0
// Where one key stands in one script, and which step its next request meets.
#pragma once

#include <cstdint>

#include "script.hpp"

namespace relent::testing::faults {

/// What begins before the next request is there: refuse and reset(before=head).
struct ahead {
  duration refuse = duration::zero();
  std::uint64_t resets = 0;  ///< connections to be reset before anything is read; `for_ever` for all

  static constexpr std::uint64_t for_ever = UINT64_MAX;
  bool any() const noexcept { return refuse > duration::zero() || resets > 0; }
  /// Both, one beside the other.
  void add(const ahead& other) noexcept;
};

/// A place in a script. A plain value; the script is handed in and must be the same one every time.
class walk {
 public:
  walk() = default;
  /// At the beginning of a script, or behind the steps that begin it ahead of any request.
  walk(const walk_script& script, std::uint64_t random_state, ahead& begun);

  /// The step that a request meets, which moves on: never a random one, null where the script is behind its end
  /// (the answer is 200 then). `begun` is what begins ahead of the next request. `refreshes` is how often credentials
  /// were refreshed so far.
  const step* next(const walk_script& script, std::uint64_t refreshes, ahead& begun);

 private:
  void advance(const walk_script& script) noexcept;
  ahead look_ahead(const walk_script& script);
  const step& choose(const step& random) noexcept;

  std::size_t at_ = 0;
  std::uint64_t done_ = 0;  ///< repeats of the step that are over
  std::uint64_t random_ = 0;
  std::uint64_t refreshes_seen_ = 0;  ///< when the 401-until-refresh was met
  bool waits_ = false;                ///< at a 401-until-refresh that a request has met
};

}  // namespace relent::testing::faults
