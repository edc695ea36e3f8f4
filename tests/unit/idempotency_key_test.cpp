// SPDX-License-Identifier: Apache-2.0
// The text of idempotency keys: one's own, and UUIDs of version 7. That all attempts of a call have the
// same one is in the driver's tests.
#include <relent/idempotency_key.hpp>
#include <relent/random.hpp>

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace {

using namespace std::chrono_literals;
using relent::idempotency_key;
using wall_time = std::chrono::system_clock::time_point;

struct fixed_random {
  std::uint64_t bits;
  std::uint64_t next() { return bits; }
};

std::string made_at(std::chrono::milliseconds since_1970, std::uint64_t bits) {
  fixed_random random{bits};
  return std::string(idempotency_key::make(wall_time{since_1970}, random).text());
}

std::string refusal_of(std::string_view text) {
  try {
    idempotency_key{text};
    return "accepted";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

// RFC 9562, appendix A.6: 2022-02-22T14:22:22.00-05:00, random bits cc3 and 18c4dc0c0c07398f.
TEST(idempotency_key, lays_out_the_fields_as_rfc_9562_shows) {
  struct {
    int draws = 0;
    std::uint64_t next() { return ++draws == 1 ? 0xcc3'0000000000000U : 0x18c4dc0c0c07398fU << 2U; }
  } random;
  const idempotency_key key = idempotency_key::make(wall_time{1645557742000ms}, random);
  EXPECT_EQ(key.text(), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(idempotency_key, keeps_version_and_variant_whatever_the_random_bits) {
  EXPECT_EQ(made_at(0ms, 0), "00000000-0000-7000-8000-000000000000");
  EXPECT_EQ(made_at(0ms, ~std::uint64_t{0}), "00000000-0000-7fff-bfff-ffffffffffff");
}

TEST(idempotency_key, begins_with_the_milliseconds_since_1970) {
  EXPECT_EQ(made_at(1ms, 0).substr(0, 13), "00000000-0001");
  EXPECT_EQ(made_at(1'700'000'000'123ms, 0).substr(0, 13), "018bcfe5-687b");
}

TEST(idempotency_key, sorts_by_the_time_it_was_made) {
  relent::random_stream random{1};
  std::string last;
  for (int i = 0; i < 100; ++i) {
    const std::string next(idempotency_key::make(wall_time{1'700'000'000'000ms + i * 1ms}, random).text());
    EXPECT_LT(last, next);
    last = next;
  }
}

TEST(idempotency_key, differs_though_made_in_the_same_millisecond) {
  relent::random_stream random{1};
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.emplace(idempotency_key::make(wall_time{5ms}, random).text());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(idempotency_key, may_be_a_text_of_ones_own) {
  EXPECT_EQ(idempotency_key("order-4711/refund~1!").text(), "order-4711/refund~1!");
  EXPECT_EQ(idempotency_key("x").text(), "x");
  EXPECT_EQ(idempotency_key(std::string(255, 'k')).text(), std::string(255, 'k'));
}

TEST(idempotency_key, outlives_the_text_it_was_made_from) {
  std::string text = "order-4711";
  const idempotency_key key(text);
  text = "overwritten";
  EXPECT_EQ(key.text(), "order-4711");
}

TEST(idempotency_key, refuses_a_text_of_the_wrong_length) {
  EXPECT_EQ(refusal_of(""), "idempotency key: must have 1 to 255 characters, has 0");
  EXPECT_EQ(refusal_of(std::string(256, 'k')), "idempotency key: must have 1 to 255 characters, has 256");
}

TEST(idempotency_key, refuses_what_is_not_visible_ascii_and_says_where) {
  EXPECT_EQ(refusal_of("order 4711"), "idempotency key: character 6 is not visible ASCII");
  EXPECT_EQ(refusal_of("a\r\nX-Evil: 1"), "idempotency key: character 2 is not visible ASCII");
  EXPECT_EQ(refusal_of("\x7f"), "idempotency key: character 1 is not visible ASCII");
  EXPECT_EQ(refusal_of("caf\xc3\xa9"), "idempotency key: character 4 is not visible ASCII");
  EXPECT_EQ(refusal_of(std::string("a\0b", 3)), "idempotency key: character 2 is not visible ASCII");
}

TEST(idempotency_key, accepts_every_visible_ascii_character) {
  for (char c = '!'; c <= '~'; ++c) EXPECT_EQ(refusal_of(std::string(1, c)), "accepted") << c;
}

TEST(idempotency_key, compares_by_its_text) {
  EXPECT_EQ(idempotency_key("a"), idempotency_key("a"));
  EXPECT_NE(idempotency_key("a"), idempotency_key("ab"));
  const idempotency_key copy = idempotency_key("a");
  EXPECT_EQ(copy, idempotency_key("a"));
}

}  // namespace
