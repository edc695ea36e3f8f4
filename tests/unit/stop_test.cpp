// SPDX-License-Identifier: Apache-2.0
// The stop handle: holds a stop token of any type, copies it as a value.
#include <relent/stop.hpp>

#include <gtest/gtest.h>

#include <stop_token>
#include <utility>

namespace {

using relent::stop_handle;

// A token that counts how many of it exist.
struct counted_token {
  explicit counted_token(int& alive_count) : alive(&alive_count) { ++*alive; }
  counted_token(const counted_token& other) : alive(other.alive), triggered(other.triggered) { ++*alive; }
  counted_token& operator=(const counted_token&) = delete;
  ~counted_token() { --*alive; }
  bool stop_requested() const { return triggered; }
  bool stop_possible() const { return true; }
  int* alive;
  bool triggered = false;
};

TEST(stop_handle, without_a_token_is_never_triggered) {
  const stop_handle nothing;
  EXPECT_FALSE(nothing.has_token());
  EXPECT_FALSE(nothing.requested());
  EXPECT_EQ(nothing.as<std::stop_token>(), nullptr);
}

TEST(stop_handle, follows_its_token) {
  std::stop_source source;
  const stop_handle handle = source.get_token();
  EXPECT_TRUE(handle.has_token());
  EXPECT_FALSE(handle.requested());
  source.request_stop();
  EXPECT_TRUE(handle.requested());
}

TEST(stop_handle, keeps_the_token_alive_after_its_source) {
  stop_handle handle;
  {
    std::stop_source source;
    source.request_stop();
    handle = source.get_token();
  }
  EXPECT_TRUE(handle.requested());
}

TEST(stop_handle, takes_a_token_that_can_never_be_triggered) {
  const stop_handle handle = std::stop_token();
  EXPECT_TRUE(handle.has_token());
  EXPECT_FALSE(handle.requested());
}

TEST(stop_handle, gives_the_token_back_by_its_type) {
  std::stop_source source;
  const stop_handle handle = source.get_token();
  ASSERT_NE(handle.as<std::stop_token>(), nullptr);
  EXPECT_EQ(*handle.as<std::stop_token>(), source.get_token());
  EXPECT_EQ(handle.as<counted_token>(), nullptr);
}

TEST(stop_handle, copies_and_assigns_as_a_value) {
  std::stop_source one;
  std::stop_source other;
  stop_handle a = one.get_token();
  stop_handle b = a;
  a = other.get_token();
  one.request_stop();
  EXPECT_TRUE(b.requested());
  EXPECT_FALSE(a.requested());
  b = a;
  EXPECT_FALSE(b.requested());
  b = stop_handle();
  EXPECT_FALSE(b.has_token());
}

TEST(stop_handle, assigned_to_itself_stays_as_it_was) {
  std::stop_source source;
  stop_handle handle = source.get_token();
  const stop_handle& itself = handle;
  handle = itself;
  source.request_stop();
  EXPECT_TRUE(handle.requested());
}

TEST(stop_handle, destroys_each_copy_of_the_token_once) {
  int alive = 0;
  {
    const counted_token token(alive);
    stop_handle a = token;
    stop_handle b = a;
    stop_handle c = std::move(b);
    EXPECT_EQ(alive, 4);
    a = stop_handle();
    EXPECT_EQ(alive, 3);
    c = b;
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
