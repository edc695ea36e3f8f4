// SPDX-License-Identifier: Apache-2.0
// The generator's numbers, and what is drawn from them. Forked processes: fork_test.cpp.
#include <relent/random.hpp>
#include <relent/testing/scripted_random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::duration;
using relent::max_duration;
using relent::random_stream;
using relent::uniform_below;
using relent::uniform_unit;

constexpr std::uint64_t most = ~std::uint64_t{0};

template <class Source>
std::array<std::uint64_t, 5> five_of(Source&& source) {
  return {source.next(), source.next(), source.next(), source.next(), source.next()};
}

static_assert(!std::is_copy_constructible_v<random_stream> && !std::is_copy_assignable_v<random_stream> &&
                  !std::is_move_constructible_v<random_stream>,
              "two streams never share a series");

TEST(random, spreads_a_seed_as_split_mix_64_does) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(relent::detail::split_mix(state), 6457827717110365317U);
  EXPECT_EQ(relent::detail::split_mix(state), 3203168211198807973U);
  EXPECT_EQ(relent::detail::split_mix(state), 9817491932198370423U);
}

TEST(random, gives_the_published_numbers_of_xoshiro_256_plus_plus) {
  const std::array<std::uint64_t, 5> published{41943041, 58720359, 3588806011781223, 3591011842654386,
                                               9228616714210784205U};
  EXPECT_EQ(five_of(random_stream{{1, 2, 3, 4}}), published);
}

TEST(random, gives_the_same_series_for_the_same_seed_for_ever) {
  const std::array<std::uint64_t, 5> series_of_1{0xcfc5d07f6f03c29b, 0xbf424132963fe08d, 0x19a37d5757aaf520,
                                                 0xbf08119f05cd56d6, 0x2f47184b86186fa4};
  EXPECT_EQ(five_of(random_stream{1}), series_of_1);
}

TEST(random, gives_another_series_for_another_seed) {
  EXPECT_NE(five_of(random_stream{1}), five_of(random_stream{2}));
  EXPECT_NE(five_of(random_stream{0}), five_of(random_stream{most}));
}

TEST(random, gives_numbers_even_without_entropy) {
  random_stream stream{{0, 0, 0, 0}};
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(stream.next());
  EXPECT_GT(seen.size(), 90U);
}

TEST(random, splits_into_streams_that_differ) {
  random_stream parent{7};
  random_stream first = parent.split();
  random_stream second = parent.split();
  const auto of_parent = five_of(parent);
  const auto of_first = five_of(first);
  const auto of_second = five_of(second);
  EXPECT_NE(of_parent, of_first);
  EXPECT_NE(of_parent, of_second);
  EXPECT_NE(of_first, of_second);
}

TEST(random, splits_the_same_way_for_the_same_seed) {
  random_stream one{7};
  random_stream other{7};
  EXPECT_EQ(five_of(one.split()), five_of(other.split()));
}

TEST(random, reseeding_starts_the_series_of_the_entropy) {
  random_stream stream{99};
  static_cast<void>(stream.next());
  stream.reseed({1, 2, 3, 4});
  EXPECT_EQ(stream.next(), 41943041U);
}

TEST(random, multiplies_to_the_exact_upper_half) {
  EXPECT_EQ(relent::detail::multiply_high(most, most), most - 1);
  EXPECT_EQ(relent::detail::multiply_high(most, 1), 0U);
  EXPECT_EQ(relent::detail::multiply_high(most, 2), 1U);
  EXPECT_EQ(relent::detail::multiply_high(std::uint64_t{1} << 63U, 6), 3U);
  EXPECT_EQ(relent::detail::multiply_high(0xffffffff'00000000U, 0x1'00000001U), 0xffffffffU);
  EXPECT_EQ(relent::detail::multiply_high(0x123456789abcdef0U, 0xfedcba9876543210U), 0x121fa00ad77d7422U);
}

TEST(random, draws_a_length_from_zero_to_just_below_the_ceiling) {
  EXPECT_EQ(uniform_below(0, 200ms), 0ns);
  EXPECT_EQ(uniform_below(most, 200ms), 200ms - 1ns);
  EXPECT_EQ(uniform_below(std::uint64_t{1} << 63U, 200ms), 100ms);
  EXPECT_EQ(uniform_below(std::uint64_t{1} << 62U, 200ms), 50ms);
  EXPECT_EQ(uniform_below(most, max_duration), max_duration - 1ns);
  EXPECT_EQ(uniform_below(most, 1ns), 0ns);
}

TEST(random, draws_zero_below_a_ceiling_that_leaves_nothing) {
  EXPECT_EQ(uniform_below(most, 0ns), 0ns);
  EXPECT_EQ(uniform_below(most, -5s), 0ns);
}

TEST(random, draws_every_length_below_a_small_ceiling_equally_often) {
  random_stream stream{11};
  std::array<int, 7> seen{};
  for (int i = 0; i < 70'000; ++i)
    ++seen[static_cast<std::size_t>(uniform_below(stream.next(), 7ns).count())];
  double chi_square = 0;
  for (const int n : seen) chi_square += (n - 10'000.0) * (n - 10'000.0) / 10'000.0;
  EXPECT_LT(chi_square, 22.5);  // 6 degrees of freedom, one in a thousand; the seed is fixed
}

TEST(random, draws_a_number_from_zero_to_just_below_one) {
  EXPECT_EQ(uniform_unit(0), 0);
  EXPECT_EQ(uniform_unit(most), 1 - 0x1p-53);
  EXPECT_EQ(uniform_unit(std::uint64_t{1} << 63U), 0.5);
  EXPECT_EQ(uniform_unit(0x7ff), 0) << "53 bits are all that a double holds";
}

TEST(random, is_seen_through_a_reference_as_the_source_itself) {
  random_stream stream{1};
  relent::random_ref by_reference = stream;
  relent::random_ref by_pointer = &stream;
  EXPECT_EQ(by_reference.next(), 0xcfc5d07f6f03c29bU);
  EXPECT_EQ(by_pointer.next(), 0xbf424132963fe08dU);
  relent::random_ref copy = by_reference;
  EXPECT_EQ(copy.next(), 0x19a37d5757aaf520U) << "a copy refers to the same source";
}

TEST(random, of_a_thread_is_its_own) {
  relent::thread_random random;
  const auto here = five_of(random);
  std::array<std::uint64_t, 5> there{};
  std::thread([&] { there = five_of(relent::thread_random{}); }).join();
  for (const std::uint64_t one : here)
    for (const std::uint64_t other : there) EXPECT_NE(one, other);
}

TEST(random, of_threads_is_drawn_side_by_side) {
  std::array<std::vector<std::uint64_t>, 4> drawn;
  std::vector<std::thread> threads;
  for (auto& mine : drawn)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i) mine.push_back(relent::thread_random{}.next());
    });
  for (std::thread& one : threads) one.join();
  std::set<std::uint64_t> seen;
  for (const auto& one : drawn) seen.insert(one.begin(), one.end());
  EXPECT_EQ(seen.size(), 4000U);
}

TEST(random, of_a_thread_goes_on_from_object_to_object) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(relent::thread_random{}.next());
  EXPECT_EQ(seen.size(), 1000U) << "a new thread_random must not begin the series again";
}

TEST(random, as_a_script_gives_what_is_written) {
  relent::testing::scripted_random script{0.5, 0.25, 1};
  EXPECT_EQ(uniform_below(script.next(), 1s), 500ms);
  EXPECT_EQ(uniform_below(script.next(), 1s), 250ms);
  EXPECT_EQ(uniform_below(script.next(), 1s), 1s - 1ns);
  EXPECT_EQ(uniform_unit(script.next()), 0.5) << "then it begins again";
  EXPECT_EQ(script.used(), 4U);
}

TEST(random, as_a_script_refuses_draws_outside_of_zero_to_one) {
  EXPECT_THROW(relent::testing::scripted_random(1.5), std::invalid_argument);
  EXPECT_THROW(relent::testing::scripted_random(-0.5), std::invalid_argument);
  EXPECT_THROW((relent::testing::scripted_random{std::initializer_list<double>{}}), std::invalid_argument);
}

}  // namespace
