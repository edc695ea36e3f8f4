// SPDX-License-Identifier: Apache-2.0
// What the calls are compared with: the direct call, a loop written by hand, and one reading of the clock.
#include "operations.hpp"

#include <benchmark/benchmark.h>

namespace {

void success_direct(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(bench::serve(1));
}

void success_by_hand(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(bench::loop_by_hand([] { return bench::serve(1); }));
}

void success_with_deadline_by_hand(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(bench::loop_by_hand_with_deadline([] { return bench::serve(1); }));
}

void failure_then_success_direct(benchmark::State& state) {
  std::uint32_t requests = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench::serve_every_other(requests));
    benchmark::DoNotOptimize(bench::serve_every_other(requests));
  }
}

void failure_then_success_by_hand(benchmark::State& state) {
  std::uint32_t requests = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        bench::loop_by_hand_over_values([&] { return bench::serve_every_other(requests); }));
}

void clock_read(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(std::chrono::steady_clock::now());
}

BENCHMARK(success_direct)->Name("success/direct");
BENCHMARK(success_by_hand)->Name("success/by_hand");
BENCHMARK(success_with_deadline_by_hand)->Name("success_with_deadline/by_hand");
BENCHMARK(failure_then_success_direct)->Name("failure_then_success/direct");
BENCHMARK(failure_then_success_by_hand)->Name("failure_then_success/by_hand");
BENCHMARK(clock_read)->Name("clock_read");

}  // namespace
