// SPDX-License-Identifier: Apache-2.0
// What error codes and GOAWAY say about a request that got no answer.
#include <relent/http/protocol_signal.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>

namespace {

using namespace relent::http;
using relent::effect;
using relent::fault;
using relent::fault_kind;
using enum fault_kind;

bool is_transient(const fault& f) {
  return f.transient ? *f.transient : relent::default_retry_on.contains(f.kind);
}

struct code_row {
  const char* name;
  std::uint64_t code;
  fault_kind kind;
  effect done;
  std::optional<bool> transient;  // nothing: the protocol's text does not say
  friend void PrintTo(const code_row& row, std::ostream* out) { *out << row.name; }
};

void expect_fault(const fault& f, const code_row& row) {
  EXPECT_EQ(to_string(f.kind), to_string(row.kind));
  EXPECT_EQ(to_string(effect_of(f)), to_string(row.done));
  if (row.transient) {
    EXPECT_EQ(is_transient(f), *row.transient);
  }
}

void expect_in_table(std::span<const error_code_row> table, const code_row& row) {
  for (const error_code_row& each : table)
    if (each.code == row.code) {
      EXPECT_EQ(each.name, row.name);
      return;
    }
  ADD_FAILURE() << row.name << " is missing";
}

constexpr effect none = effect::none;
constexpr effect possible = effect::possible;
const auto name_of = [](const auto& info) { return std::string(info.param.name); };

class http2_error : public testing::TestWithParam<code_row> {};

TEST_P(http2_error, is_the_fault_that_it_should_be) {
  expect_fault(fault_of_http2_error(GetParam().code), GetParam());
  expect_in_table(http2_errors(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(rfc_9113, http2_error,
                         testing::Values(code_row{"NO_ERROR", 0x0, reset, possible, {}},
                                         code_row{"PROTOCOL_ERROR", 0x1, reset, possible, false},
                                         code_row{"INTERNAL_ERROR", 0x2, reset, possible, {}},
                                         code_row{"FLOW_CONTROL_ERROR", 0x3, reset, possible, false},
                                         code_row{"SETTINGS_TIMEOUT", 0x4, reset, possible, {}},
                                         code_row{"STREAM_CLOSED", 0x5, reset, possible, {}},
                                         code_row{"FRAME_SIZE_ERROR", 0x6, reset, possible, false},
                                         code_row{"REFUSED_STREAM", 0x7, not_processed, none, true},
                                         code_row{"CANCEL", 0x8, reset, possible, {}},
                                         code_row{"COMPRESSION_ERROR", 0x9, reset, possible, false},
                                         code_row{"CONNECT_ERROR", 0xa, reset, possible, {}},
                                         code_row{"ENHANCE_YOUR_CALM", 0xb, rate_limited, possible, true},
                                         code_row{"INADEQUATE_SECURITY", 0xc, rejected, possible, false}),
                         name_of);

class http3_error : public testing::TestWithParam<code_row> {};

TEST_P(http3_error, is_the_fault_that_it_should_be) {
  expect_fault(fault_of_http3_error(GetParam().code), GetParam());
  expect_in_table(http3_errors(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    rfc_9114, http3_error,
    testing::Values(code_row{"H3_NO_ERROR", 0x100, reset, possible, {}},
                    code_row{"H3_GENERAL_PROTOCOL_ERROR", 0x101, reset, possible, false},
                    code_row{"H3_INTERNAL_ERROR", 0x102, reset, possible, {}},
                    code_row{"H3_STREAM_CREATION_ERROR", 0x103, reset, possible, false},
                    code_row{"H3_CLOSED_CRITICAL_STREAM", 0x104, reset, possible, false},
                    code_row{"H3_FRAME_UNEXPECTED", 0x105, reset, possible, false},
                    code_row{"H3_FRAME_ERROR", 0x106, reset, possible, false},
                    code_row{"H3_EXCESSIVE_LOAD", 0x107, rate_limited, possible, true},
                    code_row{"H3_ID_ERROR", 0x108, reset, possible, false},
                    code_row{"H3_SETTINGS_ERROR", 0x109, reset, possible, false},
                    code_row{"H3_MISSING_SETTINGS", 0x10a, reset, possible, false},
                    code_row{"H3_REQUEST_REJECTED", 0x10b, not_processed, none, true},
                    code_row{"H3_REQUEST_CANCELLED", 0x10c, reset, possible, {}},
                    code_row{"H3_REQUEST_INCOMPLETE", 0x10d, reset, possible, {}},
                    code_row{"H3_MESSAGE_ERROR", 0x10e, reset, possible, false},
                    code_row{"H3_CONNECT_ERROR", 0x10f, reset, possible, {}},
                    code_row{"QPACK_DECOMPRESSION_FAILED", 0x200, reset, possible, false},
                    code_row{"QPACK_ENCODER_STREAM_ERROR", 0x201, reset, possible, false},
                    code_row{"QPACK_DECODER_STREAM_ERROR", 0x202, reset, possible, false}),
    name_of);

TEST(protocol_errors, that_are_unknown_prove_nothing) {
  EXPECT_EQ(fault_of_http2_error(0xe), fault_of_http2_error(0x2));
  EXPECT_EQ(fault_of_http2_error(UINT64_MAX), fault_of_http2_error(0x2));
  EXPECT_EQ(fault_of_http3_error(0x21), fault_of_http3_error(0x100));  // reserved for greasing
  EXPECT_EQ(fault_of_http3_error(UINT64_MAX), fault_of_http3_error(0x100));
}

TEST(protocol_errors, prove_that_nothing_was_done_by_one_code_each) {
  for (const error_code_row& row : http2_errors()) EXPECT_EQ(row.effect == none, row.code == 0x7) << row.name;
  for (const error_code_row& row : http3_errors())
    EXPECT_EQ(row.effect == none, row.code == 0x10b) << row.name;
}

// Not even in HTTP/3, whose codes begin elsewhere.
TEST(protocol_errors, of_one_protocol_mean_nothing_in_the_other) {
  EXPECT_EQ(effect_of(fault_of_http3_error(0x7)), possible);
  EXPECT_EQ(effect_of(fault_of_http2_error(0x10b)), possible);
}

constexpr std::uint32_t graceful = 0x7fff'ffff;

struct close_row {
  const char* id;
  std::uint32_t stream;
  std::optional<std::uint32_t> named;
  bool processed_in_http2;  // it cannot be excluded
  bool processed_in_http3;
  friend void PrintTo(const close_row& row, std::ostream* out) { *out << row.id; }
};

class goaway : public testing::TestWithParam<close_row> {};

void expect_close(const fault& f, bool perhaps_processed) {
  EXPECT_EQ(to_string(f.kind), to_string(perhaps_processed ? reset : not_processed));
  EXPECT_EQ(to_string(effect_of(f)), to_string(perhaps_processed ? possible : none));
  EXPECT_TRUE(is_transient(f));
}

TEST_P(goaway, leaves_out_what_lies_beyond_it) {
  const close_row& row = GetParam();
  expect_close(fault_of_http2_close(row.stream, row.named), row.processed_in_http2);
  expect_close(fault_of_http3_close(row.stream, row.named), row.processed_in_http3);
}

INSTANTIATE_TEST_SUITE_P(
    rules, goaway,
    testing::Values(close_row{"none_was_received", 5, {}, true, true},
                    close_row{"stream_below", 3, 5, true, true},
                    close_row{"stream_itself_where_the_two_differ", 5, 5, true, false},
                    close_row{"stream_above", 7, 5, false, false},
                    close_row{"of_zero_leaves_out_all_but_zero", 1, 0, false, false},
                    close_row{"of_a_graceful_start_leaves_out_none", graceful - 2, graceful, true, true},
                    close_row{"after_a_graceful_start_counts_the_last", 9, 7, false, false}),
    [](const auto& info) { return std::string(info.param.id); });

TEST(goaway_rule, ignores_the_reserved_bit_of_http2) {
  expect_close(fault_of_http2_close(7, 0x8000'0005U), false);
  expect_close(fault_of_http2_close(5, 0x8000'0005U), true);
}

TEST(goaway_rule, differs_by_one_between_the_protocols) {
  ASSERT_EQ(goaway_rules().size(), 2U);
  EXPECT_FALSE(goaway_rules()[0].rejects_its_own_id);
  EXPECT_TRUE(goaway_rules()[1].rejects_its_own_id);
}

TEST(goaway_rule, reaches_to_the_greatest_ids_of_http3) {
  constexpr std::uint64_t greatest = (std::uint64_t{1} << 62U) - 1;
  expect_close(fault_of_http3_close(greatest - 3, greatest - 3), false);
  expect_close(fault_of_http3_close(greatest - 7, greatest - 3), true);
}

}  // namespace
