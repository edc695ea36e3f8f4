// SPDX-License-Identifier: Apache-2.0
// Walks the retries with the least, the middle and the greatest draw. A wait grows with its draw, and for the
// jitters without memory it does so evenly: the middle draw gives the mean.
#include <relent/explain/schedule.hpp>

#include <algorithm>

namespace relent {
namespace {

/// Always the same draw.
struct fixed_draw {
  std::uint64_t bits;
  std::uint64_t next() noexcept { return bits; }
};

constexpr std::uint64_t least_draw = 0;
constexpr std::uint64_t middle_draw = std::uint64_t{1} << 63U;
constexpr std::uint64_t greatest_draw = ~std::uint64_t{0};

constexpr std::uint32_t walked_one_by_one = 1'000'000;

bool has_memory(jitter kind) noexcept {
  return kind == jitter::decorrelated || kind == jitter::decorrelated_v2;
}

duration draw(const backoff_options& options, std::uint32_t retry, backoff_memory& memory,
              std::uint64_t bits) {
  fixed_draw source{bits};
  return next_wait(options, retry, memory, source);
}

duration times(duration wait, std::uint32_t count) {
  duration sum{};
  for (; count > 0; count >>= 1U, wait = saturating_add(wait, wait))
    if ((count & 1U) != 0) sum = saturating_add(sum, wait);
  return sum;
}

wait_range add(const wait_range& a, const wait_range& b) {
  return {saturating_add(a.earliest, b.earliest), saturating_add(a.mean, b.mean),
          saturating_add(a.latest, b.latest)};
}

/// The bounds of one wait. Of the smooth curve a wait is longest when the one before was shortest, and the
/// other way round; of the others it is the longer, the longer the one before was.
class bounds {
 public:
  explicit bounds(const backoff_options& options) : options_(options) {}

  wait_range next(std::uint32_t retry) {
    const bool crossed = options_.jitter == jitter::decorrelated_v2;
    backoff_memory after_short = short_;
    backoff_memory after_long = long_;
    wait_range found;
    found.earliest = draw(options_, retry, crossed ? after_long : after_short, least_draw);
    found.latest = next_above(draw(options_, retry, crossed ? after_short : after_long, greatest_draw));
    draw(options_, retry, short_, least_draw);
    draw(options_, retry, long_, greatest_draw);
    backoff_memory none;
    if (!has_memory(options_.jitter)) found.mean = draw(options_, retry, none, middle_draw);
    return found;
  }

 private:
  /// Draws come from half-open intervals: the bound is the end of the interval, not the last nanosecond in it.
  duration next_above(duration wait) const {
    const bool drawn = options_.jitter != jitter::none && wait > duration::zero() && wait < options_.cap;
    return drawn ? wait + duration(1) : wait;
  }

  const backoff_options& options_;
  backoff_memory short_;
  backoff_memory long_;
};

/// The means of the first waits of jitters with memory, by drawing. They settle soon.
std::vector<duration> drawn_means(const backoff_options& options, std::uint32_t retries) {
  constexpr std::uint32_t settled = 200;
  constexpr int calls = 4000;
  std::vector<double> sums(std::min(retries, settled), 0.0);
  random_stream draws(1);
  for (int call = 0; call < calls; ++call) {
    backoff_memory memory;
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] +=
          static_cast<double>(next_wait(options, static_cast<std::uint32_t>(i + 1), memory, draws).count());
  }
  std::vector<duration> means;
  means.reserve(sums.size());
  for (const double sum : sums) means.emplace_back(static_cast<std::int64_t>(sum / calls));
  return means;
}

}  // namespace

schedule schedule_of(const backoff_options& options, std::uint32_t retries, std::size_t most_rows) {
  schedule result;
  result.mean_is_exact = !has_memory(options.jitter);
  const std::vector<duration> means =
      result.mean_is_exact ? std::vector<duration>{} : drawn_means(options, retries);
  bounds walk(options);
  schedule_row row;
  for (std::uint32_t retry = 1; retry <= std::min(retries, walked_one_by_one); ++retry) {
    row.retry = retry;
    row.wait = walk.next(retry);
    if (!means.empty()) row.wait.mean = means[std::min<std::size_t>(retry, means.size()) - 1];
    row.total = add(row.total, row.wait);
    if (result.rows.size() < most_rows) result.rows.push_back(row);
  }
  if (retries > walked_one_by_one) {
    const std::uint32_t more = retries - walked_one_by_one;
    row.total = add(row.total, {times(row.wait.earliest, more), times(row.wait.mean, more),
                                times(row.wait.latest, more)});
    row.retry = retries;
  }
  result.last = row;
  return result;
}

}  // namespace relent
