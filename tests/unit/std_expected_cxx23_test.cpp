// SPDX-License-Identifier: Apache-2.0
// std::expected as the result of an operation. Compiled as C++23; empty where the library has no <expected>.
#include <version>

#if defined(__cpp_lib_expected)

#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>

#include <gtest/gtest.h>

#include <expected>
#include <memory>
#include <stop_token>

namespace {

using relent::fault_kind;

constexpr relent::policy three_attempts{{.max_attempts = 3}};

static_assert(relent::expected_like<std::expected<int, std::error_code>>);
static_assert(relent::expected_like<std::expected<void, fault_kind>>);

TEST(std_expected, is_a_failure_if_it_holds_an_error) {
  relent::testing::manual_clock clock;
  int calls = 0;
  const std::expected<std::unique_ptr<int>, std::error_code> got = relent::retry(
      three_attempts,
      [&calls]() -> std::expected<std::unique_ptr<int>, std::error_code> {
        if (++calls < 3) return std::unexpected(std::make_error_code(std::errc::connection_refused));
        return std::make_unique<int>(42);
      },
      relent::call_options{.clock = &clock});
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(**got, 42);
  EXPECT_EQ(calls, 3);
}

TEST(std_expected, comes_back_with_its_last_error) {
  relent::testing::manual_clock clock;
  int calls = 0;
  const std::expected<void, fault_kind> got = relent::retry(
      three_attempts,
      [&calls]() -> std::expected<void, fault_kind> {
        ++calls;
        return std::unexpected(fault_kind::timeout);
      },
      relent::call_options{.clock = &clock});
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error(), fault_kind::timeout);
  EXPECT_EQ(calls, 3);
}

TEST(std_expected, holds_the_refusal_if_its_error_can) {
  std::stop_source source;
  source.request_stop();
  const relent::call_options stopped{.stop = source.get_token()};
  const auto got = relent::retry([]() -> std::expected<int, std::error_code> { return 42; }, stopped);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error(), relent::make_refusal(relent::stop_reason::cancelled));
  EXPECT_THROW(relent::retry([]() -> std::expected<int, fault_kind> { return 42; }, stopped),
               relent::refused);
}

}  // namespace

#endif
