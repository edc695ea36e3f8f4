// SPDX-License-Identifier: Apache-2.0
// The benchmarks of whole calls, written once for both modes of the library. The file that includes this has
// included relent/retry.hpp and says by RELENT_BENCH_MODE which mode that was.

#include "operations.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace std::chrono_literals;

constexpr relent::policy without_deadline{{.deadline = relent::nullopt}};
constexpr relent::policy with_deadline{{.deadline = 30s}};
constexpr relent::policy without_wait{{.deadline = relent::nullopt, .backoff = {.base = 0ns}}};

struct judge_answer {
  relent::optional<relent::fault> operator()(const bench::answer& result) const noexcept {
    if (result.has_value()) return relent::nullopt;
    return relent::fault{.kind = relent::fault_kind::unreachable};
  }
};

void success(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(relent::retry(without_deadline, [] { return bench::serve(1); }));
}

void success_with_deadline(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(relent::retry(with_deadline, [] { return bench::serve(1); }));
}

void success_of_dependency(benchmark::State& state) {
  static relent::dependency shared{
      {.name = "bench", .policy = without_deadline, .breaker = relent::breaker_options{.failures = 5}}};
  for (auto _ : state) benchmark::DoNotOptimize(shared.call([] { return bench::serve(1); }));
}

void failure_then_success(benchmark::State& state) {
  std::uint32_t requests = 0;
  auto operation = relent::classified([&] { return bench::serve_every_other(requests); }, judge_answer{});
  for (auto _ : state) benchmark::DoNotOptimize(relent::retry(without_wait, operation));
  if (requests != 2 * state.iterations()) state.SkipWithError("the operation was not retried");
}

BENCHMARK(success)->Name("success/" RELENT_BENCH_MODE);
BENCHMARK(success_with_deadline)->Name("success_with_deadline/" RELENT_BENCH_MODE);
BENCHMARK(success_of_dependency)->Name("success_of_dependency/" RELENT_BENCH_MODE);
BENCHMARK(failure_then_success)->Name("failure_then_success/" RELENT_BENCH_MODE);

}  // namespace
