// SPDX-License-Identifier: Apache-2.0
// What a status says, taken alone; and that policy files name the same kinds.
#include <relent/http/status.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <ostream>
#include <string>

#include "src/policy_file/statuses.hpp"

namespace {

using namespace relent::http;
using relent::effect;
using relent::fault;
using relent::fault_kind;

/// Whether the fault is tried again by a policy that says nothing of it, if repeating is safe.
bool is_transient(const fault& f) {
  return f.transient ? *f.transient : relent::default_retry_on.contains(f.kind);
}

struct expected_row {
  int status;
  fault_kind kind;
  effect done;
  bool transient;
  friend void PrintTo(const expected_row& row, std::ostream* out) { *out << row.status; }
};

class http_status : public testing::TestWithParam<expected_row> {};

TEST_P(http_status, is_the_fault_that_it_should_be) {
  const auto f = fault_of_status(GetParam().status);
  ASSERT_TRUE(f);
  EXPECT_EQ(to_string(f->kind), to_string(GetParam().kind));
  EXPECT_EQ(to_string(effect_of(*f)), to_string(GetParam().done));
  EXPECT_EQ(is_transient(*f), GetParam().transient);
  EXPECT_FALSE(f->vetoed || f->local || f->server_delay || !f->replayable);
}

using enum fault_kind;
constexpr effect none = effect::none;
constexpr effect possible = effect::possible;

INSTANTIATE_TEST_SUITE_P(
    statuses, http_status,
    testing::Values(
        expected_row{400, rejected, none, false}, expected_row{401, unauthenticated, none, false},
        expected_row{402, rejected, none, false}, expected_row{403, rejected, none, false},
        expected_row{404, rejected, none, false}, expected_row{405, rejected, none, false},
        expected_row{406, rejected, none, false}, expected_row{407, rejected, none, false},
        expected_row{408, timeout, possible, true}, expected_row{409, conflict, possible, true},
        expected_row{410, rejected, none, false}, expected_row{411, rejected, none, false},
        expected_row{412, rejected, none, false}, expected_row{413, rejected, none, false},
        expected_row{414, rejected, none, false}, expected_row{415, rejected, none, false},
        expected_row{416, rejected, none, false}, expected_row{417, rejected, none, false},
        expected_row{418, rejected, none, false}, expected_row{421, not_processed, none, true},
        expected_row{422, rejected, none, false}, expected_row{423, rejected, none, false},
        expected_row{424, rejected, none, false}, expected_row{425, not_processed, none, true},
        expected_row{426, rejected, none, false}, expected_row{428, rejected, none, false},
        expected_row{429, rate_limited, possible, true}, expected_row{431, rejected, none, false},
        expected_row{451, rejected, none, false}, expected_row{498, rejected, possible, false},
        expected_row{499, rejected, possible, false}, expected_row{500, server_error, possible, true},
        expected_row{501, rejected, none, false}, expected_row{502, bad_gateway, possible, true},
        expected_row{503, overloaded, possible, true}, expected_row{504, timeout, possible, true},
        expected_row{505, rejected, none, false}, expected_row{506, server_error, possible, false},
        expected_row{507, server_error, possible, false}, expected_row{508, server_error, possible, false},
        expected_row{509, rate_limited, possible, true}, expected_row{510, rejected, possible, false},
        expected_row{511, rejected, possible, false}, expected_row{522, timeout, possible, true},
        expected_row{524, timeout, possible, true},
        // Known to nobody: as the first of the class, or as 500 if there is no such class.
        expected_row{419, rejected, none, false}, expected_row{499 - 9, rejected, none, false},
        expected_row{512, server_error, possible, true}, expected_row{599, server_error, possible, true},
        expected_row{600, server_error, possible, true}, expected_row{999, server_error, possible, true},
        expected_row{99, server_error, possible, true}, expected_row{0, server_error, possible, true}),
    [](const auto& info) { return "status_" + std::to_string(info.param.status); });

TEST(http_statuses, below_400_are_no_faults) {
  for (int status = 100; status < 400; ++status) EXPECT_FALSE(fault_of_status(status)) << status;
}

TEST(http_statuses, of_no_sense_at_all_are_faults) {
  for (const int status : {-2147483647 - 1, -503, -1, 1000, 2147483647})
    EXPECT_EQ(fault_of_status(status)->kind, fault_kind::server_error) << status;
}

TEST(http_statuses, stand_in_the_table_in_order_and_are_found_by_number) {
  int last = 399;
  for (const status_row& row : statuses()) {
    EXPECT_GT(row.status, last);
    last = row.status;
    const auto f = fault_of_status(row.status);
    EXPECT_EQ(f->kind, row.kind) << row.status;
    EXPECT_EQ(effect_of(*f), row.effect) << row.status;
    EXPECT_FALSE(row.note.empty()) << row.status;
  }
}

// The one mistake that does twice what was to be done once.
TEST(http_statuses, prove_that_nothing_was_done_only_where_the_standard_does) {
  for (const status_row& row : statuses()) {
    if (row.status >= 500 && row.status != 501 && row.status != 505) {
      EXPECT_EQ(row.effect, effect::possible) << row.status;
    }
    if (row.kind == not_processed) {
      EXPECT_TRUE(row.status == 421 || row.status == 425) << row.status;
    }
  }
}

TEST(http_statuses, that_every_known_client_retries_are_transient_here) {
  for (const int status : {408, 429, 500, 502, 503, 504, 522, 524})  // curl --retry
    EXPECT_TRUE(is_transient(*fault_of_status(status))) << status;
  for (const int status : {429, 502, 503, 504})  // OTLP/HTTP: these and no others
    EXPECT_TRUE(is_transient(*fault_of_status(status))) << status;
  for (const int status : {400, 404, 413, 501})  // nobody
    EXPECT_FALSE(is_transient(*fault_of_status(status))) << status;
}

TEST(http_statuses, have_the_kinds_that_policy_files_give_them) {
  for (const relent::detail::status_kind& each : relent::detail::retryable_statuses) {
    const auto f = fault_of_status(each.status);
    ASSERT_TRUE(f) << each.status;
    EXPECT_EQ(to_string(f->kind), to_string(each.kind)) << each.status;
  }
}

// A status of the standard that is worth another try can be named in a policy file.
TEST(http_statuses, that_are_registered_and_transient_are_known_to_policy_files) {
  for (const status_row& row : statuses()) {
    if (row.status >= 509 || !is_transient(*fault_of_status(row.status))) continue;
    bool known = false;
    for (const relent::detail::status_kind& each : relent::detail::retryable_statuses)
      known = known || each.status == row.status;
    EXPECT_TRUE(known) << row.status;
  }
}

}  // namespace
