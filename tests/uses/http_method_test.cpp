// SPDX-License-Identifier: Apache-2.0
// What the methods promise.
#include <relent/http/method.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace relent::http;

struct promise_row {
  const char* method;
  bool safe;
  bool idempotent;
  friend void PrintTo(const promise_row& row, std::ostream* out) { *out << row.method; }
};

class http_method : public testing::TestWithParam<promise_row> {};

TEST_P(http_method, promises_what_the_standard_says) {
  EXPECT_EQ(is_safe(GetParam().method), GetParam().safe);
  EXPECT_EQ(is_idempotent(GetParam().method), GetParam().idempotent);
}

INSTANTIATE_TEST_SUITE_P(methods, http_method,
                         testing::Values(promise_row{"GET", true, true}, promise_row{"HEAD", true, true},
                                         promise_row{"OPTIONS", true, true}, promise_row{"TRACE", true, true},
                                         promise_row{"PUT", false, true}, promise_row{"DELETE", false, true},
                                         promise_row{"POST", false, false},
                                         promise_row{"PATCH", false, false},
                                         promise_row{"CONNECT", false, false},
                                         // Unknown here, though WebDAV's own text promises more for some.
                                         promise_row{"LOCK", false, false},
                                         promise_row{"PURGE", false, false}),
                         [](const auto& info) { return std::string(info.param.method); });

TEST(http_methods, are_told_apart_by_the_case_of_their_letters) {
  for (const char* name : {"get", "Get", "put", "Delete", "", " GET", "GET "}) {
    EXPECT_FALSE(is_safe(name)) << name;
    EXPECT_FALSE(is_idempotent(name)) << name;
  }
}

TEST(http_methods, are_idempotent_if_they_are_safe) {
  for (const method_row& row : methods()) EXPECT_TRUE(!row.safe || row.idempotent) << row.name;
}

TEST(http_methods, stand_in_the_table_once_and_are_found_by_name) {
  std::set<std::string_view> names;
  for (const method_row& row : methods()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(is_safe(row.name), row.safe) << row.name;
    EXPECT_EQ(is_idempotent(row.name), row.idempotent) << row.name;
  }
}

}  // namespace
