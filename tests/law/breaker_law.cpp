// SPDX-License-Identifier: Apache-2.0
// Laws of the breaker under random options and random lists of what can happen to it.
#include <unit/breaker_trial.hpp>

#include <relent/impl/breaker_window.ipp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::breaker;
using relent::breaker_options;
using relent::duration;
using relent::time_point;
using relent::test::breaker_trial;

duration milliseconds_in(int from, int below) {
  return std::chrono::milliseconds{*rc::gen::inRange(from, below)};
}
std::uint32_t count_in(std::uint32_t from, std::uint32_t below) { return *rc::gen::inRange(from, below); }

breaker_options any_options() {
  breaker_options options;
  options.failures = count_in(1, 5);
  if (*rc::gen::arbitrary<bool>()) options.of_last = *options.failures + count_in(0, 5);
  if (*rc::gen::arbitrary<bool>()) {
    options.failure_ratio = *rc::gen::inRange(1, 11) / 10.0;
    if (*rc::gen::arbitrary<bool>()) options.failures = options.of_last = std::nullopt;
  }
  options.window = milliseconds_in(100, 10'000);
  options.min_calls = count_in(1, 6);
  options.open_for = milliseconds_in(1, 2'000);
  options.open_for_jitter = *rc::gen::inRange(0, 11) / 10.0;
  options.open_for_multiplier = 1 + *rc::gen::inRange(0, 21) / 10.0;
  options.max_open_for = options.open_for + milliseconds_in(0, 20'000);
  options.probes = count_in(1, 5);
  options.successes_to_close = count_in(1, 8);
  options.probe_timeout = milliseconds_in(1, 3'000);
  return options;
}

// What can happen: `kind` says what, `which` chooses among the calls in hand, `pause` passes before.
struct happening {
  enum { ask, succeed, fail, abandon, forget, force_open, force_closed, kinds };
  int kind;
  std::size_t which;
  duration pause;
};

// A failure finds the list shrunk to what matters.
std::ostream& operator<<(std::ostream& out, const happening& h) {
  static constexpr const char* names[] = {"ask",    "succeed",    "fail",        "abandon",
                                          "forget", "force_open", "force_closed"};
  return out << names[h.kind] << ' ' << h.which << " after " << h.pause.count() << "ns";
}

rc::Gen<std::vector<happening>> any_history() {
  const auto kind =
      rc::gen::weightedOneOf<int>({{8, rc::gen::just(+happening::ask)},
                                   {10, rc::gen::inRange(+happening::succeed, +happening::force_open)},
                                   {1, rc::gen::inRange(+happening::force_open, +happening::kinds)}});
  const auto pause = rc::gen::weightedOneOf<int>({{3, rc::gen::just(0)}, {2, rc::gen::inRange(0, 4'000)}});
  return rc::gen::container<std::vector<happening>>(
      rc::gen::map(rc::gen::tuple(kind, rc::gen::inRange<std::size_t>(0, 64), pause), [](const auto& t) {
        return happening{std::get<0>(t), std::get<1>(t), std::chrono::milliseconds{std::get<2>(t)}};
      }));
}

// Plays a history, checks every answer, and keeps for itself who is in flight while half-open.
class player {
 public:
  explicit player(const breaker_options& options) : trial(options), options_(options) {}

  void play(const happening& h) {
    trial.now += h.pause;
    trial.draw.bits = std::uint64_t{h.which} << 58U;
    switch (h.kind) {
      case happening::ask: ask(); break;
      case happening::force_open: trial.breaker.force_open(trial.now, h.pause); break;
      case happening::force_closed: trial.breaker.force_closed(); break;
      default: settle(h);
    }
    if (h.kind == happening::force_open || h.kind == happening::force_closed || state() != state_)
      begin_state();
  }

  bool ask() {
    const auto open_until = trial.breaker.open_until();
    const bool foretold = trial.breaker.admits_by(trial.now);
    const auto refusals = trial.breaker.refusals();
    const auto given = trial.ask();
    RC_ASSERT(given.has_value() == foretold);
    RC_ASSERT(trial.breaker.refusals() == refusals + (given ? 0U : 1U));
    if (!given) return false;
    RC_ASSERT(!open_until || trial.now >= *open_until);
    RC_ASSERT(given->probe == (state() == "half_open"));
    if (state() != state_) begin_state();
    calls_.push_back({*given, states_, trial.now + options_.probe_timeout});
    if (given->probe)
      RC_ASSERT(in_flight() <= std::min(32L, long{options_.probes} << std::min(successes_, 5)));
    return true;
  }

  breaker_trial trial;

 private:
  struct call {
    breaker_trial::permit permit;
    int state;  // which of the states so far it began in
    time_point keeps_place_until;
  };

  // Without regard to time: open until somebody is admitted.
  std::string_view state() const { return trial.breaker.open_until() ? "open" : trial.state(); }

  void begin_state() {
    state_ = state();
    ++states_;
    successes_ = 0;
  }

  long in_flight() const {
    return std::count_if(calls_.begin(), calls_.end(), [&](const call& c) {
      return c.state == states_ && c.permit.probe && trial.now < c.keeps_place_until;
    });
  }

  void settle(const happening& h) {
    if (calls_.empty()) return;
    const auto chosen = calls_.begin() + static_cast<std::ptrdiff_t>(h.which % calls_.size());
    const call settled = *chosen;
    const bool late = settled.state != states_;
    const auto until = trial.breaker.open_until();
    const bool admits = trial.breaker.admits_by(trial.now);
    if (h.kind == happening::forget) {
      if (late) calls_.erase(chosen);
      return;
    }
    calls_.erase(chosen);
    if (h.kind == happening::succeed) trial.succeed(settled.permit);
    if (h.kind == happening::fail) trial.fail(settled.permit);
    if (h.kind == happening::abandon) trial.abandon(settled.permit);
    if (h.kind == happening::succeed && !late) ++successes_;
    if (late) {
      RC_ASSERT(state() == state_);
      RC_ASSERT(trial.breaker.open_until() == until);
      RC_ASSERT(trial.breaker.admits_by(trial.now) == admits);
    }
  }

  breaker_options options_;
  std::vector<call> calls_;
  std::string_view state_ = "closed";
  int states_ = 0;
  int successes_ = 0;
};

RC_GTEST_PROP(breaker_law,
              answers_as_foretold_admits_no_probe_too_many_none_too_early_and_ignores_late_results, ()) {
  player player(any_options());
  for (const happening& h : *any_history()) player.play(h);
}

RC_GTEST_PROP(breaker_law, is_never_stuck, ()) {
  const breaker_options options = any_options();
  player player(options);
  for (const happening& h : *any_history()) player.play(h);
  const duration longest_force = 4s;
  player.trial.now += std::max({2 * options.max_open_for, longest_force, options.probe_timeout});
  RC_ASSERT(player.ask());
}

RC_GTEST_PROP(breaker_law, is_closed_and_forgetful_after_force_closed_whatever_was_before, ()) {
  const breaker_options options = any_options();
  player player(options);
  for (const happening& h : *any_history()) player.play(h);
  breaker_trial& trial = player.trial;
  trial.breaker.force_closed();
  RC_ASSERT(trial.state() == "closed");
  RC_ASSERT(trial.breaker.reads_time() == options.failure_ratio.has_value());
  breaker_trial fresh(options);
  fresh.now = trial.now;
  for (int i = 0; i < 6; ++i) {
    trial.play("F");
    fresh.play("F");
    RC_ASSERT(trial.state() == fresh.state());
  }
}

RC_GTEST_PROP(breaker_law, open_time_grows_with_each_reopening_to_its_maximum, ()) {
  const breaker_options options = any_options();
  breaker_trial trial(options);
  for (int i = 0; i < 64 && trial.state() == "closed"; ++i) trial.play("F");
  const auto times = [](duration length, double factor) {
    return relent::saturate(static_cast<double>(length.count()) * factor);
  };
  duration expected = options.open_for;
  for (std::uint32_t opening = 1; opening <= 20; ++opening) {
    const duration beyond = trial.breaker.open_until().value() - trial.now - expected;
    RC_ASSERT(beyond >= duration::zero());
    RC_ASSERT(beyond == duration::zero() || beyond < times(expected, options.open_for_jitter));
    RC_ASSERT(trial.breaker.openings() == opening);
    const duration next = std::min(times(expected, options.open_for_multiplier), options.max_open_for);
    RC_ASSERT(next >= expected);
    expected = next;
    trial.wait_until_half_open();
    trial.draw.bits = *rc::gen::arbitrary<std::uint64_t>();
    trial.play("F");
  }
}

RC_GTEST_PROP(breaker_law, opens_exactly_when_so_many_of_the_last_calls_failed,
              (const std::vector<bool>& failed)) {
  breaker_options options = any_options();
  options.failure_ratio = std::nullopt;
  if (!options.failures) options.failures = 3;
  const std::size_t size = options.of_last.value_or(*options.failures);
  breaker_trial trial(options);
  for (std::size_t i = 0; i < failed.size(); ++i) {
    trial.play(failed[i] ? "F" : "S");
    const std::size_t first = i + 1 > size ? i + 1 - size : 0;
    std::size_t failures = 0;
    for (std::size_t j = first; j <= i; ++j) failures += failed[j] ? 1U : 0U;
    RC_ASSERT((trial.state() == "open") == (failures >= *options.failures));
    if (trial.state() == "open") break;
  }
}

RC_GTEST_PROP(breaker_law, the_window_holds_the_calls_of_its_last_ten_steps, ()) {
  using steps = std::vector<std::pair<int, bool>>;
  const auto events = *rc::gen::container<steps>(rc::gen::pair(
      rc::gen::weightedOneOf<int>({{9, rc::gen::inRange(0, 40)}, {1, rc::gen::inRange(0, 300)}}),
      rc::gen::arbitrary<bool>()));
  const int start = *rc::gen::inRange(-500, 500);
  relent::detail::rate_window<10> window(100ms);
  std::vector<std::pair<double, bool>> seen;  // in which step of 10 ms, and whether it failed
  int now = start;                            // in ms
  for (const auto& [pause, failed] : events) {
    now += pause;
    window.add(failed, time_point{std::chrono::milliseconds{now}});
    seen.emplace_back(std::floor(now / 10.0), failed);
    std::uint64_t calls = 0;
    std::uint64_t failures = 0;
    for (const auto& [step, bad] : seen) {
      if (step <= std::floor(now / 10.0) - 10) continue;
      ++calls;
      failures += bad ? 1U : 0U;
    }
    const auto sum = window.sum(time_point{std::chrono::milliseconds{now}});
    RC_ASSERT(sum.calls == calls);
    RC_ASSERT(sum.failures == failures);
  }
}

}  // namespace
