// SPDX-License-Identifier: Apache-2.0
// How often a call asks for heap memory. Every operator new of the program is counted, per thread.
#include "operations.hpp"

#include <relent/retry.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <new>

namespace {

constinit thread_local std::uint64_t allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

constexpr relent::policy without_wait{
    {.deadline = relent::nullopt, .backoff = {.base = relent::duration::zero()}}};

struct judge_answer {
  relent::optional<relent::fault> operator()(const bench::answer& result) const noexcept {
    if (result.has_value()) return relent::nullopt;
    return relent::fault{.kind = relent::fault_kind::unreachable};
  }
};

/// Runs the call once beforehand: what a thread makes at its first call only is not counted.
template <class Call>
void count(benchmark::State& state, Call call) {
  call();
  const std::uint64_t before = allocations;
  std::uint64_t calls = 0;
  for (auto _ : state) {
    call();
    ++calls;
  }
  state.counters["allocations"] = static_cast<double>(allocations - before) / static_cast<double>(calls);
}

void success(benchmark::State& state) {
  count(state, [] { benchmark::DoNotOptimize(relent::retry([] { return bench::serve(1); })); });
}

void success_of_dependency(benchmark::State& state) {
  relent::dependency shared{{.name = "bench", .breaker = relent::breaker_options{}}};
  count(state, [&] { benchmark::DoNotOptimize(shared.call([] { return bench::serve(1); })); });
}

void failure_then_success(benchmark::State& state) {
  std::uint32_t requests = 0;
  auto operation = relent::classified([&] { return bench::serve_every_other(requests); }, judge_answer{});
  count(state, [&] { benchmark::DoNotOptimize(relent::retry(without_wait, operation)); });
}

/// What the count looks like where there is something to count.
void one_allocation(benchmark::State& state) {
  count(state, [] {
    auto* number = new int(1);
    benchmark::DoNotOptimize(number);
    delete number;
  });
}

BENCHMARK(success)->Name("allocations/success");
BENCHMARK(success_of_dependency)->Name("allocations/success_of_dependency");
BENCHMARK(failure_then_success)->Name("allocations/failure_then_success");
BENCHMARK(one_allocation)->Name("allocations/one");

}  // namespace
