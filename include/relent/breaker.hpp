// SPDX-License-Identifier: Apache-2.0
// The circuit breaker: stops calling a dependency that is clearly down, and finds out when it is back.
// Its states and what leads from one to the next are in impl/breaker.ipp. Which faults speak about health
// is said in fault.hpp; when the breaker is asked, in engine.hpp. Layer 1.
#pragma once

#include <relent/optional.hpp>
#include <relent/problem.hpp>
#include <relent/random.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace relent {

/// When a breaker opens, for how long, and how it closes again. Check with problems().
struct breaker_options {
  /// Opens when `failures` of the last `of_last` calls failed; absent: calls are not counted so.
  optional<std::uint32_t> failures = 5;
  /// Absent: `failures` in a row. At most 64.
  optional<std::uint32_t> of_last = nullopt;

  /// Opens also on the failure that makes failures / calls within `window` at least this.
  optional<double> failure_ratio = nullopt;
  /// Slides in ten steps; left idle for as long as itself it is empty again.
  duration window = detail::seconds(10);
  /// Fewer calls than this within `window` say nothing.
  std::uint32_t min_calls = 20;

  /// The first open time.
  duration open_for = detail::seconds(10);
  /// The open time is drawn from [t, t * (1 + this)), so that not all clients probe together; 0: none.
  double open_for_jitter = 0.2;
  /// Each re-opening is this much longer, until the breaker has closed.
  double open_for_multiplier = 2;
  /// The longest open time, before the jitter.
  duration max_open_for = detail::minutes(2);

  /// Half-open: at most so many in flight at first, and twice as many after each success (at most 32).
  std::uint32_t probes = 1;
  /// Half-open: after this many successes the breaker closes; one failure opens it again.
  std::uint32_t successes_to_close = 3;
  /// A probe that never reports gives its place back after this.
  duration probe_timeout = detail::seconds(30);

  friend constexpr bool operator==(const breaker_options&, const breaker_options&) = default;
};

/// What is wrong with the options, all of it; empty if nothing is. Fields are named "breaker.failures".
problem_list problems(const breaker_options& options) noexcept;

/// Refuses calls to a dependency that is clearly down. Thread-safe; neither copied nor moved.
/// Every permit that admit() hands out is settled once: succeeded, failed or abandoned. A result from
/// before a change of state is ignored. Where time runs backwards it counts as standing still.
/// While closed, admit() and a success that finds no failure to forget only read one or two atomics.
class breaker {
 public:
  enum class state : std::uint8_t {
    closed,     ///< calls pass
    open,       ///< calls are refused
    half_open,  ///< a few calls pass, to find out whether the dependency is back
  };

  /// Leave to make one attempt. A plain value of at most 4 bytes.
  struct permit {
    std::uint16_t generation = 0;  ///< the change of state, or the probe, that it belongs to
    bool probe = false;            ///< given while half-open
    friend constexpr bool operator==(permit, permit) noexcept = default;
  };

  /// Starts closed. Throws options_error if the options have problems.
  explicit breaker(const breaker_options& options);
  breaker(const breaker&) = delete;
  breaker& operator=(const breaker&) = delete;
  ~breaker();

  /// Whether `now` matters to admit(), succeeded() and abandoned(): the state is not closed, or
  /// failure_ratio is set. If not, any instant will do and no clock need be read. Thread-safe.
  bool reads_time() const noexcept;

  /// A permit for one attempt, or nothing: refused. Thread-safe.
  optional<permit> admit(time_point now) noexcept {
    const std::uint32_t word = try_admit(now);
    if (word == refused) return nullopt;
    return permit_of(word);
  }
  /// The same as admit(); false: refused, and `granted` is left as it was. Thread-safe.
  bool admits(time_point now, permit& granted) noexcept {
    const std::uint32_t word = try_admit(now);
    if (word == refused) return false;
    granted = permit_of(word);
    return true;
  }

  /// The attempt succeeded, or failed in a way that proves the dependency healthy. Thread-safe.
  void succeeded(permit settled, time_point now) noexcept { credit(word_of(settled), now); }

  /// The attempt failed in a way that speaks against the dependency's health. Draws one random number
  /// if that opens the breaker and there is jitter. Thread-safe.
  void failed(permit settled, time_point now, random_ref random) noexcept;

  /// The attempt says nothing about the dependency's health (cancelled, never started). Thread-safe.
  void abandoned(permit settled, time_point now) noexcept;

  /// What admit(then) would answer if nothing happened until then; takes nothing. Thread-safe.
  bool admits_by(time_point then) const noexcept;

  /// The state at `now`; an open breaker whose time is over reads as half_open. Thread-safe.
  state current(time_point now) const noexcept;

  /// When the open time ends; nothing unless open. Thread-safe.
  optional<time_point> open_until() const noexcept;

  /// How many calls were refused so far. Thread-safe.
  std::uint64_t refusals() const noexcept;

  /// How often it has opened so far, by force included. Thread-safe.
  std::uint32_t openings() const noexcept;

  /// Opens for exactly `how_long` from `now` on (a negative length counts as zero), then half-opens as
  /// usual. Thread-safe.
  void force_open(time_point now, duration how_long) noexcept;

  /// Closes, with every count at zero. Thread-safe.
  void force_closed() noexcept;

  /// New options from now on. State, counts and a running open time stay; the window starts anew if its
  /// length changes. Throws options_error, and changes nothing, if the options have problems. Thread-safe.
  void reconfigure(const breaker_options& options);

 private:
  // A permit in one register, the generation lowest. As a struct it would go through memory on its way
  // to compiled code and back, which takes longer than all the rest.
  static constexpr std::uint32_t refused = 0;
  static constexpr std::uint32_t probe_bit = 1U << 16U;
  static constexpr std::uint32_t given_bit = 1U << 17U;
  static constexpr std::uint32_t word_of(permit p) noexcept {
    return given_bit | (p.probe ? probe_bit : 0U) | p.generation;
  }
  static constexpr permit permit_of(std::uint32_t word) noexcept {
    return {static_cast<std::uint16_t>(word & 0xffffU), (word & probe_bit) != 0};
  }
  std::uint32_t try_admit(time_point now) noexcept;
  std::uint32_t try_admit_unless_closed(time_point now) noexcept;
  void credit(std::uint32_t settled, time_point now) noexcept;
  void credit_under_lock(permit settled) noexcept;

  struct core;  // defined in impl/breaker.ipp, so that <atomic>, <mutex> and <variant> stay there
  core& self() noexcept;
  const core& self() const noexcept;

  static constexpr std::size_t core_size = 1024;
  static constexpr std::size_t core_alignment = 64;
  alignas(core_alignment) std::byte core_[core_size];
};
static_assert(sizeof(breaker::permit) <= 4 && std::is_trivially_copyable_v<breaker::permit>);

/// "closed", "open" or "half_open".
constexpr std::string_view to_string(breaker::state state) noexcept {
  switch (state) {
    case breaker::state::closed: return "closed";
    case breaker::state::open: return "open";
    case breaker::state::half_open: return "half_open";
  }
  return "closed";
}

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/breaker.ipp>  // IWYU pragma: export
#endif
