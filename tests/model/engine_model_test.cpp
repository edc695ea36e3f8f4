// SPDX-License-Identifier: Apache-2.0
// The engine against the reference model: random policies, budgets, breakers and faults, clocks that step and
// cancels; both must give the same decisions and leave the same budget and breaker behind.
#include "model/lockstep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>
#include <sstream>
#include <string>

namespace {

struct random_choices {
  int turns_left;
  int choose(int n) { return n == 1 ? 0 : *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); }
  bool more() { return turns_left-- > 0; }
};

TEST(engine_model, decides_as_the_reference_does) {
  relent::model::tally reached;
  const rc::detail::TestParams params{.seed = std::random_device{}(), .maxSuccess = 5000};
  const auto outcome = rc::detail::checkTestable(
      [&reached] {
        const std::string disagreement = *rc::gen::exec([&reached] {
          random_choices source{*rc::gen::inRange(0, 60)};
          return relent::model::trial(source, true, &reached).disagreement();
        });
        if (!disagreement.empty()) RC_FAIL(disagreement);
      },
      rc::detail::TestMetadata{.id = "engine_model", .description = "decides as the reference does"}, params);

  std::ostringstream text;
  rc::detail::printResultMessage(outcome, text);
  ASSERT_TRUE(outcome.is<rc::detail::SuccessResult>()) << text.str() << "\nseed " << params.seed;
  for (const int count : reached.answers) EXPECT_GE(count, 100);
  for (int i = 0; i < relent::stop_reason_count; ++i)
    EXPECT_GE(reached.stops[static_cast<std::size_t>(i)], 20)
        << to_string(static_cast<relent::stop_reason>(i));
}

}  // namespace
