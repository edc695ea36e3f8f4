// SPDX-License-Identifier: Apache-2.0
// What holds for every backoff, whatever its options, the retry and the draw.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <relent/backoff.hpp>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::backoff_memory;
using relent::backoff_options;
using relent::duration;
using relent::growth;
using relent::jitter;

constexpr auto greatest_retry = std::numeric_limits<std::uint32_t>::max();

/// A source that gives the words of a list, then the last one for ever.
struct listed {
  std::uint64_t next() { return words[at < words.size() - 1 ? at++ : at]; }
  std::vector<std::uint64_t> words;
  std::size_t at = 0;
};

/// Any magnitude from 0 to `greatest`, small ones as likely as large ones.
std::int64_t magnitude(std::int64_t greatest) {
  const auto shift = *rc::gen::inRange(0, 63);
  const auto bits = static_cast<std::uint64_t>(*rc::gen::arbitrary<std::int64_t>());
  const auto word = static_cast<std::int64_t>((bits >> 1U) >> static_cast<unsigned>(shift));
  return word > greatest ? greatest : word;
}

std::uint32_t any_retry() {
  if (*rc::gen::arbitrary<bool>()) return *rc::gen::inRange<std::uint32_t>(1, 200);
  const auto retry = static_cast<std::uint32_t>(magnitude(greatest_retry));
  return retry == 0 ? greatest_retry : retry;
}

double any_multiplier() {
  if (*rc::gen::inRange(0, 4) == 0) return *rc::gen::element(1.0, 2.0, 1e10, 1e300, 1.7e308);
  return 1 + *rc::gen::inRange(0, 10'000) / 1000.0;
}

relent::delay_list any_delays(std::int64_t greatest) {
  relent::delay_list delays;
  const int size = *rc::gen::inRange(1, 17);
  for (int i = 0; i < size; ++i) delays.add(duration{magnitude(greatest)});
  return delays;
}

/// Options without a problem.
backoff_options any_options() {
  backoff_options options;
  options.cap = duration{magnitude(std::numeric_limits<std::int64_t>::max())};
  options.base = duration{magnitude(options.cap.count())};
  options.multiplier = any_multiplier();
  options.jitter = static_cast<jitter>(*rc::gen::inRange(0, relent::jitter_count));
  const bool grows_itself =
      options.jitter == jitter::decorrelated || options.jitter == jitter::decorrelated_v2;
  if (!grows_itself) options.growth = static_cast<growth>(*rc::gen::inRange(0, relent::growth_count));
  if (options.growth == growth::linear && *rc::gen::arbitrary<bool>())
    options.increment = duration{*rc::gen::arbitrary<std::int64_t>()};
  options.jitter_ratio = *rc::gen::inRange(0, 1001) / 1000.0;
  if (options.growth == growth::list)
    options.delays = any_delays(options.cap.count());
  else if (*rc::gen::arbitrary<bool>())
    options.rate_limited_base = duration{magnitude(options.cap.count())};
  return options;
}

listed any_draws() {
  listed draws;
  draws.words = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<std::uint64_t>>());
  for (std::uint64_t& word : draws.words)
    if (*rc::gen::inRange(0, 8) == 0) word = ~std::uint64_t{0};
  return draws;
}

void law(const std::string& text, void (*body)()) { EXPECT_TRUE(rc::check(text, body)); }

TEST(backoff_law, generated_options_have_no_problem) {
  law("the options that these laws are about are legal", [] { RC_ASSERT(problems(any_options()).empty()); });
}

TEST(backoff_law, every_wait_lies_between_zero_and_the_cap) {
  law("0 <= wait <= cap for every option, retry and draw", [] {
    const backoff_options options = any_options();
    listed draws = any_draws();
    backoff_memory memory;
    for (int i = 0; i < 10; ++i) {
      const duration wait =
          relent::next_wait(options, any_retry(), memory, draws, *rc::gen::arbitrary<bool>());
      RC_ASSERT(wait >= 0ns);
      RC_ASSERT(wait <= options.cap);
    }
  });
}

TEST(backoff_law, every_wait_of_a_call_lies_between_zero_and_the_cap) {
  law("0 <= wait <= cap along a whole call", [] {
    const backoff_options options = any_options();
    listed draws = any_draws();
    backoff_memory memory;
    for (std::uint32_t retry = 1; retry <= 100; ++retry) {
      const duration wait = relent::next_wait(options, retry, memory, draws);
      RC_ASSERT(wait >= 0ns);
      RC_ASSERT(wait <= options.cap);
    }
  });
}

TEST(backoff_law, a_wait_keeps_the_promise_of_its_jitter) {
  law("each jitter stays within its own range", [] {
    const backoff_options options = any_options();
    const std::uint32_t retry = any_retry();
    const duration ceiling = relent::ceiling(options, retry);
    listed draws = any_draws();
    backoff_memory memory;
    const duration wait = relent::next_wait(options, retry, memory, draws);
    switch (options.jitter) {
      case jitter::none: RC_ASSERT(wait == ceiling); break;
      case jitter::full: RC_ASSERT(wait < ceiling || ceiling == 0ns); break;
      case jitter::equal: RC_ASSERT(wait >= ceiling / 2 && wait <= ceiling); break;
      case jitter::decorrelated: RC_ASSERT(wait >= options.base); break;
      case jitter::decorrelated_v2: break;
      case jitter::ratio:
        // At the cap the middle is cap / (1 + r), so the least is cap x (1 - r) / (1 + r).
        RC_ASSERT(static_cast<double>(wait.count()) >= static_cast<double>(ceiling.count()) *
                                                               (1 - options.jitter_ratio) /
                                                               (1 + options.jitter_ratio) * (1 - 1e-12) -
                                                           2);
        break;
    }
  });
}

TEST(backoff_law, a_ceiling_never_falls_from_retry_to_retry) {
  law("exponential, Fibonacci and upward linear growth is monotone", [] {
    backoff_options options = any_options();
    options.jitter = jitter::none;
    options.growth =
        *rc::gen::element(growth::exponential, growth::fibonacci, growth::linear, growth::constant);
    options.increment = std::nullopt;
    if (options.growth == growth::linear)
      options.increment = duration{magnitude(std::numeric_limits<std::int64_t>::max())};
    const std::uint32_t retry = any_retry();
    RC_PRE(retry < greatest_retry);
    const auto step = static_cast<std::uint32_t>(magnitude(greatest_retry - retry));
    RC_ASSERT(relent::ceiling(options, retry) <= relent::ceiling(options, retry + 1));
    RC_ASSERT(relent::ceiling(options, retry) <= relent::ceiling(options, retry + step));
  });
}

TEST(backoff_law, a_whole_multiplier_is_repeated_multiplication) {
  law("ceiling is base times multiplier to the power, exactly, until it saturates", [] {
    const std::int64_t multiplier = *rc::gen::inRange<std::int64_t>(1, 11);
    const std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
    const backoff_options options{.base = duration{magnitude(greatest)},
                                  .cap = relent::max_duration,
                                  .multiplier = static_cast<double>(multiplier)};
    std::int64_t power = 1;  // a double holds it exactly up to 2^53
    std::uint32_t retry = 1;
    for (; retry < 60 && power < (std::int64_t{1} << 53U) / multiplier; ++retry) {
      const std::int64_t base = options.base.count();
      const std::int64_t expected = base != 0 && power > greatest / base ? greatest : base * power;
      RC_ASSERT(relent::ceiling(options, retry).count() == expected);
      power *= multiplier;
    }
  });
}

TEST(backoff_law, one_seed_gives_one_series) {
  law("two calls with the same seed wait alike", [] {
    const backoff_options options = any_options();
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    relent::random_stream first{seed};
    relent::random_stream second{seed};
    backoff_memory first_memory;
    backoff_memory second_memory;
    for (std::uint32_t retry = 1; retry <= 20; ++retry)
      RC_ASSERT(relent::next_wait(options, retry, first_memory, first) ==
                relent::next_wait(options, retry, second_memory, second));
  });
}

TEST(backoff_law, a_jittered_wait_draws_once) {
  law("one draw a wait, none without jitter", [] {
    const backoff_options options = any_options();
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    relent::random_stream random{seed};
    relent::random_stream reference{seed};
    backoff_memory memory;
    relent::next_wait(options, any_retry(), memory, random);
    if (options.jitter != jitter::none) reference.next();
    RC_ASSERT(random.next() == reference.next());
  });
}

}  // namespace
