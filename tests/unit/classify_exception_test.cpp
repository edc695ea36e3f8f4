// SPDX-License-Identifier: Apache-2.0
// What exceptions mean for retrying, by themselves and with retry_on, and how they are described.
#include <relent/classify.hpp>

#include <gtest/gtest.h>

#include <ios>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

namespace store {

struct busy : std::runtime_error {
  busy() : std::runtime_error("table is locked") {}
};
struct very_busy : busy {};
struct gone : std::runtime_error {
  gone() : std::runtime_error("no such table") {}
};

// Says by the hook what it means.
struct throttled {
  int seconds = 0;
};
relent::fault relent_fault(const throttled& error) {
  return {.kind = relent::fault_kind::rate_limited, .server_delay = std::chrono::seconds{error.seconds}};
}

}  // namespace store

namespace {

using relent::classify;
using relent::fault;
using relent::fault_kind;
using relent::retry_on;

template <class E>
std::exception_ptr thrown(E error) {
  return std::make_exception_ptr(error);
}

std::exception_ptr system_error(std::errc code) {
  return thrown(std::system_error(std::make_error_code(code), "send"));
}

TEST(exception, of_the_system_is_classified_by_its_code) {
  EXPECT_EQ(classify(system_error(std::errc::connection_refused)).kind, fault_kind::unreachable);
  EXPECT_EQ(classify(system_error(std::errc::connection_refused)).effect, relent::effect::none);
  EXPECT_EQ(classify(system_error(std::errc::permission_denied)).kind, fault_kind::rejected);
}

TEST(exception, derived_from_a_system_error_is_classified_by_its_code) {
  struct network_error : std::system_error {
    network_error() : std::system_error(std::make_error_code(std::errc::timed_out)) {}
  };
  EXPECT_EQ(classify(thrown(network_error{})).kind, fault_kind::timeout);
  EXPECT_EQ(classify(thrown(std::ios_base::failure("read", std::make_error_code(std::errc::timed_out)))).kind,
            fault_kind::timeout);
}

TEST(exception, that_nobody_classified_is_unknown_and_not_retried) {
  for (const std::exception_ptr& error :
       {thrown(std::logic_error("x")), thrown(store::busy()), thrown(std::bad_alloc()), thrown(42),
        thrown("text"), thrown(store::throttled{})}) {
    EXPECT_EQ(classify(error), fault{});
    EXPECT_FALSE(relent::default_retry_on.contains(classify(error).kind));
  }
}

TEST(exception, that_is_none_is_unknown) { EXPECT_EQ(classify(std::exception_ptr{}), fault{}); }

TEST(retry_on, calls_its_type_transient_and_nothing_else) {
  EXPECT_EQ(retry_on<store::busy>(thrown(store::busy())), (fault{.transient = true}));
  EXPECT_EQ(retry_on<store::busy>(thrown(store::gone())), std::nullopt);
  EXPECT_EQ(retry_on<store::busy>(thrown(42)), std::nullopt);
}

TEST(retry_on, knows_derived_types) {
  EXPECT_EQ(retry_on<store::busy>(thrown(store::very_busy())), (fault{.transient = true}));
  EXPECT_EQ(retry_on<store::very_busy>(thrown(store::busy())), std::nullopt);
  EXPECT_TRUE(retry_on<std::exception>(thrown(store::gone())).has_value());
}

TEST(retry_on, takes_several_types) {
  constexpr relent::exception_classifier both = retry_on<store::busy, store::gone>;
  EXPECT_TRUE(both(thrown(store::busy())).has_value());
  EXPECT_TRUE(both(thrown(store::gone())).has_value());
  EXPECT_EQ(both(thrown(std::logic_error("x"))), std::nullopt);
}

TEST(retry_on, takes_types_that_are_no_classes) {
  EXPECT_TRUE(retry_on<int>(thrown(42)).has_value());
  EXPECT_EQ(retry_on<int>(thrown(42L)), std::nullopt);
}

TEST(retry_on, asks_the_hook_of_a_type_that_has_one) {
  EXPECT_EQ(retry_on<store::throttled>(thrown(store::throttled{3})),
            (fault{.kind = fault_kind::rate_limited, .server_delay = std::chrono::seconds{3}}));
}

TEST(retry_on, asks_the_code_of_a_type_that_has_one) {
  EXPECT_EQ(retry_on<std::system_error>(system_error(std::errc::permission_denied))->kind,
            fault_kind::rejected)
      << "so naming it does not make everything transient";
}

TEST(retry_on, lets_the_first_type_that_fits_decide) {
  EXPECT_EQ((retry_on<store::throttled, std::exception>(thrown(store::throttled{1}))->kind),
            fault_kind::rate_limited);
  EXPECT_EQ((retry_on<std::runtime_error, std::system_error>(system_error(std::errc::permission_denied))),
            (fault{.transient = true}));
}

TEST(description, names_the_type_and_gives_the_text) {
  EXPECT_EQ(relent::describe(thrown(store::busy())), "store::busy: table is locked");
  EXPECT_EQ(relent::describe(thrown(store::very_busy())), "store::very_busy: table is locked")
      << "the type thrown";
  EXPECT_EQ(relent::describe(thrown(std::logic_error("x"))), "std::logic_error: x");
}

TEST(description, of_a_thrown_text_is_the_text) {
  EXPECT_EQ(relent::describe(thrown(std::string("disk on fire"))), "disk on fire");
  const char* const literal = "no luck";
  EXPECT_EQ(relent::describe(thrown(literal)), "no luck");
}

TEST(description, of_anything_else_is_its_type) {
  EXPECT_EQ(relent::describe(thrown(42)), "int");
  EXPECT_EQ(relent::describe(thrown(store::throttled{})), "store::throttled");
}

TEST(description, of_no_exception_is_empty) { EXPECT_EQ(relent::describe({}), ""); }

}  // namespace
