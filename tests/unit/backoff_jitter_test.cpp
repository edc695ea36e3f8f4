// SPDX-License-Identifier: Apache-2.0
// The distribution of each jitter: 100000 draws from a fixed seed, compared with what the formula says:
// mean, range, evenness over 20 classes of equal probability, and no herd at the cap.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <relent/backoff.hpp>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::backoff_memory;
using relent::backoff_options;
using relent::duration;
using relent::jitter;

constexpr int draws = 100'000;
constexpr int classes = 20;
// The value that chi-square with 19 degrees of freedom exceeds once in a thousand times.
constexpr double chi_square_limit = 43.82;

/// One wait, drawn over and over from the same state of the call.
struct law_row {
  const char* id;
  backoff_options options;
  std::uint32_t retry;
  backoff_memory before;
  duration lowest;  // no wait is below
  duration end;     // every wait is below
  duration mean;
};
void PrintTo(const law_row& row, std::ostream* out) { *out << row.id; }

std::vector<duration> sample(const law_row& row) {
  relent::random_stream random{20'240'229};
  std::vector<duration> waits(draws);
  for (duration& wait : waits) {
    backoff_memory memory = row.before;
    wait = relent::next_wait(row.options, row.retry, memory, random);
  }
  return waits;
}

double mean_of(const std::vector<duration>& waits) {
  return std::accumulate(waits.begin(), waits.end(), 0.0,
                         [](double sum, duration wait) { return sum + static_cast<double>(wait.count()); }) /
         static_cast<double>(waits.size());
}

/// Chi-square of the waits over classes that should be equally full; edges are the inner boundaries.
double chi_square(const std::vector<duration>& waits, const std::array<duration, classes - 1>& edges) {
  std::array<int, classes> counts{};
  for (const duration wait : waits)
    ++counts[static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), wait) - edges.begin())];
  const double expected = static_cast<double>(waits.size()) / classes;
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

std::array<duration, classes - 1> even_edges(duration lowest, duration end) {
  std::array<duration, classes - 1> edges{};
  for (int i = 1; i < classes; ++i)
    edges[static_cast<std::size_t>(i - 1)] = lowest + (end - lowest) * i / classes;
  return edges;
}

class backoff_uniform : public testing::TestWithParam<law_row> {};

TEST_P(backoff_uniform, has_the_mean_of_its_range) {
  const double width = static_cast<double>((GetParam().end - GetParam().lowest).count());
  const double standard_error = width / std::sqrt(12.0 * draws);
  EXPECT_NEAR(mean_of(sample(GetParam())), static_cast<double>(GetParam().mean.count()), 3 * standard_error);
}

TEST_P(backoff_uniform, fills_its_range_and_nothing_else) {
  const std::vector<duration> waits = sample(GetParam());
  const auto [least, greatest] = std::minmax_element(waits.begin(), waits.end());
  const duration thousandth = (GetParam().end - GetParam().lowest) / 1000;
  EXPECT_GE(*least, GetParam().lowest);
  EXPECT_LE(*least, GetParam().lowest + thousandth);
  EXPECT_LT(*greatest, GetParam().end);
  EXPECT_GE(*greatest, GetParam().end - thousandth);
}

TEST_P(backoff_uniform, is_even_over_twenty_classes) {
  EXPECT_LT(chi_square(sample(GetParam()), even_edges(GetParam().lowest, GetParam().end)), chi_square_limit);
}

constexpr backoff_options with(jitter kind) { return {.base = 100ms, .cap = 5s, .jitter = kind}; }
constexpr backoff_memory waited(duration before) { return {before.count()}; }

INSTANTIATE_TEST_SUITE_P(
    each, backoff_uniform,
    testing::Values(
        law_row{"full", with(jitter::full), 4, {}, 0ms, 800ms, 400ms},
        law_row{"full_at_the_cap", with(jitter::full), 40, {}, 0ms, 5s, 2500ms},
        law_row{"equal", with(jitter::equal), 4, {}, 400ms, 800ms, 600ms},
        law_row{"equal_at_the_cap", with(jitter::equal), 40, {}, 2500ms, 5s, 3750ms},
        law_row{"ratio", with(jitter::ratio), 4, {}, 640ms, 960ms, 800ms},
        law_row{"ratio_at_the_cap", with(jitter::ratio), 40, {}, 5000ms * 2 / 3, 5s, 5000ms * 5 / 6},
        law_row{"decorrelated_at_first", with(jitter::decorrelated), 1, {}, 100ms, 300ms, 200ms},
        law_row{"decorrelated_after_400ms", with(jitter::decorrelated), 4, waited(400ms), 100ms, 1200ms,
                650ms},
        law_row{"decorrelated_at_the_cap", with(jitter::decorrelated), 9, waited(5s), 100ms, 5s, 2550ms}),
    [](const testing::TestParamInfo<law_row>& info) { return std::string{info.param.id}; });

// ---- no herd at the cap ------------------------------------------------------------------------------

int most_frequent(std::vector<duration> waits) {
  std::sort(waits.begin(), waits.end());
  int most = 0;
  for (auto run = waits.begin(); run != waits.end();) {
    const auto next = std::upper_bound(run, waits.end(), *run);
    most = std::max(most, static_cast<int>(next - run));
    run = next;
  }
  return most;
}

constexpr int herd_draws = 10'000;

class backoff_herd : public testing::TestWithParam<jitter> {};

TEST_P(backoff_herd, does_not_form_at_the_cap) {
  const backoff_options options = with(GetParam());
  relent::random_stream random{4711};
  backoff_memory memory;
  std::uint32_t retry = 0;
  for (; retry < 50; ++retry) relent::next_wait(options, retry + 1, memory, random);
  std::vector<duration> waits(herd_draws);
  for (duration& wait : waits) {
    wait = relent::next_wait(options, ++retry, memory, random);
    ASSERT_LE(wait, options.cap);
  }
  EXPECT_LT(most_frequent(waits), herd_draws / 1000);
}

INSTANTIATE_TEST_SUITE_P(each, backoff_herd,
                         testing::Values(jitter::full, jitter::equal, jitter::decorrelated, jitter::ratio),
                         [](const testing::TestParamInfo<jitter>& info) {
                           return std::string{relent::to_string(info.param)};
                         });

TEST(backoff_herd_at_the_cap, would_be_seen_if_waits_were_cut_there_after_the_draw) {
  relent::random_stream random{4711};
  std::vector<duration> waits(herd_draws);
  for (duration& wait : waits) wait = std::min<duration>(4s + relent::uniform_below(random.next(), 2s), 5s);
  EXPECT_GT(most_frequent(waits), herd_draws / 3);
}

TEST(backoff_herd_at_the_cap, is_the_known_price_of_decorrelated_v2) {
  relent::random_stream random{4711};
  int on_the_cap = 0;
  for (int call = 0; call < 1000; ++call) {
    backoff_memory memory;
    for (std::uint32_t retry = 1; retry <= 12; ++retry)
      if (relent::next_wait(with(jitter::decorrelated_v2), retry, memory, random) == 5s && retry == 12)
        ++on_the_cap;
  }
  EXPECT_GT(on_the_cap, 900);
}

// ---- decorrelated V2 ---------------------------------------------------------------------------------

double curve(double t) { return std::exp2(t) * std::tanh(std::sqrt(4 * t)); }

backoff_memory after_curve(double f) { return {std::bit_cast<std::int64_t>(f)}; }

class backoff_v2_distribution : public testing::TestWithParam<std::uint32_t> {};

TEST_P(backoff_v2_distribution, is_even_over_twenty_classes_of_its_curve) {
  const std::uint32_t retry = GetParam();
  const double whole = retry - 1;
  const double previous = retry == 1 ? 0 : curve(whole - 0.5);
  const law_row row{
      "", {.base = 1s, .cap = 1h, .jitter = jitter::decorrelated_v2}, retry, after_curve(previous), 0s, 0s,
      0s};
  std::array<duration, classes - 1> edges{};
  for (int i = 1; i < classes; ++i)
    edges[static_cast<std::size_t>(i - 1)] =
        duration{std::llround((curve(whole + i / double{classes}) - previous) / 1.4 * 1e9)};
  EXPECT_LT(chi_square(sample(row), edges), chi_square_limit);
}

INSTANTIATE_TEST_SUITE_P(retry, backoff_v2_distribution, testing::Values(1U, 2U, 5U),
                         testing::PrintToStringParamName());

TEST(backoff_v2_sample, has_the_medians_means_and_tails_that_polly_has) {
  constexpr int calls = 100'000;
  constexpr std::size_t retries = 8;
  std::array<std::vector<duration>, retries> waits;
  relent::random_stream random{1};
  const backoff_options options{.base = 1s, .cap = 1h, .jitter = jitter::decorrelated_v2};
  for (int call = 0; call < calls; ++call) {
    backoff_memory memory;
    for (std::uint32_t i = 0; i < retries; ++i)
      waits[i].push_back(relent::next_wait(options, i + 1, memory, random));
  }
  const double medians[] = {.898, 1.139, 2.021, 4.011, 7.993, 15.97, 32.01, 64.27};
  const double means[] = {.872, 1.159, 2.078, 4.128, 8.239, 16.47, 32.95, 66.08};
  const double low_tails[] = {.312, .332, .628, 1.247, 2.474, 4.966};
  const double high_tails[] = {1.325, 2.056, 3.651, 7.267, 14.509, 29.03};
  const auto percentile = [](const std::vector<duration>& sorted, std::size_t percent) {
    return static_cast<double>(sorted[sorted.size() * percent / 100].count()) / 1e9;
  };
  for (std::size_t i = 0; i < retries; ++i) {
    std::sort(waits[i].begin(), waits[i].end());
    EXPECT_NEAR(percentile(waits[i], 50) / medians[i], 1, 0.01) << "retry " << i + 1;
    EXPECT_NEAR(mean_of(waits[i]) / 1e9 / means[i], 1, 0.01) << "retry " << i + 1;
    if (i >= std::size(low_tails)) continue;
    EXPECT_NEAR(percentile(waits[i], 5) / low_tails[i], 1, 0.02) << "retry " << i + 1;
    EXPECT_NEAR(percentile(waits[i], 95) / high_tails[i], 1, 0.01) << "retry " << i + 1;
  }
}

// ---- the same on every platform ----------------------------------------------------------------------

struct seeded_row {
  jitter kind;
  std::array<std::int64_t, 6> nanoseconds;
};
void PrintTo(const seeded_row& row, std::ostream* out) { *out << relent::to_string(row.kind); }

class backoff_seeded : public testing::TestWithParam<seeded_row> {};

TEST_P(backoff_seeded, gives_this_series_everywhere) {
  relent::random_stream random{1};
  backoff_memory memory;
  std::uint32_t retry = 0;
  for (const std::int64_t expected : GetParam().nanoseconds)
    EXPECT_EQ(relent::next_wait(with(GetParam().kind), ++retry, memory, random).count(), expected) << retry;
}

INSTANTIATE_TEST_SUITE_P(
    one, backoff_seeded,
    testing::Values(
        seeded_row{jitter::none, {100000000, 200000000, 400000000, 800000000, 1600000000, 3200000000}},
        seeded_row{jitter::full, {81161215, 149420943, 40060361, 596973496, 295485715, 1889532431}},
        seeded_row{jitter::equal, {90580607, 174710471, 220030180, 698486748, 947742857, 2544766215}},
        seeded_row{jitter::decorrelated, {262322431, 613236504, 274233479, 639291258, 435722332, 812806621}},
        seeded_row{jitter::decorrelated_v2,
                   {118723713, 118638192, 67036333, 653277512, 340528380, 2142964635}},
        seeded_row{jitter::ratio, {112464486, 219768377, 336024144, 878789398, 1398194286, 3315812972}}),
    [](const testing::TestParamInfo<seeded_row>& info) {
      return std::string{relent::to_string(info.param.kind)};
    });

}  // namespace
