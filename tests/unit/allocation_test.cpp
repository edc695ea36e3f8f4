// SPDX-License-Identifier: Apache-2.0
// A call asks for no heap memory: neither where it succeeds, nor for a retry after an error that is a value.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_random.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constinit thread_local std::uint64_t allocations = 0;

// Not inlined: g++ would then hold the two for a mismatch.
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

[[gnu::noinline]] void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }

namespace {

/// How much heap memory the second of two such calls asks for: what a thread makes once is not the call's.
template <class Call>
std::uint64_t allocations_of(Call call) {
  call();
  const std::uint64_t before = allocations;
  call();
  return allocations - before;
}

struct answer {
  int error = 0;
};

relent::optional<relent::fault> relent_fault(const answer& a) {
  if (a.error == 0) return relent::nullopt;
  return relent::fault{.kind = relent::fault_kind::unreachable};
}

constexpr relent::policy no_wait{{.max_attempts = 4, .backoff = {.base = relent::duration::zero()}}};

TEST(allocation, is_seen_where_there_is_one) {
  EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(1)); }), 1U);
}

TEST(allocation, none_for_a_success) {
  EXPECT_EQ(allocations_of([] { relent::retry([] { return 1; }); }), 0U);
  EXPECT_EQ(allocations_of([] { relent::retry([](relent::attempt a) { return a.number(); }); }), 0U);
}

TEST(allocation, none_for_a_success_of_a_dependency_with_budget_and_breaker) {
  relent::dependency shared{{.name = "payments", .breaker = relent::breaker_options{}}};
  EXPECT_EQ(allocations_of([&] { shared.call([] { return 1; }); }), 0U);
}

TEST(allocation, none_for_retries_after_errors_as_values) {
  EXPECT_EQ(allocations_of([] {
              int left = 3;
              relent::retry(no_wait, [&] { return answer{.error = left-- > 0 ? 1 : 0}; });
            }),
            0U);
}

TEST(allocation, none_for_retries_of_a_dependency_with_budget_and_breaker) {
  relent::dependency shared{
      {.name = "payments", .policy = no_wait, .breaker = relent::breaker_options{.failures = 50}}};
  EXPECT_EQ(allocations_of([&] {
              int left = 3;
              shared.call([&] { return answer{.error = left-- > 0 ? 1 : 0}; });
            }),
            0U);
}

TEST(allocation, none_for_the_idempotency_key) {
  EXPECT_EQ(
      allocations_of([] { relent::retry([](relent::attempt a) { return a.idempotency_key().size(); }); }),
      0U);
}

}  // namespace
