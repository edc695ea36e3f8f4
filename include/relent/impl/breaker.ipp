// SPDX-License-Identifier: Apache-2.0
// The breaker's states and what leads from one to the next. Counting is in breaker_window.ipp.
//
//   from       to         when
//   closed     open       a failure made `failures` of the last calls, or the ratio of the window
//   open       half_open  a call asks for a permit, and the open time is over
//   half_open  open       a probe failed: for longer than before
//   half_open  closed     `successes_to_close` probes succeeded
//   any        open       force_open
//   any        closed     force_closed
//
// Every change of state and every probe takes the next number. A permit carries the number of the closed
// state or of the probe it was given for; by that a result from before a change of state is known.
#pragma once

#include <relent/breaker.hpp>
#include <relent/impl/breaker_options.ipp>
#include <relent/impl/breaker_window.ipp>
#include <relent/optional.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <variant>

namespace relent {

struct breaker::core {
  // What each state needs. The counts of the closed state are below: they are changed without the lock.
  struct closed {};
  struct open {
    time_point until;
    duration next_open_for;  // of the opening after this one, if the breaker does not close between
  };
  struct half_open {
    duration next_open_for;
    std::uint32_t admitted = 0;
    std::uint32_t successes = 0;
    detail::probe_places places = {};
  };
  // What is known of the state without the lock.
  struct alignas(4) status {
    std::uint16_t number = 1;  // of the change that led here
    breaker::state state = breaker::state::closed;
    bool rated = false;  // failure_ratio is set
  };
  // An opening that wants its jitter yet.
  struct opening {
    std::uint16_t number;
    duration spread;
  };

  std::atomic<status> now_in{};
  detail::last_calls last_calls;
  std::atomic<duration::rep> open_until{0};  // open::until, for reading
  detail::forward_time time;
  detail::rate_window<10> window;
  std::atomic<std::uint64_t> refusals{0};
  std::atomic<std::uint32_t> openings{0};

  alignas(64) mutable std::mutex mutex;  // guards what follows, and every change of state
  std::variant<closed, open, half_open> state;
  std::uint16_t last_number = 1;
  breaker_options options;

  explicit core(const breaker_options& o) : window(o.window), options(o) {
    now_in.store({.rated = o.failure_ratio.has_value()}, std::memory_order_relaxed);
  }

  status where() const noexcept { return now_in.load(std::memory_order_acquire); }
  time_point opened_until() const noexcept {
    return time_point{duration{open_until.load(std::memory_order_relaxed)}};
  }

  /// Whether a permit can only be from before the change of state that led here.
  static bool is_late(permit p, status here) noexcept {
    switch (here.state) {
      case state::closed: return p.probe || p.generation != here.number;
      case state::open: return true;
      case state::half_open: return !p.probe;
    }
    return true;
  }

  // ---- everything below is called with the lock held ----

  void become(std::variant<closed, open, half_open> next) noexcept {
    state = next;
    if (std::holds_alternative<closed>(state)) {
      last_calls.clear();
      window.clear();
    }
    publish(++last_number);
  }

  void publish(std::uint16_t number) noexcept {
    if (const auto* o = std::get_if<open>(&state))
      open_until.store(o->until.time_since_epoch().count(), std::memory_order_relaxed);
    now_in.store({number, static_cast<breaker::state>(state.index()), options.failure_ratio.has_value()},
                 std::memory_order_release);
  }

  optional<permit> admit(time_point now) noexcept {
    now = time.advance(now);
    if (const auto* o = std::get_if<open>(&state); o != nullptr && now >= o->until)
      become(half_open{o->next_open_for});
    if (std::holds_alternative<closed>(state)) return permit{where().number, false};
    auto* half = std::get_if<half_open>(&state);
    if (half == nullptr || half->places.taken(now) >= permitted(*half)) return nullopt;
    ++half->admitted;
    half->places.take(++last_number, now, saturating_add(now, options.probe_timeout));
    return permit{last_number, true};
  }

  void succeed(permit p) noexcept {
    if (is_late(p, where())) return;
    auto* half = std::get_if<half_open>(&state);
    if (half == nullptr) return last_calls.add(false, remembered());
    if (!belongs(p, *half)) return;
    half->places.give_back(p.generation);
    if (++half->successes >= options.successes_to_close) become(closed{});
  }

  optional<opening> fail(permit p, time_point now) noexcept {
    if (is_late(p, where())) return nullopt;
    now = time.advance(now);
    if (const auto* half = std::get_if<half_open>(&state))
      return belongs(p, *half) ? optional<opening>(shut(now, half->next_open_for)) : nullopt;
    last_calls.add(true, remembered());
    if (options.failure_ratio) window.add(true, now);
    return is_enough(now) ? optional<opening>(shut(now, options.open_for)) : nullopt;
  }

  void abandon(permit p) noexcept {
    if (auto* half = std::get_if<half_open>(&state)) half->places.give_back(p.generation);
  }

  /// Whether the closed state's counts say that the dependency is down.
  bool is_enough(time_point now) const noexcept {
    if (options.failures && last_calls.failures() >= static_cast<int>(*options.failures)) return true;
    if (!options.failure_ratio) return false;
    const auto [calls, failures] = window.sum(now);
    return calls >= options.min_calls &&
           static_cast<double>(failures) / static_cast<double>(calls) >= *options.failure_ratio;
  }

  opening shut(time_point now, duration wanted) noexcept {
    const duration length = std::min(wanted, options.max_open_for);
    const auto nanoseconds = static_cast<double>(length.count());
    const duration longer =
        std::min(saturate(nanoseconds * options.open_for_multiplier), options.max_open_for);
    shut_until(saturating_add(now, length), longer);
    return {last_number, saturate(nanoseconds * options.open_for_jitter)};
  }

  void shut_until(time_point until, duration next_open_for) noexcept {
    if (!std::holds_alternative<open>(state)) openings.fetch_add(1, std::memory_order_relaxed);
    become(open{until, next_open_for});
  }

  void lengthen(std::uint16_t number, duration by) noexcept {
    auto* o = std::get_if<open>(&state);
    if (o == nullptr || number != where().number) return;
    o->until = saturating_add(o->until, by);
    publish(number);
  }

  /// How many probes may be in flight: twice as many after each success.
  std::uint32_t permitted(const half_open& half) const noexcept {
    const std::uint64_t ramped = std::uint64_t{options.probes} << std::min(half.successes, std::uint32_t{5});
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(ramped, detail::probe_places::capacity));
  }

  /// Whether the probe was admitted since the state became half-open. Its place may be another's by now.
  bool belongs(permit p, const half_open& half) const noexcept {
    const auto after = static_cast<std::uint16_t>(p.generation - where().number);
    return after >= 1 && after <= half.admitted;
  }

  /// How many calls the closed state remembers one by one.
  std::uint32_t remembered() const noexcept {
    return options.failures ? options.of_last.value_or(*options.failures) : 0;
  }

  /// The open time of the next opening.
  duration next_open_for() const noexcept {
    if (const auto* o = std::get_if<open>(&state)) return o->next_open_for;
    if (const auto* half = std::get_if<half_open>(&state)) return half->next_open_for;
    return options.open_for;
  }
};

RELENT_INLINE breaker::core& breaker::self() noexcept {
  return *std::launder(reinterpret_cast<core*>(core_));
}
RELENT_INLINE const breaker::core& breaker::self() const noexcept {
  return *std::launder(reinterpret_cast<const core*>(core_));
}

RELENT_INLINE breaker::breaker(const breaker_options& options) {
  static_assert(sizeof(core) <= core_size && alignof(core) <= core_alignment);
  static_assert(std::atomic<core::status>::is_always_lock_free);
  if (const problem_list found = relent::problems(options); !found.empty()) throw options_error(found);
  ::new (static_cast<void*>(core_)) core(options);
}

RELENT_INLINE breaker::~breaker() { self().~core(); }

RELENT_INLINE bool breaker::reads_time() const noexcept {
  const core::status here = self().where();
  return here.rated || here.state != state::closed;
}

RELENT_INLINE std::uint32_t breaker::try_admit(time_point now) noexcept {
  const core::status here = self().where();
  if (here.state == state::closed) return word_of({here.number, false});
  return try_admit_unless_closed(now);
}

RELENT_INLINE std::uint32_t breaker::try_admit_unless_closed(time_point now) noexcept {
  core& c = self();
  optional<permit> given;
  if (c.where().state != state::open || c.time.seen(now) >= c.opened_until()) {
    const std::lock_guard lock(c.mutex);
    given = c.admit(now);
  }
  if (given) return word_of(*given);
  c.refusals.fetch_add(1, std::memory_order_relaxed);
  return refused;
}

RELENT_INLINE void breaker::credit(std::uint32_t settled, time_point now) noexcept {
  core& c = self();
  const core::status here = c.where();
  const permit p = permit_of(settled);
  if (core::is_late(p, here)) return;
  if (here.state == state::closed) {
    if (here.rated) c.window.add(false, c.time.advance(now, c.window.step()));
    if (c.last_calls.clean()) return;
  }
  credit_under_lock(p);
}

RELENT_INLINE void breaker::credit_under_lock(permit settled) noexcept {
  core& c = self();
  const std::lock_guard lock(c.mutex);
  c.succeed(settled);
}

RELENT_INLINE void breaker::failed(permit settled, time_point now, random_ref random) noexcept {
  core& c = self();
  if (core::is_late(settled, c.where())) return;
  optional<core::opening> opened;
  {
    const std::lock_guard lock(c.mutex);
    opened = c.fail(settled, now);
  }
  if (!opened || opened->spread <= duration::zero()) return;
  const duration spread =
      uniform_below(random.next(), opened->spread);  // the caller's code: not under the lock
  const std::lock_guard lock(c.mutex);
  c.lengthen(opened->number, spread);
}

RELENT_INLINE void breaker::abandoned(permit settled, time_point) noexcept {
  core& c = self();
  if (!settled.probe || core::is_late(settled, c.where())) return;
  const std::lock_guard lock(c.mutex);
  c.abandon(settled);
}

RELENT_INLINE bool breaker::admits_by(time_point then) const noexcept {
  const core& c = self();
  if (c.where().state == state::closed) return true;
  const std::lock_guard lock(c.mutex);
  then = c.time.seen(then);
  if (const auto* o = std::get_if<core::open>(&c.state)) return then >= o->until;
  const auto* half = std::get_if<core::half_open>(&c.state);
  return half == nullptr || half->places.taken(then) < c.permitted(*half);
}

RELENT_INLINE breaker::state breaker::current(time_point now) const noexcept {
  const core& c = self();
  const state here = c.where().state;
  return here == state::open && c.time.seen(now) >= c.opened_until() ? state::half_open : here;
}

RELENT_INLINE optional<time_point> breaker::open_until() const noexcept {
  const core& c = self();
  if (c.where().state != state::open) return nullopt;
  return c.opened_until();
}

RELENT_INLINE std::uint64_t breaker::refusals() const noexcept {
  return self().refusals.load(std::memory_order_relaxed);
}

RELENT_INLINE std::uint32_t breaker::openings() const noexcept {
  return self().openings.load(std::memory_order_relaxed);
}

RELENT_INLINE void breaker::force_open(time_point now, duration how_long) noexcept {
  core& c = self();
  const std::lock_guard lock(c.mutex);
  const time_point until = saturating_add(c.time.advance(now), std::max(how_long, duration::zero()));
  c.shut_until(until, c.next_open_for());
}

RELENT_INLINE void breaker::force_closed() noexcept {
  core& c = self();
  const std::lock_guard lock(c.mutex);
  c.become(core::closed{});
}

RELENT_INLINE void breaker::reconfigure(const breaker_options& options) {
  if (const problem_list found = relent::problems(options); !found.empty()) throw options_error(found);
  core& c = self();
  const std::lock_guard lock(c.mutex);
  if (options.window != c.options.window) c.window.restart(options.window);
  c.options = options;
  c.publish(c.where().number);
}

}  // namespace relent
