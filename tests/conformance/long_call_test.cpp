// SPDX-License-Identifier: Apache-2.0
// A call of ten thousand retries needs no more memory than a call of a hundred: the engine counts attempts,
// and the report keeps the first and the latest. Counts every allocation of this executable.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_operation.hpp>
#include <relent/testing/scripted_random.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace {

std::atomic<std::int64_t> live_blocks{0};

void* allocate(std::size_t size) {
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  ++live_blocks;
  return block;
}

void release(void* block) noexcept {
  if (block == nullptr) return;
  --live_blocks;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }

namespace {

using namespace std::chrono_literals;
constexpr std::uint32_t many = 10'001;

/// A clock that remembers nothing, unlike the manual clock, which notes every wait.
class forgetful_clock final : public relent::clock {
 public:
  relent::time_point now() noexcept override { return now_; }
  void wait_until(relent::time_point until, const relent::stop_handle&) noexcept override { now_ = until; }

 private:
  relent::time_point now_{1h};
};

const relent::policy patient{{.max_attempts = many, .deadline = std::nullopt}};

/// How many blocks are in use at the hundredth attempt and at the last, of a call that tells its story.
template <class Failure>
void expect_flat_memory(Failure&& fail) {
  forgetful_clock clock;
  relent::testing::scripted_random random{0.5};
  relent::report story;
  std::int64_t early = 0;
  std::int64_t late = 0;
  const auto operation = [&](relent::attempt now) {
    if (now.number() == 100) early = live_blocks;
    if (now.number() == many) late = live_blocks;
    return fail();
  };
  try {
    relent::retry(patient, operation, {.report = &story, .clock = &clock, .random = &random});
  } catch (const std::system_error&) {  // the last real error
  }
  EXPECT_EQ(story.attempts, many);
  EXPECT_EQ(story.stop, relent::stop_reason::attempts);
  EXPECT_EQ(story.records.size() + story.records.dropped(), many);
  EXPECT_GT(early, 0);
  EXPECT_EQ(late, early);
}

TEST(long_call, needs_no_more_memory_for_ten_thousand_retries) {
  expect_flat_memory(
      [] { return relent::testing::scripted_result(relent::fault{.kind = relent::fault_kind::reset}); });
}

TEST(long_call, needs_no_more_memory_for_ten_thousand_exceptions) {
  expect_flat_memory([]() -> int {
    throw std::system_error(std::make_error_code(std::errc::connection_reset),
                            "a text too long for a small string");
  });
}

TEST(long_call, is_thirty_two_bytes_for_the_engine_and_counts_exactly) {
  const relent::engine::shared_state alone;
  const relent::fault reset{.kind = relent::fault_kind::reset};
  relent::testing::scripted_random random{0.5};
  relent::time_point now{1h};
  relent::engine::call_state call;
  relent::engine::begin(call, patient, alone, {}, now);
  const std::int64_t before = live_blocks;
  for (std::uint32_t attempt = 1; attempt < many; ++attempt) {
    const auto waits = relent::engine::failed(call, patient, alone, reset, {}, now, random);
    ASSERT_EQ(waits.action, relent::engine::action::wait);
    now = waits.until;
    relent::engine::woke(call, patient, alone, now);
    ASSERT_EQ(call.attempt, attempt + 1);
  }
  const auto last = relent::engine::failed(call, patient, alone, reset, {}, now, random);
  EXPECT_EQ(last.reason, relent::stop_reason::attempts);
  EXPECT_EQ(live_blocks, before);
  EXPECT_LE(sizeof call, 32U);
}

}  // namespace
