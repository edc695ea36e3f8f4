// SPDX-License-Identifier: Apache-2.0
// The conformance scenarios, played by the blocking driver: attempts are noted by the operation, waits by
// the clock, where they come from and the end by an observer, and the report must tell the same story.
#include "conformance/scenarios.hpp"
#include "conformance/stage.hpp"

#include <relent/retry.hpp>
#include <relent/testing/scripted_operation.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace relent::conformance {
namespace {

/// Waits on the stage. A wait that no retry event announced is the sender limit's.
class stage_clock final : public relent::clock, public observer {
 public:
  explicit stage_clock(stage& on) : on_(on) {}

  time_point now() noexcept override { return on_.now(); }
  std::chrono::system_clock::time_point wall_now() noexcept override { return on_.wall_now(); }

  void wait_until(time_point until, const stop_handle&) noexcept override {
    if (until != waiting_until_) source_ = announced_.value_or(wait_source::sender_limit);
    waiting_until_ = until;
    announced_.reset();
    on_.play_wait(until, source_);
  }

  void on_event(const event& what) override {
    if (what.kind == event_kind::retry) announced_ = what.source;
    if (what.kind == event_kind::outcome) on_.note(what.stop ? stop(*what.stop) : success());
  }

 private:
  stage& on_;
  std::optional<wait_source> announced_;
  time_point waiting_until_ = time_point::min();
  wait_source source_ = wait_source::backoff;
};

dependency_options options_of(const scenario& script, stage& on, stage_clock& clock) {
  dependency_options options{.name = "scripted",
                             .policy = script.policy,
                             .budget = script.budget,
                             .breaker = script.breaker,
                             .sender_limit = script.sender_limit,
                             .observers = {&clock},
                             .clock = &clock,
                             .random = on.random()};
  if (script.can_refresh) options.refresh = [&on] { return on.play_refresh(); };
  return options;
}

/// The call itself, with the scenario's options.
testing::scripted_result call(const scenario& script, stage& on, dependency& shared, report& story) {
  const call_options options{.stop = on.token(),
                             .report = &story,
                             .deadline = script.call_deadline,
                             .repeat = script.repeatable ? repeat::allowed : repeat::only_if_no_effect,
                             .idempotency_key = script.has_key
                                                    ? std::optional<std::string_view>("the-key-of-this-call")
                                                    : std::nullopt};
  return shared.call(
      [&](relent::attempt now) {
        const std::optional<fault> error = on.play_attempt(now.number(), now.deadline());
        return error ? testing::scripted_result(*error)
                     : testing::scripted_result(static_cast<int>(on.attempts_played()));
      },
      options);
}

/// The call, within the attempt of another if the scenario says so.
result play(const scenario& script, stage& on, dependency& shared, stage_clock& clock, report& story) {
  const auto inner = [&] { return call(script, on, shared, story); };
  const policy around{{.max_attempts = 1, .deadline = script.outer_time_left}};
  try {
    const testing::scripted_result got =
        script.inside_attempt ? retry(around, inner, {.clock = &clock, .random = on.random()}) : inner();
    if (got) return {.value = static_cast<std::size_t>(got.value())};
    return {.error = got.error()};
  } catch (const refused& why) {
    return {.refusal = why.reason()};
  }
}

/// The report leaves nothing out and adds nothing; of waits it tells those that a fault led to, and those
/// for which the sender limit held an attempt back.
void expect_the_same_story(const scenario& script, const report& story) {
  std::vector<std::uint32_t> attempts;
  std::uint32_t last = 0;
  duration waited = duration::zero();
  bool after_fault = false;
  for (const decided& one : script.decisions) {
    if (one.what == act::attempt) attempts.push_back(last = one.number);
    if (one.what == act::wait && (after_fault || one.source == wait_source::sender_limit))
      waited += *one.length;
    after_fault = one.what == act::attempt;
  }
  const decided& end = script.decisions.last();

  EXPECT_EQ(story.attempts, last);
  EXPECT_EQ(story.waited, waited);
  EXPECT_EQ(story.stop.has_value(), end.what == act::stop);
  EXPECT_EQ(story.stop.value_or(end.reason), end.reason);
  ASSERT_EQ(story.records.size(), attempts.size());
  for (std::size_t i = 0; i < attempts.size(); ++i) EXPECT_EQ(story.records[i].number, attempts[i]);
}

/// The dependency counts the call once, each failed attempt, and as retries the attempts with a new number.
void expect_the_same_counts(const scenario& script, const counter_values& counted) {
  std::uint64_t attempts = 0;
  std::uint32_t highest = 0;
  for (const decided& one : script.decisions) {
    if (one.what != act::attempt) continue;
    ++attempts;
    highest = one.number;
  }
  EXPECT_EQ(counted.calls(), 1U);
  EXPECT_EQ(counted.attempts(), attempts);
  EXPECT_EQ(counted.retries, highest <= 1 ? 0 : highest - 1);
}

class blocking : public ::testing::TestWithParam<scenario> {};

TEST_P(blocking, decides_as_written) {
  const scenario& script = GetParam();
  stage on(script);
  stage_clock clock(on);
  dependency shared(options_of(script, on, clock));
  on.set(shared.shared());
  report story;
  const result got = play(script, on, shared, clock, story);
  expect_as_written(script, on, got);
  expect_the_same_story(script, story);
  expect_the_same_counts(script, shared.counters());
}

INSTANTIATE_TEST_SUITE_P(scenarios, blocking, ::testing::ValuesIn(all_scenarios()), name_of);

}  // namespace
}  // namespace relent::conformance
