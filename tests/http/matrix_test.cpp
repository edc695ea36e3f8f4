// SPDX-License-Identifier: Apache-2.0
// The matrix: every fault with every method, body and kind of connection, over real sockets. The cells that differ in
// nothing but the body run at the same time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "matrix_cell.hpp"
#include "matrix_oracle.hpp"
#include "matrix_performed.hpp"

namespace {

using namespace relent;
using namespace relent::test::matrix;

struct group {
  const fault_row* fault;
  test::matrix::method method;
  test::matrix::connection connection;
  bool tls = false;
};

void PrintTo(const group& of, std::ostream* out) { *out << of.fault->name; }

using methods = std::initializer_list<test::matrix::method>;

std::vector<group> groups(methods ways) {
  std::vector<group> all;
  for (const fault_row& fault : faults)
    for (const auto way : ways)
      for (const auto line : {connection::kept, connection::fresh}) all.push_back({&fault, way, line});
  return all;
}

std::string name_of_group(const ::testing::TestParamInfo<group>& of) {
  return std::string(of.param.fault->name) + '_' + name_of(of.param.method) + '_' +
         name_of(of.param.connection);
}

std::vector<cell> cells_of(const group& all) {
  std::vector<cell> cells;
  for (const auto kind : {body::none, body::memory, body::file, body::rewindable, body::one_shot})
    if (all.method != method::get || kind == body::none)
      cells.push_back({all.fault, all.method, kind, all.connection, all.tls});
  return cells;
}

void check_result(const cell& of, const observed& seen, const expected& due) {
  const curl::response& got = seen.response;
  EXPECT_EQ(got.stop(), due.stop) << got.what();
  EXPECT_EQ(got.ok(), !due.stop.has_value()) << got.what();
  EXPECT_EQ(got.status, due.status);
  if (due.attempts) {
    EXPECT_EQ(got.report.attempts, *due.attempts);
  }
  if (due.transfers) {
    EXPECT_EQ(got.transfers.size(), *due.transfers);
  }
  EXPECT_LT(seen.took, most_time(of));
  if (got.report.attempts > 1) {
    EXPECT_GE(seen.took, of.fault->at_least);
  }
}

void check_server(const cell& of, const observed& seen, const expected& due) {
  EXPECT_EQ(seen.counts.attempts, due.requests);
  EXPECT_EQ(seen.counts.executions, due.executions);
  // Every body that the server read was whole and the same.
  const std::uint64_t size = of.body == body::none ? 0 : content_size;
  EXPECT_EQ(seen.counts.bodies_different, 0U);
  EXPECT_EQ(seen.counts.body_bytes, seen.counts.bodies_complete * size);
  if (of.fault->reads_body) {
    EXPECT_EQ(seen.counts.bodies_complete, due.whole_bodies);
  }
}

/// What must hold whatever the oracle says.
void check_invariants(const cell& of, const observed& seen) {
  if (of.method == method::post && !is_proven(of)) {
    EXPECT_LE(seen.counts.attempts, 1U);
  }
  if (of.method == method::post || of.method == method::post_with_key) {
    EXPECT_LE(seen.counts.executions, 1U);
  }
  if (of.body == body::one_shot) {
    EXPECT_LE(seen.counts.bodies_complete, 1U);
    EXPECT_LE(seen.counts.body_bytes, content_size);
    if (seen.response.ok()) {
      EXPECT_EQ(seen.counts.body_bytes, content_size);
    }
  }
}

/// Which attempts opened a connection.
void check_connections(const cell& of, const observed& seen) {
  const auto& transfers = seen.response.transfers;
  if (of.fault->ahead) return;
  ASSERT_FALSE(transfers.empty());
  EXPECT_EQ(transfers[0].new_connection, of.connection == connection::fresh);
  if (transfers.size() > 1 && of.fault->faults) {
    EXPECT_EQ(transfers[1].new_connection, !of.fault->connection_lasts || is_turned_down_unsent(of));
  }
}

void check(const cell& of, const observed& seen) {
  const expected due = expect(of, seen.taken_at_first);
  check_result(of, seen, due);
  check_server(of, seen, due);
  check_invariants(of, seen);
  check_connections(of, seen);
}

/// Runs them at the same time, and checks them one by one.
void check_all(const std::vector<cell>& cells, observed (*run_one)(const cell& of)) {
  std::vector<std::future<observed>> running;
  running.reserve(cells.size());
  for (const cell& each : cells)
    running.push_back(std::async(std::launch::async, [&each, run_one] { return run_one(each); }));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    SCOPED_TRACE(name_of(cells[i]));
    check(cells[i], running[i].get());
  }
}

class matrix : public ::testing::TestWithParam<group> {};

TEST_P(matrix, comes_to_what_the_oracle_says) { check_all(cells_of(GetParam()), &run); }

INSTANTIATE_TEST_SUITE_P(cells, matrix,
                         ::testing::ValuesIn(groups({method::get, method::put, method::post,
                                                     method::post_with_key})),
                         name_of_group);

/// Without what takes its time.
std::vector<group> quick_groups(methods ways, bool tls) {
  std::vector<group> all;
  for (group each : groups(ways)) {
    each.tls = tls;
    if (!each.fault->silent && each.fault->at_least == 0ms) all.push_back(each);
  }
  return all;
}

/// Under TLS what concerns the connection has other ways to show itself.
class tls_matrix : public ::testing::TestWithParam<group> {};

TEST_P(tls_matrix, comes_to_what_the_oracle_says) { check_all(cells_of(GetParam()), &run); }

INSTANTIATE_TEST_SUITE_P(
    cells, tls_matrix,
    ::testing::ValuesIn(quick_groups({method::get, method::put, method::post, method::post_with_key}, true)),
    name_of_group);

/// With a handle of the caller's own; what such a handle can send of itself, without callbacks.
class performed_matrix : public ::testing::TestWithParam<group> {};

TEST_P(performed_matrix, comes_to_the_same) {
  std::vector<cell> cells;
  for (const cell& each : cells_of(GetParam()))
    if (each.body == body::none || each.body == body::memory) cells.push_back(each);
  check_all(cells, &perform);
}

INSTANTIATE_TEST_SUITE_P(cells, performed_matrix,
                         ::testing::ValuesIn(quick_groups({method::get, method::post, method::post_with_key},
                                                          false)),
                         name_of_group);

}  // namespace
