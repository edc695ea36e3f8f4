// SPDX-License-Identifier: Apache-2.0
// What is wrong with a breaker's options: one row for each rule.
#include <relent/breaker.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace {

using namespace std::chrono_literals;
using relent::breaker;
using relent::breaker_options;

static_assert(to_string(breaker::state::closed) == "closed");
static_assert(to_string(breaker::state::open) == "open");
static_assert(to_string(breaker::state::half_open) == "half_open");
static_assert(!std::is_copy_constructible_v<breaker> && !std::is_move_constructible_v<breaker>);

TEST(breaker_options, the_defaults_have_no_problems) {
  EXPECT_TRUE(relent::problems(breaker_options{}).empty());
}

struct bad {
  const char* id;
  breaker_options options;
  const char* field;
};

class breaker_problem : public testing::TestWithParam<bad> {};

TEST_P(breaker_problem, is_found) {
  const auto found = problems(GetParam().options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].field, GetParam().field);
  EXPECT_THROW(breaker{GetParam().options}, relent::options_error);
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    options, breaker_problem,
    testing::Values(bad{"nothing_opens_it", {.failures = std::nullopt}, "breaker.failures"},
                    bad{"no_failures", {.failures = 0}, "breaker.failures"},
                    bad{"too_many_failures", {.failures = 65}, "breaker.failures"},
                    bad{"of_last_below_failures", {.failures = 5, .of_last = 4}, "breaker.of_last"},
                    bad{"of_last_too_long", {.of_last = 65}, "breaker.of_last"},
                    bad{"of_last_alone",
                        {.failures = std::nullopt, .of_last = 4, .failure_ratio = 0.5},
                        "breaker.of_last"},
                    bad{"ratio_zero", {.failure_ratio = 0.0}, "breaker.failure_ratio"},
                    bad{"ratio_in_percent", {.failure_ratio = 50.0}, "breaker.failure_ratio"},
                    bad{"ratio_not_a_number", {.failure_ratio = nan}, "breaker.failure_ratio"},
                    bad{"window_too_short", {.window = 9ms}, "breaker.window"},
                    bad{"no_calls", {.min_calls = 0}, "breaker.min_calls"},
                    bad{"too_many_calls", {.min_calls = 100'001}, "breaker.min_calls"},
                    bad{"no_open_time", {.open_for = 0s}, "breaker.open_for"},
                    bad{"negative_jitter", {.open_for_jitter = -0.1}, "breaker.open_for_jitter"},
                    bad{"jitter_not_a_number", {.open_for_jitter = nan}, "breaker.open_for_jitter"},
                    bad{"shrinking", {.open_for_multiplier = 0.5}, "breaker.open_for_multiplier"},
                    bad{"infinite_growth",
                        {.open_for_multiplier = std::numeric_limits<double>::infinity()},
                        "breaker.open_for_multiplier"},
                    bad{"maximum_below_first", {.max_open_for = 1s}, "breaker.max_open_for"},
                    bad{"no_probes", {.probes = 0}, "breaker.probes"},
                    bad{"too_many_probes", {.probes = 33}, "breaker.probes"},
                    bad{"never_closes", {.successes_to_close = 0}, "breaker.successes_to_close"},
                    bad{"no_time_for_probes", {.probe_timeout = 0s}, "breaker.probe_timeout"}),
    [](const auto& row) { return std::string(row.param.id); });

}  // namespace
