// SPDX-License-Identifier: Apache-2.0
// The kinds of faults: their names, what each says about the work and about the dependency's health.
#include <relent/fault.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

namespace {

using relent::effect;
using relent::fault;
using relent::fault_kind;
using relent::fault_set;
using relent::phase;

struct kind_row {
  fault_kind kind;
  const char* name;
  effect work;
  bool health;      // counts in a breaker
  bool by_default;  // in default_retry_on
};

constexpr kind_row kinds[] = {
    {fault_kind::unreachable, "unreachable", effect::none, true, true},
    {fault_kind::not_processed, "not_processed", effect::none, false, true},
    {fault_kind::reset, "reset", effect::possible, true, true},
    {fault_kind::timeout, "timeout", effect::possible, true, true},
    {fault_kind::rate_limited, "rate_limited", effect::possible, false, true},
    {fault_kind::overloaded, "overloaded", effect::possible, true, true},
    {fault_kind::bad_gateway, "bad_gateway", effect::possible, true, true},
    {fault_kind::server_error, "server_error", effect::possible, true, true},
    {fault_kind::conflict, "conflict", effect::possible, false, true},
    {fault_kind::aborted, "aborted", effect::none, false, true},
    {fault_kind::unauthenticated, "unauthenticated", effect::none, false, false},
    {fault_kind::rejected, "rejected", effect::none, false, false},
    {fault_kind::cancelled, "cancelled", effect::possible, false, false},
    {fault_kind::unknown, "unknown", effect::possible, false, false},
};
static_assert(std::size(kinds) == relent::fault_kind_count);

class kind_of_fault : public testing::TestWithParam<kind_row> {};

TEST_P(kind_of_fault, has_the_name_that_reads_back_as_it) {
  EXPECT_EQ(relent::to_string(GetParam().kind), GetParam().name);
  EXPECT_EQ(relent::fault_kind_from(GetParam().name), GetParam().kind);
}

TEST_P(kind_of_fault, says_whether_the_work_may_have_been_done) {
  EXPECT_EQ(relent::effect_of({.kind = GetParam().kind}), GetParam().work);
}

TEST_P(kind_of_fault, yields_to_an_effect_that_is_known) {
  EXPECT_EQ(relent::effect_of({.kind = GetParam().kind, .effect = effect::none}), effect::none);
  EXPECT_EQ(relent::effect_of({.kind = GetParam().kind, .effect = effect::possible}), effect::possible);
}

TEST_P(kind_of_fault, concerns_health_only_if_it_speaks_about_the_dependency) {
  EXPECT_EQ(relent::concerns_health({.kind = GetParam().kind}), GetParam().health);
  EXPECT_FALSE(relent::concerns_health({.kind = GetParam().kind, .local = true})) << "our own shortage";
}

TEST_P(kind_of_fault, is_retried_by_default_if_another_try_can_help) {
  EXPECT_EQ(relent::default_retry_on.contains(GetParam().kind), GetParam().by_default);
}

INSTANTIATE_TEST_SUITE_P(every, kind_of_fault, testing::ValuesIn(kinds),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(fault, has_no_kind_of_another_name) {
  EXPECT_EQ(relent::fault_kind_from(""), std::nullopt);
  EXPECT_EQ(relent::fault_kind_from("Timeout"), std::nullopt);
  EXPECT_EQ(relent::fault_kind_from("timeouts"), std::nullopt);
}

TEST(fault, is_unknown_until_somebody_says_more) {
  EXPECT_EQ(fault{}.kind, fault_kind::unknown);
  EXPECT_EQ(relent::effect_of({}), effect::possible);
}

TEST(fault, has_no_effect_before_the_request_begins_to_leave) {
  for (const phase reached : {phase::resolve, phase::connect, phase::handshake, phase::connected})
    EXPECT_EQ(relent::effect_in(reached), effect::none) << static_cast<int>(reached);
  for (const phase reached :
       {phase::request_partial, phase::request_written, phase::response_head, phase::response_body})
    EXPECT_EQ(relent::effect_in(reached), effect::possible) << static_cast<int>(reached);
}

TEST(fault, names_its_effects) {
  EXPECT_EQ(relent::to_string(effect::none), "none");
  EXPECT_EQ(relent::to_string(effect::possible), "possible");
}

TEST(fault_set, holds_what_it_was_made_from) {
  constexpr fault_set some{fault_kind::timeout, fault_kind::unknown};
  for (const kind_row& row : kinds)
    EXPECT_EQ(some.contains(row.kind), row.kind == fault_kind::timeout || row.kind == fault_kind::unknown)
        << row.name;
}

TEST(fault_set, gains_and_loses_single_kinds) {
  constexpr fault_set one{fault_kind::timeout};
  EXPECT_EQ(one.with(fault_kind::reset), (fault_set{fault_kind::reset, fault_kind::timeout}));
  EXPECT_EQ(one.with(fault_kind::timeout), one);
  EXPECT_EQ(one.without(fault_kind::timeout), fault_set{});
  EXPECT_EQ(one.without(fault_kind::reset), one);
}

}  // namespace
