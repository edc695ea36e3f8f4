// SPDX-License-Identifier: Apache-2.0
// What the breaker promises, and each fault that breakers elsewhere were reported for, by name.
#include "breaker_trial.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::breaker;
using relent::breaker_options;
using relent::duration;
using relent::time_point;
using relent::test::breaker_trial;

// Opens on the first failure, for exactly 10 s.
constexpr breaker_options touchy{.failures = 1, .open_for_jitter = 0};

// ---- closed ----

TEST(breaker, opens_on_the_fifth_failure_in_a_row_by_default) {
  breaker_trial trial({});
  trial.play("FFFF");
  EXPECT_EQ(trial.state(), "closed");
  trial.play("F");
  EXPECT_EQ(trial.state(), "open");
  EXPECT_FALSE(trial.ask());
}

TEST(breaker, remembers_as_many_as_64_calls) {
  breaker_trial trial({.failures = 64});
  trial.play(std::string(63, 'F'));
  EXPECT_EQ(trial.state(), "closed");
  trial.play("F");
  EXPECT_EQ(trial.state(), "open");
}

TEST(breaker, opens_by_whichever_of_count_and_ratio_is_reached_first) {
  const breaker_options both{.failures = 3, .failure_ratio = 0.5, .min_calls = 10};
  breaker_trial by_count(both);
  by_count.play("SSSSSS FFF");
  EXPECT_EQ(by_count.state(), "open");
  breaker_trial by_ratio(both);
  by_ratio.play("FF S FF S FF S");
  EXPECT_EQ(by_ratio.state(), "closed");
  by_ratio.play("F");  // the tenth call
  EXPECT_EQ(by_ratio.state(), "open");
}

TEST(breaker, an_abandoned_call_counts_neither_way) {
  breaker_trial trial({.failures = 2});
  trial.play("F");
  trial.abandon(trial.take());
  trial.play("F");
  EXPECT_EQ(trial.state(), "open");
}

TEST(breaker, needs_no_time_while_closed_without_a_ratio) {
  breaker_trial trial(touchy);
  EXPECT_FALSE(trial.breaker.reads_time());
  const auto permit = trial.breaker.admit(time_point::min());
  trial.breaker.succeeded(permit.value(), time_point::max());
  trial.play("F");
  EXPECT_TRUE(trial.breaker.reads_time());
  EXPECT_EQ(trial.breaker.open_until(), time_point{10s});
  EXPECT_TRUE(breaker({.failure_ratio = 0.5}).reads_time());
}

// Proven on a page that cannot be written to; neither a counter nor a lock would survive.
TEST(breaker, writes_nothing_for_a_success_while_closed_with_nothing_to_forget) {
  const auto play_read_only = [] {
    const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* trial = ::new (page) breaker_trial({});
    mprotect(page, size, PROT_READ);
    for (int i = 0; i < 3; ++i) trial->succeed(trial->take());
    trial->abandon(trial->take());
    std::_Exit(0);
  };
  EXPECT_EXIT(play_read_only(), testing::ExitedWithCode(0), "");
}

// ---- open ----

TEST(breaker, refuses_until_the_open_time_is_over) {
  breaker_trial trial(touchy);
  trial.play("F");
  trial.now += 10s - 1ns;
  EXPECT_EQ(trial.state(), "open");
  EXPECT_FALSE(trial.ask());
  trial.now += 1ns;
  EXPECT_EQ(trial.state(), "half_open");
  EXPECT_TRUE(trial.ask());
}

TEST(breaker, open_time_grows_with_each_reopening_up_to_its_maximum_and_starts_anew_once_closed) {
  breaker_trial trial({.failures = 1,
                       .open_for = 10s,
                       .open_for_jitter = 0,
                       .open_for_multiplier = 3,
                       .max_open_for = 100s,
                       .successes_to_close = 1});
  for (const duration expected : {10s, 30s, 90s, 100s, 100s}) {
    trial.play("F");
    EXPECT_EQ(trial.breaker.open_until().value() - trial.now, expected);
    trial.wait_until_half_open();
  }
  trial.play("S F");
  EXPECT_EQ(trial.breaker.open_until().value() - trial.now, 10s);
  EXPECT_EQ(trial.breaker.openings(), 6U);
}

TEST(breaker, open_time_saturates_instead_of_overflowing) {
  breaker_trial trial({.failures = 1,
                       .open_for = relent::max_duration / 2,
                       .open_for_jitter = 1,
                       .open_for_multiplier = 1e300,
                       .max_open_for = relent::max_duration});
  trial.draw.bits = ~std::uint64_t{0};
  trial.play("F");
  EXPECT_GT(trial.breaker.open_until().value(), time_point{relent::max_duration / 2});
  trial.wait_until_half_open();
  trial.play("F");
  EXPECT_EQ(trial.breaker.open_until(), relent::end_of_time);
}

TEST(breaker, open_time_is_drawn_between_open_for_and_its_jitter) {
  for (const bool greatest : {false, true}) {
    breaker_trial trial({.failures = 1, .open_for = 10s, .open_for_jitter = 0.5});
    trial.draw.bits = greatest ? ~std::uint64_t{0} : 0;
    trial.play("F");
    EXPECT_EQ(trial.breaker.open_until(), time_point{greatest ? duration{15s} - 1ns : 10s});
  }
}

TEST(breaker, draws_only_when_it_opens) {
  struct counting {
    int draws = 0;
    std::uint64_t next() { return static_cast<std::uint64_t>(++draws); }
  } source;
  breaker drawn({.failures = 3});
  for (const int draws : {0, 0, 1}) {
    drawn.failed(drawn.admit({}).value(), {}, source);
    EXPECT_EQ(source.draws, draws);
  }
}

TEST(breaker, foretells_what_it_would_answer_and_takes_nothing) {
  breaker_trial trial(touchy);
  EXPECT_TRUE(trial.breaker.admits_by(trial.now));
  trial.play("F");
  EXPECT_FALSE(trial.breaker.admits_by(time_point{10s} - 1ns));
  EXPECT_TRUE(trial.breaker.admits_by(time_point{10s}));
  EXPECT_EQ(trial.state(), "open");
  trial.now += 10s;
  trial.take();
  EXPECT_FALSE(trial.breaker.admits_by(trial.now));
  EXPECT_TRUE(trial.breaker.admits_by(trial.now + 30s));  // the probe's time is over by then
  EXPECT_EQ(trial.breaker.refusals(), 0U);
}

// ---- half-open ----

TEST(breaker, twice_as_many_probes_may_be_in_flight_after_each_success) {
  breaker_trial trial({.failures = 1, .probes = 3, .successes_to_close = 100});
  trial.play("F");
  trial.wait_until_half_open();
  std::vector<breaker_trial::permit> flying;
  for (const std::size_t expected : {3U, 6U, 12U, 24U, 32U, 32U}) {
    while (const auto permit = trial.ask()) flying.push_back(*permit);
    EXPECT_EQ(flying.size(), expected);
    trial.succeed(flying.back());
    flying.pop_back();
  }
}

TEST(breaker, closes_after_the_successes_it_waits_for_with_every_count_at_zero) {
  breaker_trial trial({.failures = 2});
  trial.play("FF");
  trial.wait_until_half_open();
  trial.play("SS");
  EXPECT_EQ(trial.state(), "half_open");
  trial.play("S");
  EXPECT_EQ(trial.state(), "closed");
  trial.play("F");
  EXPECT_EQ(trial.state(), "closed");
}

TEST(breaker, one_failed_probe_opens_it_again) {
  breaker_trial trial(touchy);
  trial.play("F");
  trial.wait_until_half_open();
  trial.play("SSF");
  EXPECT_EQ(trial.state(), "open");
  EXPECT_EQ(trial.breaker.open_until(), trial.now + 20s);
}

// ---- the faults of others ----

TEST(breaker_fault, stuck_half_open_by_a_probe_that_never_reports) {
  breaker_trial trial({.failures = 1, .probe_timeout = 30s});
  trial.play("F");
  trial.wait_until_half_open();
  const auto silent = trial.take();
  trial.now += 30s - 1ns;
  EXPECT_FALSE(trial.ask());
  trial.now += 1ns;
  const auto second = trial.take();
  // Reported after all, it is believed, but does not give its place back a second time.
  trial.succeed(silent);
  trial.take();
  EXPECT_FALSE(trial.ask());
  trial.succeed(second);
  EXPECT_EQ(trial.state(), "half_open");
}

TEST(breaker_fault, stuck_half_open_by_silent_probes_after_the_ramp) {
  breaker_trial trial({.failures = 1, .successes_to_close = 3, .probe_timeout = 30s});
  trial.play("F");
  trial.wait_until_half_open();
  trial.play("SS");
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 4; ++i) trial.take();
    ASSERT_FALSE(trial.ask());
    trial.now += 30s;
  }
  trial.play("S");
  EXPECT_EQ(trial.state(), "closed");
}

TEST(breaker_fault, stuck_half_open_by_probes_that_take_longer_than_their_time) {
  breaker_trial trial({.failures = 1, .probe_timeout = 1s});
  trial.play("F");
  trial.wait_until_half_open();
  for (int i = 0; i < 3; ++i) {
    const auto slow = trial.take();
    trial.now += 2s;
    trial.succeed(slow);
  }
  EXPECT_EQ(trial.state(), "closed");
}

TEST(breaker_fault, stale_window_after_an_hour_idle) {
  const breaker_options options{
      .failures = std::nullopt, .failure_ratio = 0.5, .window = 10s, .min_calls = 5};
  for (const duration idle : {duration{10s}, duration{1h}, duration{24h * 365}}) {
    breaker_trial trial(options);
    trial.play("FFFF");
    trial.now += idle;
    trial.play("F");
    EXPECT_EQ(trial.state(), "closed");
    trial.play("SSSF");  // 2 of the 5 that count
    EXPECT_EQ(trial.state(), "closed");
  }
}

TEST(breaker_fault, late_results_of_an_older_state_are_ignored) {
  breaker_trial trial({.failures = 1, .open_for_jitter = 0, .successes_to_close = 1});
  std::vector<breaker_trial::permit> late;
  const auto report_all = [&] {
    for (const auto p : late) {
      trial.succeed(p);
      trial.abandon(p);
      trial.fail(p);
    }
  };
  late.push_back(trial.take());  // closed
  trial.play("F");
  report_all();
  EXPECT_EQ(trial.breaker.open_until(), time_point{10s});

  trial.wait_until_half_open();
  const auto probe = trial.take();
  report_all();
  EXPECT_EQ(trial.state(), "half_open");
  EXPECT_FALSE(trial.ask());  // nor was the probe's place given away

  trial.fail(probe);
  late.push_back(probe);
  const auto until = trial.breaker.open_until();
  report_all();
  EXPECT_EQ(trial.breaker.open_until(), until);

  trial.wait_until_half_open();
  const auto second = trial.take();
  report_all();
  EXPECT_EQ(trial.state(), "half_open");
  trial.succeed(second);
  late.push_back(second);
  report_all();
  EXPECT_EQ(trial.state(), "closed");
}

TEST(breaker_fault, a_late_success_does_not_wipe_the_failures_of_a_newer_state) {
  breaker_trial trial({.failures = 2});
  const auto late = trial.take();
  trial.breaker.force_closed();
  trial.play("F");
  trial.succeed(late);
  trial.play("F");
  EXPECT_EQ(trial.state(), "open");
}

TEST(breaker_fault, no_burst_after_one_probe) {
  breaker_trial trial(touchy);
  trial.play("F");
  trial.wait_until_half_open();
  trial.succeed(trial.take());
  int admitted = 0;
  for (int caller = 0; caller < 1000; ++caller) admitted += trial.ask() ? 1 : 0;
  EXPECT_EQ(admitted, 2);
}

TEST(breaker_fault, lost_permit) {
  breaker_trial trial(touchy);
  trial.play("F");
  trial.wait_until_half_open();
  for (int i = 0; i < 100; ++i) {
    const auto permit = trial.take();
    ASSERT_FALSE(trial.ask());
    trial.abandon(permit);
  }
  EXPECT_EQ(trial.state(), "half_open");
}

TEST(breaker_fault, many_clients_do_not_probe_together) {
  constexpr int clients = 2000;
  relent::random_stream luck(7);
  std::vector<int> per_step(20);  // of 100 ms
  for (int i = 0; i < clients; ++i) {
    breaker client({.failures = 1, .open_for = 10s, .open_for_jitter = 0.2});
    client.failed(client.admit({}).value(), {}, luck);
    const duration later = client.open_until().value() - time_point{10s};
    ASSERT_GE(later, 0s);
    ASSERT_LT(later, 2s);
    ++per_step[static_cast<std::size_t>(later / 100ms)];
  }
  for (const int probing : per_step) {  // 100 expected in each, deviation below 10
    EXPECT_GT(probing, 50);
    EXPECT_LT(probing, 150);
  }
}

TEST(breaker_fault, open_time_is_unaffected_by_the_wall_clock) {
  using wall = std::chrono::system_clock::time_point;
  static_assert(!std::is_invocable_v<decltype(&breaker::admit), breaker&, wall>);
  static_assert(!std::is_convertible_v<wall, time_point>);
  // Even should the instants handed in jump back, the breaker opens no earlier and no later than asked.
  breaker_trial trial(touchy);
  trial.now += 1h;
  trial.play("F");
  trial.now -= 1h;
  EXPECT_FALSE(trial.ask());
  EXPECT_EQ(trial.breaker.open_until(), time_point{1h + 10s});
}

// ---- time that runs backwards stands still ----

TEST(breaker, time_running_backwards_does_not_shorten_an_open_time) {
  breaker_trial trial({.failures = 1, .open_for_jitter = 0, .successes_to_close = 1});
  trial.now += 1h;
  trial.play("F");
  trial.wait_until_half_open();
  trial.play("S");
  trial.now -= 1h;
  trial.play("F");
  EXPECT_EQ(trial.breaker.open_until(), time_point{1h + 20s});
}

TEST(breaker, time_running_backwards_does_not_bring_an_open_time_back) {
  breaker_trial trial(touchy);
  trial.now += 1h;
  trial.breaker.force_open(trial.now, 0s);
  trial.now -= 1h;
  EXPECT_EQ(trial.state(), "half_open");
  EXPECT_TRUE(trial.breaker.admits_by(trial.now));
  EXPECT_TRUE(trial.ask());
}

TEST(breaker, time_running_backwards_does_not_move_the_window) {
  breaker_trial trial({.failures = std::nullopt, .failure_ratio = 0.5, .min_calls = 4});
  trial.now += 1h;
  trial.play("FFF");
  trial.now -= 1h;
  trial.play("F");
  EXPECT_EQ(trial.state(), "open");
}

TEST(breaker, works_before_the_epoch) {
  breaker_trial trial({.failures = std::nullopt, .failure_ratio = 0.5, .window = 10s, .min_calls = 4});
  trial.now -= 5s;
  trial.play("FF");
  trial.now += 9s;
  trial.play("FF");
  EXPECT_EQ(trial.state(), "open");
}

// ---- by hand ----

TEST(breaker, forced_open_lasts_as_long_as_asked_and_half_opens_then) {
  breaker_trial trial({});
  trial.breaker.force_open(trial.now, 3s);
  EXPECT_FALSE(trial.ask());
  EXPECT_EQ(trial.breaker.openings(), 1U);
  trial.now += 3s;
  trial.play("F");
  EXPECT_EQ(trial.breaker.open_until(), trial.now + 10s);
  trial.breaker.force_open(trial.now, -1s);
  EXPECT_EQ(trial.state(), "half_open");
  EXPECT_EQ(trial.breaker.openings(), 2U);
}

TEST(breaker, forced_closed_forgets_everything) {
  breaker_trial trial({.failures = 2, .failure_ratio = 1.0, .min_calls = 3});
  trial.play("FF");
  trial.breaker.force_closed();
  EXPECT_EQ(trial.state(), "closed");
  trial.play("F");
  EXPECT_EQ(trial.state(), "closed");
  EXPECT_EQ(trial.breaker.open_until(), std::nullopt);
}

TEST(breaker, reconfiguring_keeps_state_and_counts) {
  breaker_trial trial({.failures = 5, .open_for_jitter = 0});
  trial.play("FF");
  trial.breaker.reconfigure({.failures = 3, .open_for = 1s, .open_for_jitter = 0});
  trial.play("F");
  EXPECT_EQ(trial.breaker.open_until(), time_point{1s});
  trial.breaker.reconfigure({.failure_ratio = 0.5, .open_for = 5s, .open_for_jitter = 0});
  EXPECT_EQ(trial.breaker.open_until(), time_point{1s});
  EXPECT_EQ(trial.state(), "open");
  trial.wait_until_half_open();
  trial.play("SSS");
  EXPECT_TRUE(trial.breaker.reads_time());  // for the ratio
}

TEST(breaker, reconfiguring_the_length_of_the_window_starts_it_anew) {
  breaker_options options{.failures = std::nullopt, .failure_ratio = 0.5, .window = 10s, .min_calls = 3};
  breaker_trial trial(options);
  trial.play("FF");
  trial.breaker.reconfigure(options);  // nothing changes, the counts neither
  options.window = 1s;
  trial.breaker.reconfigure(options);
  trial.play("FF");
  trial.now += 1s;
  trial.play("F");
  EXPECT_EQ(trial.state(), "closed");
  trial.play("FF");
  EXPECT_EQ(trial.state(), "open");
}

TEST(breaker, reconfiguring_with_bad_options_throws_and_changes_nothing) {
  breaker_trial trial(touchy);
  EXPECT_THROW(trial.breaker.reconfigure({.failures = 0}), relent::options_error);
  trial.play("F");
  EXPECT_EQ(trial.state(), "open");
}

}  // namespace
