// SPDX-License-Identifier: Apache-2.0
// Which results of an operation are failures, by the shape of their types. Calls that were refused, and
// texts of errors: refusal_test.cpp. std::expected: std_expected_cxx23_test.cpp.
#include "outcome_types.hpp"

#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>

#include <gtest/gtest.h>
#include <tl/expected.hpp>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>

namespace {

using namespace std::chrono_literals;
using relent::fault_kind;
using relent::detail::fault_in;

constexpr relent::policy three_attempts{{.max_attempts = 3}};

// Every other call of it fails, the first too.
template <class R>
class flaky {
 public:
  flaky(R failure, R success) : failure_(std::move(failure)), success_(std::move(success)) {}
  R operator()() { return ++calls_ % 2 == 1 ? failure_ : success_; }
  int calls() const { return calls_; }

 private:
  R failure_;
  R success_;
  int calls_ = 0;
};

class outcome : public testing::Test {
 protected:
  relent::call_options options() { return {.clock = &clock_}; }
  relent::testing::manual_clock clock_;
};

TEST_F(outcome, error_code_is_a_failure_unless_it_is_zero) {
  flaky<std::error_code> save(std::make_error_code(std::errc::connection_refused), {});
  EXPECT_EQ(relent::retry(three_attempts, save, options()), std::error_code());
  EXPECT_EQ(save.calls(), 2);
  EXPECT_EQ(fault_in(std::make_error_code(std::errc::timed_out))->kind, fault_kind::timeout);
  EXPECT_EQ(fault_in(std::error_code()), std::nullopt);
}

TEST_F(outcome, error_code_that_is_permanent_comes_back_at_once) {
  flaky<std::error_code> save(std::make_error_code(std::errc::permission_denied), {});
  EXPECT_EQ(relent::retry(three_attempts, save, options()), std::errc::permission_denied);
  EXPECT_EQ(save.calls(), 1);
}

TEST_F(outcome, type_that_converts_to_an_error_code_is_judged_as_one) {
  struct own_code {
    int value;
    operator std::error_code() const { return {value, std::generic_category()}; }
  };
  EXPECT_EQ(fault_in(own_code{ETIMEDOUT})->kind, fault_kind::timeout);
  EXPECT_EQ(fault_in(own_code{0}), std::nullopt);
}

TEST_F(outcome, tl_expected_is_a_failure_if_it_holds_an_error) {
  using fetched = tl::expected<int, shop::fetch_error>;
  flaky<fetched> fetch(tl::unexpected(shop::fetch_error{503}), 42);
  EXPECT_EQ(relent::retry(three_attempts, fetch, options()), 42);
  EXPECT_EQ(fetch.calls(), 2);
}

TEST_F(outcome, tl_expected_comes_back_with_its_permanent_error) {
  using fetched = tl::expected<int, shop::fetch_error>;
  flaky<fetched> fetch(tl::unexpected(shop::fetch_error{404}), 42);
  const fetched got = relent::retry(three_attempts, fetch, options());
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().status, 404);
  EXPECT_EQ(fetch.calls(), 1);
}

TEST_F(outcome, tl_expected_of_nothing_or_of_what_only_moves_is_judged_all_the_same) {
  using saved = tl::expected<void, std::error_code>;
  flaky<saved> save(tl::unexpected(std::make_error_code(std::errc::connection_refused)), {});
  EXPECT_TRUE(relent::retry(three_attempts, save, options()).has_value());
  EXPECT_EQ(save.calls(), 2);

  int calls = 0;
  const auto opened = relent::retry(
      three_attempts,
      [&calls]() -> tl::expected<std::unique_ptr<int>, fault_kind> {
        if (++calls == 1) return tl::unexpected(fault_kind::unreachable);
        return std::make_unique<int>(7);
      },
      options());
  EXPECT_EQ(**opened, 7);
}

TEST_F(outcome, expected_type_of_ones_own_is_known_by_its_shape) {
  using fetched = shop::result<std::string, shop::fetch_error>;
  static_assert(relent::expected_like<fetched>);
  flaky<fetched> fetch(shop::fetch_error{503}, std::string("page"));
  EXPECT_EQ(relent::retry(three_attempts, fetch, options()).value(), "page");
  EXPECT_EQ(fetch.calls(), 2);
}

TEST_F(outcome, value_that_carries_a_status_is_judged_by_its_hook) {
  static_assert(relent::carries_status<shop::response> && !relent::carries_status<shop::fetch_error>);
  flaky<shop::response> get({503}, {200});
  EXPECT_EQ(relent::retry(three_attempts, get, options()).status, 200);
  EXPECT_EQ(get.calls(), 2);
  flaky<shop::response> get_missing({404}, {200});
  EXPECT_EQ(relent::retry(three_attempts, get_missing, options()).status, 404)
      << "the last result, unchanged";
}

TEST_F(outcome, optional_fault_is_a_failure_if_it_holds_one) {
  flaky<std::optional<relent::fault>> probe(relent::fault{.kind = fault_kind::unreachable}, std::nullopt);
  EXPECT_EQ(relent::retry(three_attempts, probe, options()), std::nullopt);
  EXPECT_EQ(probe.calls(), 2);
  EXPECT_EQ(fault_in(relent::optional<relent::fault>(relent::fault{.kind = fault_kind::reset}))->kind,
            fault_kind::reset);
  EXPECT_EQ(fault_in(relent::optional<relent::fault>()), relent::nullopt);
}

TEST_F(outcome, any_other_value_is_a_success) {
  EXPECT_EQ(fault_in(-1), std::nullopt);
  EXPECT_EQ(fault_in(std::string("error")), std::nullopt);
  EXPECT_EQ(fault_in(std::optional<int>()), std::nullopt) << "an optional has no error to look at";
  EXPECT_EQ(fault_in(static_cast<void*>(nullptr)), std::nullopt);
}

TEST_F(outcome, judge_decides_for_a_result_without_hook) {
  flaky<int> answer(-1, 42);
  const auto negative_is_busy = [](int result) {
    return result < 0 ? std::optional(relent::fault{.kind = fault_kind::overloaded}) : std::nullopt;
  };
  EXPECT_EQ(relent::retry(three_attempts, relent::classified(std::ref(answer), negative_is_busy), options()),
            42);
  EXPECT_EQ(answer.calls(), 2);
}

TEST_F(outcome, judge_makes_a_bare_bool_usable) {
  flaky<bool> save(false, true);
  const auto no_is_busy = [](bool saved) {
    return saved ? std::nullopt : std::optional(relent::fault{.kind = fault_kind::overloaded});
  };
  EXPECT_TRUE(relent::retry(three_attempts, relent::classified(std::ref(save), no_is_busy), options()));
  EXPECT_EQ(save.calls(), 2);
}

TEST_F(outcome, judge_goes_before_the_hook_of_the_type) {
  flaky<shop::response> get({404}, {200});
  const auto not_there_yet = [](const shop::response& got) {
    return got.status == 404 ? std::optional(relent::fault{.kind = fault_kind::not_processed}) : std::nullopt;
  };
  EXPECT_EQ(relent::retry(three_attempts, relent::classified(std::ref(get), not_there_yet), options()).status,
            200);
}

TEST_F(outcome, judge_may_be_given_an_operation_that_takes_the_attempt) {
  const auto number = relent::classified(
      [](relent::attempt attempt) { return attempt.number(); },
      [](std::uint32_t n) {
        return n < 3 ? std::optional(relent::fault{.kind = fault_kind::timeout}) : std::nullopt;
      });
  EXPECT_EQ(relent::retry(three_attempts, relent::classified(number.operation, number.judge), options()), 3U);
}

}  // namespace
