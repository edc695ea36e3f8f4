// SPDX-License-Identifier: Apache-2.0
// The conformance scenarios, played by the engine's functions with no driver in between: the shortest loop
// that keeps to the contract of engine.hpp.
#include "conformance/scenarios.hpp"
#include "conformance/stage.hpp"

#include <relent/budget.hpp>
#include <relent/engine.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace relent::conformance {
namespace {

/// What the scenario's call shares with others.
struct shared_parts {
  explicit shared_parts(const scenario& script) : budget(script.budget) {
    if (script.breaker) breaker.emplace(*script.breaker);
    if (script.sender_limit) sender_limit.emplace(*script.sender_limit);
    state = {.budget = &budget,
             .breaker = breaker ? &*breaker : nullptr,
             .sender_limit = sender_limit ? &*sender_limit : nullptr,
             .can_refresh = script.can_refresh};
  }

  relent::budget budget;
  std::optional<relent::breaker> breaker;
  std::optional<relent::sender_limit> sender_limit;
  engine::shared_state state;
};

engine::surroundings surroundings_of(const scenario& script, time_point now) {
  const time_point outer = deadline_from(now, script.outer_time_left, no_deadline);
  return {.outer_deadline = deadline_from(now, script.call_deadline, outer),
          .inside_attempt = script.inside_attempt};
}

result play(const scenario& script, stage& on, const engine::shared_state& shared) {
  const policy rules(script.policy);
  const engine::operation operation{.repeatable = script.repeatable, .has_key = script.has_key};
  result got;
  engine::call_state call;
  engine::decision next =
      engine::begin(call, rules, shared, surroundings_of(script, on.now()), on.now(), on.cancelled());
  for (;;) {
    switch (next.action) {
      case engine::action::attempt: {
        got.error = on.play_attempt(call.attempt, engine::attempt_ends(call, rules, on.now()));
        if (!got.error) {
          engine::succeeded(call, shared, on.now());
          on.note(success());
          return {.value = on.attempts_played()};
        }
        next =
            engine::failed(call, rules, shared, *got.error, operation, on.now(), on.random(), on.cancelled());
        break;
      }
      case engine::action::wait:
        on.play_wait(next.until, next.source);
        next = engine::woke(call, rules, shared, on.now(), on.cancelled());
        break;
      case engine::action::refresh: {
        const bool renewed = on.play_refresh();
        next = engine::refreshed(call, rules, shared, on.now(), renewed, on.cancelled());
        break;
      }
      case engine::action::stop:
        on.note(stop(next.reason));
        if (!got.error) got.refusal = next.reason;
        return got;
    }
  }
}

class engine_direct : public ::testing::TestWithParam<scenario> {};

TEST_P(engine_direct, decides_as_written) {
  const scenario& script = GetParam();
  shared_parts shared(script);
  stage on(script);
  on.set(shared.state);
  const result got = play(script, on, shared.state);
  expect_as_written(script, on, got);
}

INSTANTIATE_TEST_SUITE_P(scenarios, engine_direct, ::testing::ValuesIn(all_scenarios()), name_of);

}  // namespace
}  // namespace relent::conformance
