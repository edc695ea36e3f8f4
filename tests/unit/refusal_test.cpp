// SPDX-License-Identifier: Apache-2.0
// What a call gives back that was refused before its first attempt, and what errors say in their own words.
#include "outcome_types.hpp"

#include <relent/retry.hpp>

#include <gtest/gtest.h>
#include <tl/expected.hpp>

#include <stop_token>

namespace {

using relent::stop_reason;

// Asks for a call that may not even begin.
template <class Operation>
decltype(auto) refused_call(Operation operation) {
  std::stop_source source;
  source.request_stop();
  return relent::retry(operation, relent::call_options{.stop = source.get_token()});
}

const std::error_code cancelled = relent::make_refusal(stop_reason::cancelled);

// An error type of one's own that can be made from an error code.
struct own_error {
  explicit own_error(std::error_code c) : code_value(c) {}
  std::error_code code_value;
  std::error_code code() const { return code_value; }
};

TEST(refusal, comes_back_as_an_error_code_where_that_is_the_result) {
  EXPECT_EQ(refused_call([] { return std::error_code(); }), cancelled);
}

TEST(refusal, comes_back_as_the_error_of_an_expected_that_can_hold_an_error_code) {
  const auto got = refused_call([]() -> tl::expected<int, std::error_code> { return 42; });
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error(), cancelled);
}

TEST(refusal, comes_back_as_an_error_made_from_an_error_code) {
  const auto got = refused_call([]() -> tl::expected<void, own_error> { return {}; });
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code(), cancelled);
}

TEST(refusal, is_thrown_where_the_expected_cannot_hold_it) {
  EXPECT_THROW(refused_call([]() -> tl::expected<int, shop::fetch_error> { return 42; }), relent::refused);
  EXPECT_THROW(refused_call([]() -> shop::result<int, std::error_code> { return 42; }), relent::refused)
      << "whose error cannot be told from its value";
}

TEST(refusal, is_thrown_where_there_is_only_a_value) {
  EXPECT_THROW(refused_call([] { return 42; }), relent::refused);
  EXPECT_THROW(refused_call([] { return shop::response{}; }), relent::refused);
  EXPECT_THROW(refused_call([] {}), relent::refused);
}

TEST(refusal, says_why_when_thrown) {
  try {
    refused_call([] { return 42; });
    FAIL() << "not refused";
  } catch (const relent::refused& error) {
    EXPECT_EQ(error.reason(), stop_reason::cancelled);
    EXPECT_EQ(error.code(), cancelled);
    EXPECT_STREQ(error.what(), "refused before the first attempt: the call was cancelled");
  }
}

class refusal_for : public testing::TestWithParam<int> {};

TEST_P(refusal_for, has_a_code_of_its_own_that_is_an_error) {
  const auto reason = static_cast<stop_reason>(GetParam());
  const std::error_code code = relent::make_refusal(reason);
  EXPECT_TRUE(code) << "zero would mean success";
  EXPECT_EQ(code.value(), GetParam() + 1);
  EXPECT_EQ(code.category(), relent::refusal_category());
  EXPECT_STREQ(code.category().name(), "relent");
  EXPECT_EQ(code.message(), "refused before the first attempt: " + std::string(explain(reason)));
}

INSTANTIATE_TEST_SUITE_P(every, refusal_for, testing::Range(0, relent::stop_reason_count),
                         [](const auto& row) {
                           return std::string(to_string(static_cast<stop_reason>(row.param)));
                         });

TEST(refusal, has_no_message_for_other_values) {
  EXPECT_EQ(relent::refusal_category().message(0), "not a refusal");
  EXPECT_EQ(relent::refusal_category().message(relent::stop_reason_count + 1), "not a refusal");
  EXPECT_EQ(relent::refusal_category().message(-1), "not a refusal");
}

using relent::detail::text_of_error;
using relent::detail::text_of_result;

TEST(text_of_an_error, is_what_its_hook_says) {
  EXPECT_EQ(text_of_error(shop::fetch_error{503}), "status 503");
}

TEST(text_of_an_error, is_the_error_where_that_is_a_text) {
  EXPECT_EQ(text_of_error(std::string("no route")), "no route");
  EXPECT_EQ(text_of_error("no route"), "no route");
}

TEST(text_of_an_error, is_the_message_of_its_code) {
  const std::error_code code = std::make_error_code(std::errc::connection_refused);
  EXPECT_EQ(text_of_error(code), code.message());
  EXPECT_EQ(text_of_error(std::errc::connection_refused), code.message());
}

TEST(text_of_an_error, is_what_an_exception_says) {
  EXPECT_EQ(text_of_error(std::runtime_error("no route")), "no route");
  EXPECT_EQ(text_of_error(std::make_exception_ptr(std::runtime_error("no route"))),
            "std::runtime_error: no route");
}

TEST(text_of_an_error, is_empty_where_the_type_has_none) {
  EXPECT_EQ(text_of_error(relent::fault{}), "");
  EXPECT_EQ(text_of_error(42), "");
}

TEST(text_of_an_error, of_a_result_is_that_of_its_error) {
  EXPECT_EQ(text_of_result(tl::expected<int, std::string>(tl::unexpected(std::string("no route")))),
            "no route");
  EXPECT_EQ(text_of_result(shop::result<int, shop::fetch_error>(shop::fetch_error{404})), "status 404");
  EXPECT_EQ(text_of_result(std::make_error_code(std::errc::timed_out)),
            std::make_error_code(std::errc::timed_out).message());
  EXPECT_EQ(text_of_result(shop::response{503}), "");
}

}  // namespace
