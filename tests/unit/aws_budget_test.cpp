// SPDX-License-Identifier: Apache-2.0
// The token budget against the retry quotas of the AWS SDKs: the standard mode, and the one they offer since 2026.
#include <relent/budget.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace relent {
namespace {

constexpr time_point now{};

/// One event and the quota after it. Upper case: a retry is asked for and granted; lower case: and refused.
///   T t  after a timeout     S s  after another failure     H h  after throttling
///   +    the call succeeded  X    the call failed for good  >    a retry after a timeout gives its cost back
struct step {
  char event;
  double quota;
  int times = 1;
};

struct quota_row {
  std::string id;
  token_budget rule;
  std::vector<step> steps;
};

/// What one client's calls, one after the other, do to a quota.
class client {
 public:
  explicit client(const token_budget& rule) : quota_(rule) {}

  void play(const step& s) {
    for (int i = 0; i < s.times; ++i) play(s.event);
    EXPECT_EQ(quota_.balance(now), s.quota) << "after " << s.event;
  }

 private:
  void play(char event) {
    switch (event) {
      case 'T': return expect_retry(fault_kind::timeout, true);
      case 't': return expect_retry(fault_kind::timeout, false);
      case 'S': return expect_retry(fault_kind::server_error, true);
      case 's': return expect_retry(fault_kind::server_error, false);
      case 'H': return expect_retry(fault_kind::rate_limited, true);
      case 'h': return expect_retry(fault_kind::rate_limited, false);
      case '+': return succeed();
      case 'X':
        quota_.failed(now);
        retried_ = false;
        return;
      case '>': return quota_.succeeded_after_retry(fault_kind::timeout, now);
      default: FAIL() << event;
    }
  }

  void expect_retry(fault_kind after, bool granted) {
    quota_.failed(now);
    EXPECT_EQ(quota_.try_take(after, now), granted);
    retried_ = granted;
    last_ = after;
  }

  void succeed() {
    retried_ ? quota_.succeeded_after_retry(last_, now) : quota_.succeeded(now);
    retried_ = false;
  }

  budget quota_;
  bool retried_ = false;
  fault_kind last_ = fault_kind::unknown;
};

class aws_quota : public testing::TestWithParam<quota_row> {};

TEST_P(aws_quota, moves_as_in_the_sdks) {
  client c(GetParam().rule);
  for (const step& s : GetParam().steps) c.play(s);
}

token_budget standard(double capacity = 500) {
  token_budget rule = token_budget::aws_standard();
  rule.capacity = capacity;
  return rule;
}

token_budget of_2026(double capacity = 500) {
  token_budget rule = token_budget::aws_2026();
  rule.capacity = capacity;
  return rule;
}

token_budget with_cost(token_budget rule, double retry_cost) {
  rule.retry_cost = retry_cost;
  return rule;
}

const quota_row standard_rows[] = {
    {"Q1", standard(), {{'S', 495}, {'S', 490}, {'+', 495}}},
    {"Q2", standard(5), {{'S', 0}, {'s', 0}}},
    {"Q3", standard(100), {{'T', 90}, {'T', 80}, {'+', 90}, {'+', 91}, {'+', 99, 8}, {'+', 100, 2}}},
    {"Q4", standard(20), {{'T', 10}, {'T', 0}, {'t', 0}, {'s', 0}, {'X', 0}, {'+', 19, 19}, {'+', 20}}},
    {"Q5", standard(10), {{'S', 5}, {'S', 0}, {'s', 0}}},
    {"Q6", standard(50), {{'S', 45}, {'>', 50}}},
    {"Q7", with_cost(standard(50), 49), {{'S', 1}, {'t', 1}}},
    {"Q8", standard(), {{'S', 450, 10}, {'X', 450}}},
    {"Q9", standard(), {{'+', 500}}},
    {"Q10", standard(), {{'S', 495}, {'S', 490}, {'S', 485}, {'S', 480}, {'X', 480}}},
};

const quota_row rows_of_2026[] = {
    {"N1", of_2026(), {{'S', 486}, {'S', 472}, {'+', 486}}},
    {"N2", of_2026(), {{'S', 486}, {'S', 472}, {'X', 472}}},
    {"N3", of_2026(14), {{'S', 0}, {'s', 0}}},
    {"N4", of_2026(14), {{'S', 0}, {'X', 0}, {'s', 0}}},
    {"N5", of_2026(), {{'S', 486}, {'S', 472}, {'S', 458}, {'S', 444}, {'X', 444}}},
    {"N6", of_2026(20), {{'S', 6}, {'s', 6}}},
    {"N7", of_2026(30), {{'S', 16}, {'S', 2}, {'+', 16}, {'S', 2}, {'+', 16}}},
    {"N8", of_2026(), {{'H', 495}, {'+', 500}}},
    {"N9", of_2026(), {{'S', 486}, {'S', 472}, {'S', 458}, {'S', 444}, {'X', 444}}},
    {"N10", of_2026(), {{'S', 486}, {'S', 472}, {'S', 458}, {'X', 458}}},
    {"N11", of_2026(), {{'S', 486}, {'X', 486}, {'+', 487}}},
};

const auto by_id = [](const auto& row) { return row.param.id; };
INSTANTIATE_TEST_SUITE_P(standard, aws_quota, testing::ValuesIn(standard_rows), by_id);
INSTANTIATE_TEST_SUITE_P(of_2026, aws_quota, testing::ValuesIn(rows_of_2026), by_id);

/// Failures of both classes in one call: T transient, H throttling.
struct mixed_row {
  std::string id;
  std::string_view failures;
  double left_of_legacy;
  double left_of_2026;
};

class aws_quota_of_mixed_failures : public testing::TestWithParam<mixed_row> {};

double left_after(std::string_view failures, const token_budget& rule) {
  budget quota(rule);
  for (const char failure : failures)
    EXPECT_TRUE(quota.try_take(failure == 'H' ? fault_kind::rate_limited : fault_kind::server_error, now));
  return quota.balance(now);
}

TEST_P(aws_quota_of_mixed_failures, pays_for_each_by_its_class) {
  const token_budget legacy{.capacity = 500, .success_credit = 1, .retry_cost = 10, .rate_limited_cost = 5};
  EXPECT_EQ(left_after(GetParam().failures, legacy), GetParam().left_of_legacy);
  EXPECT_EQ(left_after(GetParam().failures, token_budget::aws_2026()), GetParam().left_of_2026);
}

INSTANTIATE_TEST_SUITE_P(aws, aws_quota_of_mixed_failures,
                         testing::Values(mixed_row{"M1", "TT", 480, 472}, mixed_row{"M2", "HH", 490, 490},
                                         mixed_row{"M3", "TH", 485, 481}, mixed_row{"M4", "HT", 485, 481},
                                         mixed_row{"M5", "TTTTTTT", 430, 402},
                                         mixed_row{"M6", "HHHHHHH", 465, 465},
                                         mixed_row{"M7", "HHTTTTH", 445, 429},
                                         mixed_row{"M8", "THHHHTH", 455, 447}),
                         by_id);

TEST(aws_quota_presets, charge_throttling_as_any_failure_before_2026_and_less_since) {
  budget before(token_budget::aws_standard());
  budget since(token_budget::aws_2026());
  for (const fault_kind kind : {fault_kind::rate_limited, fault_kind::overloaded}) {
    EXPECT_TRUE(before.try_take(kind, now));
    EXPECT_TRUE(since.try_take(kind, now));
  }
  EXPECT_EQ(before.balance(now), 490);
  EXPECT_EQ(since.balance(now), 490);
  EXPECT_TRUE(since.try_take(fault_kind::timeout, now));  // a timeout is a failure like others
  EXPECT_EQ(since.balance(now), 476);
}

}  // namespace
}  // namespace relent
