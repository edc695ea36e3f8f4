// SPDX-License-Identifier: Apache-2.0
// The program's main: runs the benchmarks in turns, then prints the table of docs/benchmarks.md from what they took.
// A figure is the least of the repetitions, since whatever else the machine does only adds; the median stands
// beside it. With --benchmark_list_tests or --benchmark_format it is an ordinary Google Benchmark program.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

/// Nanoseconds of processor time per iteration, of all threads together, of every repetition, by benchmark.
class collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      taken_[run.run_name.str()].push_back(run.GetAdjustedCPUTime());
      if (const auto found = run.counters.find("allocations"); found != run.counters.end())
        allocations_[run.run_name.str()] = found->second.value;
    }
  }

  bool has(const std::string& name) const { return taken_.count(name) != 0; }
  double least(const std::string& name) const {
    return *std::min_element(taken_.at(name).begin(), taken_.at(name).end());
  }
  double median(const std::string& name) const {
    std::vector<double> sorted = taken_.at(name);
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  const std::map<std::string, double>& allocations() const { return allocations_; }

 private:
  std::map<std::string, std::vector<double>> taken_;
  std::map<std::string, double> allocations_;
};

struct figure {
  const char* what;
  const char* measured;
  const char* direct;   // null: there is no such thing
  const char* by_hand;  // null: there is no such thing
  bool over_direct;     // the figure is what relent adds to the direct call
  const char* at_most;
};

constexpr figure figures[] = {
    {"success, header-only", "success/header_only", "success/direct", "success/by_hand", true, "5"},
    {"success, compiled", "success/compiled", "success/direct", "success/by_hand", true, "5"},
    {"success with budget and closed breaker, header-only", "success_of_dependency/header_only",
     "success/direct", "success/by_hand", true, "15"},
    {"success with budget and closed breaker, compiled", "success_of_dependency/compiled", "success/direct",
     "success/by_hand", true, "15"},
    {"a deadline more, header-only", "success_with_deadline/header_only", "success/header_only",
     "success_with_deadline/by_hand", true, "a clock read"},
    {"a deadline more, compiled", "success_with_deadline/compiled", "success/compiled",
     "success_with_deadline/by_hand", true, "a clock read"},
    {"a clock read", "clock_read", nullptr, nullptr, false, "-"},
    {"failure, then success, header-only", "failure_then_success/header_only", "failure_then_success/direct",
     "failure_then_success/by_hand", false, "150"},
    {"failure, then success, compiled", "failure_then_success/compiled", "failure_then_success/direct",
     "failure_then_success/by_hand", false, "150"},
    {"success credit, full budget, 1 thread", "success_credit/relent/threads:1", nullptr,
     "success_credit/by_hand/threads:1", false, "2"},
    {"success credit, full budget, 2 threads", "success_credit/relent/threads:2", nullptr,
     "success_credit/by_hand/threads:2", false, "2"},
    {"credit and debit, 1 thread", "credit_and_debit/relent/threads:1", nullptr,
     "credit_and_debit/by_hand/threads:1", false, "20"},
    {"credit and debit, 2 threads", "credit_and_debit/relent/threads:2", nullptr,
     "credit_and_debit/by_hand/threads:2", false, "20"},
    {"credit and debit, 4 threads", "credit_and_debit/relent/threads:4", nullptr,
     "credit_and_debit/by_hand/threads:4", false, "20"},
    {"credit and debit, 8 threads", "credit_and_debit/relent/threads:8", nullptr,
     "credit_and_debit/by_hand/threads:8", false, "20"},
};

void print_table(const collector& all) {
  std::puts("| figure, ns | direct | by hand | relent | the figure: least | median | at most |");
  std::puts("|---|---|---|---|---|---|---|");
  for (const figure& f : figures) {
    const bool measured = all.has(f.measured) && (!f.over_direct || all.has(f.direct));
    if (!measured) continue;
    const auto cell = [&](const char* name) {
      char text[32] = "-";
      if (name != nullptr && all.has(name)) std::snprintf(text, sizeof text, "%.2f", all.least(name));
      return std::string(text);
    };
    const double least = all.least(f.measured) - (f.over_direct ? all.least(f.direct) : 0);
    const double median = all.median(f.measured) - (f.over_direct ? all.median(f.direct) : 0);
    std::printf("| %s | %s | %s | %s | **%.2f** | %.2f | %s |\n", f.what, cell(f.direct).c_str(),
                cell(f.by_hand).c_str(), cell(f.measured).c_str(), least, median, f.at_most);
  }
  if (all.allocations().empty()) return;
  std::puts("\n| heap allocations | per call | at most |\n|---|---|---|");
  for (const auto& [name, count] : all.allocations())
    std::printf("| %s | **%g** | %s |\n", name.c_str(), count,
                name == "allocations/one" ? "(the count's own check)" : "0");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  const bool plain = std::any_of(argv + 1, argv + argc, [](const char* argument) {
    const std::string text = argument;
    return text.rfind("--benchmark_list", 0) == 0 || text.rfind("--benchmark_format", 0) == 0;
  });
  // Given first, so that the caller's own win.
  std::string usual[] = {"--benchmark_repetitions=15", "--benchmark_min_time=0.03",
                         "--benchmark_enable_random_interleaving=true"};
  std::size_t place = 1;
  for (std::string& argument : usual)
    arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(place++), argument.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
  if (plain) {
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  }
  collector all;
  benchmark::RunSpecifiedBenchmarks(&all);
  print_table(all);
}
