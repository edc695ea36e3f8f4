// SPDX-License-Identifier: Apache-2.0
// Calls inside attempts of other calls: only one layer retries, and no inner call outlives the outer attempt.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <stop_token>
#include <thread>

namespace {

using namespace std::chrono_literals;
using relent::fault_kind;
using relent::stop_reason;
using relent::testing::manual_clock;

struct gone : std::runtime_error {
  gone() : std::runtime_error("gone") {}
};

relent::policy three_tries(relent::nesting nested) {
  return {{.max_attempts = 3, .backoff = {.base = 1ms, .cap = 1ms}, .nested = nested}};
}

struct nested : ::testing::Test {
  manual_clock clock;
  int at_the_bottom = 0;

  relent::call_options options(relent::report* report = nullptr) {
    return {.report = report, .classify = relent::retry_on<gone>, .clock = &clock};
  }
  void layers(int depth, relent::nesting how) {
    relent::retry(
        three_tries(how),
        [&] {
          if (depth > 1) return layers(depth - 1, how);
          ++at_the_bottom;
          throw gone();
        },
        options());
  }
};

TEST_F(nested, three_layers_of_three_tries_make_three_attempts_at_the_bottom) {
  EXPECT_THROW(layers(3, relent::nesting::single_attempt), gone);
  EXPECT_EQ(at_the_bottom, 3);
}

TEST_F(nested, three_layers_that_opted_out_make_twenty_seven) {
  EXPECT_THROW(layers(3, relent::nesting::retry), gone);
  EXPECT_EQ(at_the_bottom, 27);
}

TEST_F(nested, the_inner_call_says_why_it_made_a_single_attempt) {
  relent::report inner;
  EXPECT_THROW(relent::retry(
                   three_tries(relent::nesting::single_attempt),
                   [&] {
                     relent::retry(
                         three_tries(relent::nesting::single_attempt), [] { throw gone(); }, options(&inner));
                   },
                   options()),
               gone);
  EXPECT_EQ(inner.stop, stop_reason::nested);
}

TEST_F(nested, the_inner_calls_classification_goes_up_with_its_exception) {
  relent::report outer;
  relent::call_options without_classifier{.report = &outer, .clock = &clock};
  EXPECT_THROW(relent::retry(
                   three_tries(relent::nesting::single_attempt),
                   [&] { relent::retry([] { throw gone(); }, options()); }, without_classifier),
               gone);
  EXPECT_EQ(outer.attempts, 3U) << "the outer call knew from the inner one that gone is transient";
}

TEST_F(nested, the_classification_of_an_exception_that_was_dealt_with_does_not_stick_to_another) {
  relent::report outer;
  relent::call_options without_classifier{.report = &outer, .clock = &clock};
  EXPECT_THROW(relent::retry(
                   three_tries(relent::nesting::single_attempt),
                   [&] {
                     try {
                       relent::retry([] { throw gone(); }, options());
                     } catch (const gone&) {
                       throw std::logic_error("something else");
                     }
                   },
                   without_classifier),
               std::logic_error);
  EXPECT_EQ(outer.attempts, 1U);
}

TEST_F(nested, an_inner_call_never_outlives_the_outer_attempt) {
  relent::retry(
      relent::policy{{.deadline = 10s, .attempt_timeout = 2s}},
      [&] {
        clock.advance(500ms);
        relent::retry(
            relent::policy{{.deadline = 1h}},
            [](relent::attempt inner) { EXPECT_EQ(inner.time_left(), 1500ms); }, options());
      },
      options());
}

TEST_F(nested, deadlines_nest_across_clocks) {
  manual_clock other{relent::time_point{5min}};
  relent::retry(
      relent::policy{{.deadline = 10s}},
      [&] {
        clock.advance(4s);
        relent::retry([](relent::attempt inner) { EXPECT_EQ(inner.time_left(), 6s); }, {.clock = &other});
      },
      options());
}

TEST_F(nested, an_inner_call_that_comes_too_late_is_refused) {
  EXPECT_THROW(relent::retry(
                   relent::policy{{.deadline = 1s}},
                   [&] {
                     clock.advance(1s);
                     relent::retry([] {}, options());
                   },
                   options()),
               relent::refused);
}

TEST_F(nested, the_refusal_of_an_inner_call_is_permanent_for_the_outer_one) {
  relent::dependency down{{.breaker = {{.failures = 1}}, .clock = &clock}};
  down.breaker()->force_open(clock.now(), 1h);
  relent::report outer;
  EXPECT_THROW(relent::retry([&] { down.call([] {}); }, {.report = &outer, .clock = &clock}),
               relent::refused);
  EXPECT_EQ(outer.stop, stop_reason::permanent);
  EXPECT_EQ(outer.records[0].fault->kind, fault_kind::rejected);
  EXPECT_EQ(hint_for(outer), "") << "there is nothing for the reader to classify";
}

TEST_F(nested, a_cancelled_inner_call_cancels_the_outer_one) {
  std::stop_source source;
  source.request_stop();
  relent::report outer;
  EXPECT_THROW(relent::retry([&] { relent::retry([] {}, {.stop = source.get_token(), .clock = &clock}); },
                             {.report = &outer, .clock = &clock}),
               relent::refused);
  EXPECT_EQ(outer.stop, stop_reason::cancelled);
}

TEST_F(nested, a_call_after_the_attempt_is_not_inside_it) {
  relent::retry([] {}, options());
  relent::report report;
  EXPECT_THROW(relent::retry([] { throw gone(); }, options(&report)), gone);
  EXPECT_EQ(report.attempts, 3U);
}

TEST_F(nested, a_call_in_another_thread_is_inside_the_attempt_when_it_says_so) {
  relent::report told;
  relent::report untold;
  relent::retry(
      [&](relent::attempt outer) {
        std::thread([&] {
          relent::call_options with_outer = options(&told);
          with_outer.outer = &outer;
          EXPECT_THROW(relent::retry([] { throw gone(); }, with_outer), gone);
          EXPECT_THROW(relent::retry([] { throw gone(); }, options(&untold)), gone);
        }).join();
      },
      options());
  EXPECT_EQ(told.attempts, 1U);
  EXPECT_EQ(untold.attempts, 3U);
}

TEST_F(nested, the_inner_budget_of_a_middle_layer_forbids_the_front_to_retry) {
  // Front, middle and back; both clients may retry four times and pay for 20 % of their calls; the back always
  // fails. Without the mark on the middle's failures the back would see 25 times the load.
  const relent::policy five{{.max_attempts = 5,
                             .deadline = std::nullopt,
                             .backoff = {.base = 0ms},
                             .nested = relent::nesting::retry}};
  const relent::ratio_budget fifth{.ratio = 0.2, .window = 60s, .min_retries = 0};
  relent::dependency middle{{.name = "middle", .policy = five, .budget = fifth, .clock = &clock}};
  relent::dependency back{{.name = "back", .policy = five, .budget = fifth, .clock = &clock}};
  int seen_by_back = 0;
  for (int i = 0; i < 100; ++i)
    EXPECT_THROW(middle.call([&] {
      back.call(
          [&] {
            ++seen_by_back;
            throw gone();
          },
          {.classify = relent::retry_on<gone>});
    }),
                 gone);
  EXPECT_EQ(middle.counters().retries, 0U);
  EXPECT_EQ(back.counters().retries, 20U);
  EXPECT_EQ(seen_by_back, 120);
}

TEST_F(nested, unlimited_budgets_in_two_layers_multiply_the_load) {
  const relent::policy five{{.max_attempts = 5,
                             .deadline = std::nullopt,
                             .backoff = {.base = 0ms},
                             .nested = relent::nesting::retry}};
  relent::dependency middle{{.policy = five, .budget = relent::budget::none(), .clock = &clock}};
  relent::dependency back{{.policy = five, .budget = relent::budget::none(), .clock = &clock}};
  int seen_by_back = 0;
  for (int i = 0; i < 100; ++i)
    EXPECT_THROW(middle.call([&] {
      back.call(
          [&] {
            ++seen_by_back;
            throw gone();
          },
          {.classify = relent::retry_on<gone>});
    }),
                 gone);
  EXPECT_EQ(middle.counters().retries, 400U);
  EXPECT_EQ(back.counters().retries, 2000U);
  EXPECT_EQ(seen_by_back, 2500);
}

TEST_F(nested, a_call_told_of_an_enclosing_one_elsewhere_makes_a_single_attempt) {
  relent::report report;
  int attempts = 0;
  const auto fails = [&] {
    ++attempts;
    throw gone();
  };
  EXPECT_THROW(
      relent::retry(
          fails, {.report = &report, .classify = relent::retry_on<gone>, .clock = &clock, .enclosed = true}),
      gone);
  EXPECT_EQ(attempts, 1);
  EXPECT_EQ(report.stop, relent::stop_reason::nested);
}

TEST_F(nested, a_policy_may_retry_though_an_enclosing_call_elsewhere_does) {
  int attempts = 0;
  const auto fails = [&] {
    ++attempts;
    throw gone();
  };
  const relent::policy all_the_same{{.nested = relent::nesting::retry}};
  EXPECT_THROW(relent::retry(all_the_same, fails,
                             {.classify = relent::retry_on<gone>, .clock = &clock, .enclosed = true}),
               gone);
  EXPECT_EQ(attempts, 3);
}

}  // namespace
