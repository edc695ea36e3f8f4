// SPDX-License-Identifier: Apache-2.0
// What a token budget costs its callers, alone and shared by threads. The same work on a bare atomic word, as one
// writes it by hand, stands beside it.
#include <relent/budget.hpp>

#include <benchmark/benchmark.h>

#include <atomic>

namespace {

constexpr relent::time_point any_time{};  // a token budget does not look at it

relent::budget& full_budget() {
  static relent::budget full;
  return full;
}

/// So large that the pairs of eight threads neither fill nor empty it.
relent::budget& roomy_budget() {
  static relent::budget roomy{relent::token_budget{.capacity = 1000, .success_credit = 1, .retry_cost = 1}};
  return roomy;
}

alignas(64) std::atomic<std::uint64_t> by_hand{500};

void success_credit(benchmark::State& state) {
  relent::budget& budget = full_budget();
  for (auto _ : state) budget.succeeded(any_time);
}

void success_credit_by_hand(benchmark::State& state) {
  for (auto _ : state)
    if (by_hand.load(std::memory_order_relaxed) < 500) by_hand.fetch_add(1, std::memory_order_relaxed);
}

void credit_and_debit(benchmark::State& state) {
  relent::budget& budget = roomy_budget();
  for (auto _ : state) {
    benchmark::DoNotOptimize(budget.try_take(relent::fault_kind::reset, any_time));
    budget.succeeded(any_time);
  }
}

void credit_and_debit_by_hand(benchmark::State& state) {
  for (auto _ : state) {
    by_hand.fetch_sub(1, std::memory_order_relaxed);
    by_hand.fetch_add(1, std::memory_order_relaxed);
  }
}

BENCHMARK(success_credit)->Name("success_credit/relent")->Threads(1)->Threads(2);
BENCHMARK(success_credit_by_hand)->Name("success_credit/by_hand")->Threads(1)->Threads(2);
BENCHMARK(credit_and_debit)->Name("credit_and_debit/relent")->ThreadRange(1, 8);
BENCHMARK(credit_and_debit_by_hand)->Name("credit_and_debit/by_hand")->ThreadRange(1, 8);

}  // namespace
