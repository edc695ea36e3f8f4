// SPDX-License-Identifier: Apache-2.0
// Deadline and attempt fields, written and read.
#include <relent/http/propagation.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace relent::http;
using namespace std::chrono_literals;
using relent::duration;
using relent::max_duration;

constexpr propagation everything{true, true, true, true, true, true, true, true, true};

std::string written(const propagation& what, const attempt_facts& facts, std::string_view name) {
  header_list request;
  add_propagation(request, what, facts);
  return std::string(request.first(name).value_or("absent"));
}

// --- how much time is left

struct time_row {
  const char* id;
  duration left;
  const char* grpc;
  const char* envoy;
  const char* connect;
  const char* prefer;
  friend void PrintTo(const time_row& row, std::ostream* out) { *out << row.id; }
};

class time_left : public testing::TestWithParam<time_row> {};

TEST_P(time_left, is_written) {
  const time_row& row = GetParam();
  const attempt_facts facts{.time_left = row.left};
  EXPECT_EQ(written({.grpc_timeout = true}, facts, "grpc-timeout"), row.grpc);
  EXPECT_EQ(written({.envoy_expected_timeout = true}, facts, "x-envoy-expected-rq-timeout-ms"), row.envoy);
  EXPECT_EQ(written({.connect_timeout = true}, facts, "connect-timeout-ms"), row.connect);
  EXPECT_EQ(written({.prefer_wait = true}, facts, "prefer"), row.prefer);
}

INSTANTIATE_TEST_SUITE_P(
    lengths, time_left,
    testing::Values(
        time_row{"a_nanosecond", 1ns, "1n", "1", "1", "absent"},
        time_row{"eight_digits_of_nanoseconds", 99'999'999ns, "99999999n", "99", "99", "absent"},
        time_row{"nine_digits_of_nanoseconds", 100'000'000ns, "100000u", "100", "100", "absent"},
        time_row{"rounded_down_where_it_must_be", 100'000'999ns, "100000u", "100", "100", "absent"},
        time_row{"almost_a_second", 999'999'999ns, "999999u", "999", "999", "absent"},
        time_row{"a_second", 1s, "1000000u", "1000", "1000", "wait=1"},
        time_row{"almost_two_seconds", 1999ms, "1999000u", "1999", "1999", "wait=1"},
        time_row{"half_a_minute", 30s, "30000000u", "30000", "30000", "wait=30"},
        time_row{"100_seconds", 100s, "100000m", "100000", "100000", "wait=100"},
        time_row{"more_than_a_day", 100'000s, "100000S", "100000000", "100000000", "wait=100000"},
        time_row{"almost_all_seconds_of_eight_digits", 99'999'999'999ms, "99999999S", "99999999999",
                 "9999999999", "wait=99999999"},
        time_row{"more_seconds_than_eight_digits", 100'000'059s, "1666667M", "100000059000", "9999999999",
                 "wait=100000059"},
        time_row{"for_ever", max_duration, "2562047H", "9223372036854", "9999999999", "wait=9223372036"},
        time_row{"nothing", 0ns, "1n", "1", "1", "absent"}, time_row{"less", -5s, "1n", "1", "1", "absent"}),
    [](const auto& info) { return std::string(info.param.id); });

TEST_P(time_left, is_read_as_no_more_than_it_was) {
  const time_row& row = GetParam();
  if (row.left < 1ms) return;  // the least that the coarser fields can say
  const propagation times[] = {{.grpc_timeout = true},
                               {.envoy_expected_timeout = true},
                               {.connect_timeout = true},
                               {.prefer_wait = true}};
  for (const propagation& what : times) {
    header_list request;
    add_propagation(request, what, {.time_left = row.left});
    if (request.empty()) continue;
    const auto read = deadline_in(request);
    ASSERT_TRUE(read) << request.begin()->name;
    EXPECT_GT(*read, 0ns) << request.begin()->name;
    EXPECT_LE(*read, row.left) << request.begin()->name;
  }
}

TEST(deadline_writer, writes_nothing_without_a_deadline) {
  header_list request;
  add_propagation(request, {true, true, true, true}, {});
  EXPECT_TRUE(request.empty());
}

// --- which attempt it is

struct attempt_row {
  std::uint32_t number;
  const char* envoy;
  const char* stainless;
  const char* amz;
  const char* grpc;
  friend void PrintTo(const attempt_row& row, std::ostream* out) { *out << row.number; }
};

class attempt_fields : public testing::TestWithParam<attempt_row> {};

TEST_P(attempt_fields, count_each_in_its_own_way) {
  const attempt_row& row = GetParam();
  const attempt_facts facts{.number = row.number, .max_attempts = 3};
  EXPECT_EQ(written(everything, facts, "x-envoy-attempt-count"), row.envoy);
  EXPECT_EQ(written(everything, facts, "x-stainless-retry-count"), row.stainless);
  EXPECT_EQ(written(everything, facts, "amz-sdk-request"), row.amz);
  EXPECT_EQ(written(everything, facts, "grpc-previous-rpc-attempts"), row.grpc);
}

TEST_P(attempt_fields, are_read_as_the_same_attempt) {
  const propagation counts[] = {{.envoy_attempt_count = true},
                                {.stainless_retry_count = true},
                                {.amz_sdk_request = true},
                                {.grpc_previous_attempts = true}};
  for (const propagation& what : counts) {
    header_list request;
    add_propagation(request, what, {.number = GetParam().number});
    if (!request.empty()) {
      EXPECT_EQ(attempt_number_in(request), GetParam().number) << request.begin()->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(numbers, attempt_fields,
                         testing::Values(attempt_row{1, "1", "0", "attempt=1; max=3", "absent"},
                                         attempt_row{2, "2", "1", "attempt=2; max=3", "1"},
                                         attempt_row{3, "3", "2", "attempt=3; max=3", "2"},
                                         attempt_row{4294967295, "4294967295", "4294967294",
                                                     "attempt=4294967295; max=3", "4294967294"}),
                         [](const auto& info) { return "attempt_" + std::to_string(info.param.number); });

TEST(amz_sdk_request, has_an_end_only_if_the_servers_clock_is_known) {
  const std::chrono::system_clock::time_point new_year{std::chrono::seconds{1'767'571'195}};  // 23:59:55
  const propagation what{.amz_sdk_request = true};
  attempt_facts facts{.number = 1, .max_attempts = 3, .time_left = 5s, .wall_now = new_year};
  EXPECT_EQ(written(what, facts, "amz-sdk-request"), "attempt=1; max=3; ttl=20260105T000000Z");
  facts.wall_now = {};
  EXPECT_EQ(written(what, facts, "amz-sdk-request"), "attempt=1; max=3");
  facts.wall_now = new_year;
  facts.time_left = max_duration;
  EXPECT_EQ(written(what, facts, "amz-sdk-request"), "attempt=1; max=3");
  facts.time_left = -1s;
  EXPECT_EQ(written(what, facts, "amz-sdk-request"), "attempt=1; max=3; ttl=20260104T235955Z");
  facts.time_left.reset();
  facts.max_attempts = 0;
  EXPECT_EQ(written(what, facts, "amz-sdk-request"), "attempt=1");
}

TEST(amz_sdk_request, comes_with_the_id_of_the_call) {
  const propagation what{.amz_sdk_request = true};
  EXPECT_EQ(written(what, {.invocation_id = "8e03978e"}, "amz-sdk-invocation-id"), "8e03978e");
  for (const char* id : {"", "a b", "a\r\nX-Evil: 1", "\x7f", "\xc3\xa4"})
    EXPECT_EQ(written(what, {.invocation_id = id}, "amz-sdk-invocation-id"), "absent") << id;
}

// --- the mark

TEST(outer_retries, are_marked_if_there_may_be_any) {
  const propagation what{.enclosed_mark = true};
  EXPECT_EQ(written(what, {.max_attempts = 3}, "relent-outer-retries"), "?1");
  EXPECT_EQ(written(what, {.max_attempts = 0}, "relent-outer-retries"), "?1");
  EXPECT_EQ(written(what, {.max_attempts = 1}, "relent-outer-retries"), "absent");
  EXPECT_EQ(written(what, {.max_attempts = 1, .enclosed = true}, "relent-outer-retries"), "?1");
  EXPECT_EQ(written({}, {.max_attempts = 3, .enclosed = true}, "relent-outer-retries"), "absent");
}

TEST(outer_retries, are_read_from_a_boolean) {
  for (const char* value : {"?1", " ?1\t", "?1;by=me", "?1 ;by=me"})
    EXPECT_TRUE(outer_layer_retries({{"Relent-Outer-Retries", value}})) << value;
  for (const char* value : {"?0", "", "1", "true", "yes", "\"?1\"", "?1?1", "?10", "(?1)"})
    EXPECT_FALSE(outer_layer_retries({{"Relent-Outer-Retries", value}})) << value;
  EXPECT_FALSE(outer_layer_retries({}));
  EXPECT_TRUE(outer_layer_retries({{"relent-outer-retries", "?0"}, {"RELENT-OUTER-RETRIES", "?1"}}));
}

// --- all of them

TEST(propagation, says_nothing_unless_asked) {
  header_list request{{"Accept", "*/*"}};
  add_propagation(request, {}, {.number = 3, .max_attempts = 5, .time_left = 5s, .invocation_id = "a"});
  EXPECT_EQ(request, (header_list{{"Accept", "*/*"}}));
}

TEST(propagation, of_the_next_attempt_takes_the_place_of_the_last) {
  header_list request{{"Accept", "*/*"}, {"Prefer", "respond-async"}, {"Prefer", "wait=99"}};
  add_propagation(request, everything,
                  {.number = 3, .max_attempts = 5, .time_left = 5s, .invocation_id = "a"});
  const std::size_t size = request.size();
  add_propagation(request, everything,
                  {.number = 2, .max_attempts = 5, .time_left = 3s, .invocation_id = "a"});
  EXPECT_EQ(request.size(), size);
  EXPECT_EQ(request.all("prefer"), (std::vector<std::string_view>{"respond-async", "wait=3"}));
  EXPECT_EQ(request.first("grpc-previous-rpc-attempts"), "1");
  EXPECT_EQ(request.first("grpc-timeout"), "3000000u");
  add_propagation(request, everything, {.number = 1, .max_attempts = 5, .time_left = 500ms});
  EXPECT_FALSE(request.contains("grpc-previous-rpc-attempts"));
  EXPECT_EQ(request.all("prefer"), (std::vector<std::string_view>{"respond-async"}));
}

// --- reading what others wrote

struct deadline_row {
  const char* id;
  header_list request;
  std::optional<duration> left;
  friend void PrintTo(const deadline_row& row, std::ostream* out) { *out << row.id; }
};

class deadline_fields : public testing::TestWithParam<deadline_row> {};

TEST_P(deadline_fields, are_read) { EXPECT_EQ(deadline_in(GetParam().request), GetParam().left); }

header_list grpc(const char* value) { return {{"grpc-timeout", value}}; }
header_list envoy(const char* value) { return {{"x-envoy-expected-rq-timeout-ms", value}}; }
header_list connect(const char* value) { return {{"connect-timeout-ms", value}}; }
header_list prefer(const char* value) { return {{"Prefer", value}}; }
constexpr auto none = std::nullopt;

INSTANTIATE_TEST_SUITE_P(
    requests, deadline_fields,
    testing::Values(
        deadline_row{"absent", {{"X-Timeout", "5"}}, none}, deadline_row{"grpc_hours", grpc("2H"), 2h},
        deadline_row{"grpc_minutes", grpc("2M"), 2min}, deadline_row{"grpc_seconds", grpc("2S"), 2s},
        deadline_row{"grpc_milliseconds", grpc("250m"), 250ms},
        deadline_row{"grpc_microseconds", grpc("2u"), 2us}, deadline_row{"grpc_nanoseconds", grpc("2n"), 2ns},
        deadline_row{"grpc_eight_digits", grpc("99999999n"), 99999999ns},
        deadline_row{"grpc_nine_digits", grpc("100000000n"), none},
        deadline_row{"grpc_beyond_all_time", grpc("99999999H"), max_duration},
        deadline_row{"grpc_zero_is_late", grpc("0m"), 0ns},
        deadline_row{"grpc_without_unit", grpc("5"), none},
        deadline_row{"grpc_without_number", grpc("S"), none},
        deadline_row{"grpc_unknown_unit", grpc("5s"), none}, deadline_row{"grpc_negative", grpc("-5S"), none},
        deadline_row{"grpc_fraction", grpc("1.5S"), none}, deadline_row{"grpc_empty", grpc(""), none},
        deadline_row{"envoy", envoy("1500"), 1500ms},
        deadline_row{"envoy_zero_is_no_limit", envoy("0"), none},
        deadline_row{"envoy_junk", envoy("1s"), none},
        deadline_row{"envoy_beyond_all_time", envoy("99999999999999999999999"), max_duration},
        deadline_row{"envoy_one_more_than_64_bits", envoy("18446744073709551616"), max_duration},
        deadline_row{"connect", connect("5000"), 5s}, deadline_row{"connect_zero_is_late", connect("0"), 0ns},
        deadline_row{"connect_ten_digits", connect("9999999999"), 9'999'999'999ms},
        deadline_row{"connect_eleven_digits", connect("10000000000"), none},
        deadline_row{"connect_negative", connect("-1"), none}, deadline_row{"prefer", prefer("wait=10"), 10s},
        deadline_row{"prefer_among_others", prefer("respond-async, WAIT = 10 ;x=y, foo"), 10s},
        deadline_row{"prefer_in_quotes", prefer("wait=\"10\""), 10s},
        deadline_row{"prefer_first_of_two", prefer("wait=10, wait=5"), 10s},
        deadline_row{"prefer_on_two_lines", {{"Prefer", "foo"}, {"Prefer", "wait=7"}}, 7s},
        deadline_row{"prefer_inside_a_text", prefer(R"(foo="a, wait=5", bar)"), none},
        deadline_row{"prefer_after_an_escaped_quote", prefer(R"(foo="a\", wait=5", wait=6)"), 6s},
        deadline_row{"prefer_after_an_unclosed_quote", prefer(R"(foo="a, wait=5)"), none},
        deadline_row{"prefer_ends_in_a_backslash", prefer("foo=\"a\\"), none},
        deadline_row{"prefer_without_value", prefer("wait"), none},
        deadline_row{"prefer_zero", prefer("wait=0"), none},
        deadline_row{"prefer_junk", prefer("wait=soon"), none},
        deadline_row{"prefer_commas", prefer(",,, ,"), none},
        deadline_row{"the_least_of_all",
                     {{"grpc-timeout", "3S"}, {"connect-timeout-ms", "2000"}, {"Prefer", "wait=4"}},
                     2s},
        deadline_row{"the_least_of_one_field", {{"grpc-timeout", "3S"}, {"grpc-timeout", "1S"}}, 1s},
        deadline_row{"the_readable_one", {{"grpc-timeout", "soon"}, {"connect-timeout-ms", "2000"}}, 2s}),
    [](const auto& info) { return std::string(info.param.id); });

struct number_row {
  const char* id;
  header_list request;
  std::optional<std::uint32_t> number;
  friend void PrintTo(const number_row& row, std::ostream* out) { *out << row.id; }
};

class attempt_number : public testing::TestWithParam<number_row> {};

TEST_P(attempt_number, is_read) { EXPECT_EQ(attempt_number_in(GetParam().request), GetParam().number); }

INSTANTIATE_TEST_SUITE_P(
    requests, attempt_number,
    testing::Values(
        number_row{"absent", {}, none}, number_row{"envoy", {{"x-envoy-attempt-count", "2"}}, 2},
        number_row{"envoy_zero", {{"x-envoy-attempt-count", "0"}}, none},
        number_row{"stainless", {{"X-Stainless-Retry-Count", "0"}}, 1},
        number_row{"grpc", {{"grpc-previous-rpc-attempts", "1"}}, 2},
        number_row{"amz", {{"amz-sdk-request", "attempt=2; max=3"}}, 2},
        number_row{
            "amz_in_another_order", {{"amz-sdk-request", "ttl=20260105T000000Z; attempt=2; max=3"}}, 2},
        number_row{"amz_without_blanks", {{"amz-sdk-request", "max=3;attempt=2"}}, 2},
        number_row{"amz_without_attempt", {{"amz-sdk-request", "max=3"}}, none},
        number_row{"junk", {{"x-envoy-attempt-count", "two"}}, none},
        number_row{"negative", {{"x-stainless-retry-count", "-1"}}, none},
        number_row{"beyond_32_bits", {{"x-envoy-attempt-count", "4294967296"}}, 4294967295},
        number_row{"beyond_64_bits", {{"grpc-previous-rpc-attempts", "99999999999999999999999"}}, 4294967295},
        number_row{"the_greatest", {{"x-envoy-attempt-count", "1"}, {"x-stainless-retry-count", "2"}}, 3}),
    [](const auto& info) { return std::string(info.param.id); });

}  // namespace
