// SPDX-License-Identifier: Apache-2.0
// Walks the retries with the least, the middle and the greatest draw. A wait grows with its draw, and for the
// jitters without memory it does so evenly: the middle draw gives the mean.
#include "waits_walk.hpp"

#include <relent/random.hpp>

#include <algorithm>
#include <cstddef>

namespace relent::detail {
namespace {

/// Always the same draw.
struct fixed_draw {
  std::uint64_t bits;
  std::uint64_t next() noexcept { return bits; }
};

constexpr std::uint64_t least_draw = 0;
constexpr std::uint64_t middle_draw = std::uint64_t{1} << 63U;
constexpr std::uint64_t greatest_draw = ~std::uint64_t{0};

duration draw(const backoff_options& options, std::uint32_t retry, backoff_memory& memory,
              std::uint64_t bits) {
  fixed_draw source{bits};
  return next_wait(options, retry, memory, source);
}

/// The means of the first waits of jitters with memory, by drawing. They settle soon.
std::vector<duration> means_of_draws(const backoff_options& options, std::uint32_t retries) {
  constexpr std::uint32_t settled = 200;
  constexpr int calls = 4000;
  std::vector<double> sums(std::min(retries, settled), 0.0);
  random_stream draws(1);
  for (int call = 0; call < calls; ++call) {
    backoff_memory memory;
    std::uint32_t retry = 0;
    for (double& sum : sums) sum += static_cast<double>(next_wait(options, ++retry, memory, draws).count());
  }
  std::vector<duration> means;
  means.reserve(sums.size());
  for (const double sum : sums) means.push_back(saturate(sum / calls));
  return means;
}

/// Bounds of both, and what lies in the middle of the means.
wait_range joined(const wait_range& a, const wait_range& b) noexcept {
  return {std::min(a.earliest, b.earliest), a.mean / 2 + b.mean / 2, std::max(a.latest, b.latest)};
}

}  // namespace

duration times(duration length, std::uint32_t count) noexcept {
  return multiply(length, std::uint64_t{count});
}

wait_range add(const wait_range& a, const wait_range& b) noexcept {
  return {saturating_add(a.earliest, b.earliest), saturating_add(a.mean, b.mean),
          saturating_add(a.latest, b.latest)};
}

bool has_memory(jitter kind) noexcept { return has_own_growth(kind); }

smooth_curve_totals::smooth_curve_totals(const backoff_options& options) noexcept
    : scale_(static_cast<double>(at_least_zero(options.base).count()) / 1.4),
      cap_(static_cast<double>(at_least_zero(options.cap).count())) {}

/// The total is greatest if each point lies one cap below the next, as far as it can: what a wait is longer
/// than the cap is lost.
double smooth_curve_totals::most() const noexcept {
  double total = 0;
  double point = ends_.back();
  for (std::size_t k = ends_.size() - 1; k > 0; --k) {
    const double before = k == 1 ? 0 : std::clamp(point - cap_, ends_[k - 2], ends_[k - 1]);
    total += std::min(cap_, point - before);
    point = before;
  }
  return total;
}

/// The total is a concave function of the points, so it is least where each of them lies at an end.
void smooth_curve_totals::next(wait_range& total) {
  constexpr std::size_t last = 901;  // behind it every wait is the cap
  if (ends_.size() > last) return;
  const double low = ends_.back();
  const double high = v2_curve(static_cast<std::uint32_t>(ends_.size()), 0) * scale_;
  const double before_low = ends_.size() == 1 ? 0 : ends_[ends_.size() - 2];
  const auto least = [&](double to) {
    return std::min(least_to_low_ + std::min(cap_, to - before_low),
                    least_to_high_ + std::min(cap_, to - low));
  };
  const double to_low = least(low);
  const double to_high = least(high);
  least_to_low_ = to_low;
  least_to_high_ = to_high;
  ends_.push_back(high);
  // Each wait loses a part of a nanosecond.
  const auto lost = static_cast<double>(ends_.size());
  total.earliest = std::max(total.earliest, saturate(std::min(to_low, to_high) - lost));
  total.latest = std::min(total.latest, saturating_add(saturate(most()), duration(1)));
  total.mean = std::clamp(total.mean, total.earliest, total.latest);
}

waits_walk::waits_walk(const backoff_options& options, std::uint32_t retries, means mean)
    : options_(options), retries_(retries), smooth_(options) {
  if (mean == means::wanted && has_memory(options.jitter)) drawn_means_ = means_of_draws(options, retries);
}

/// Of the smooth curve a wait is longest when the one before was shortest, and the other way round; of the
/// others it is the longer, the longer the one before was.
wait_range waits_walk::wait_of(std::uint32_t retry) {
  const bool crossed = options_.jitter == jitter::decorrelated_v2;
  backoff_memory after_short = short_;
  backoff_memory after_long = long_;
  wait_range found;
  found.earliest = draw(options_, retry, crossed ? after_long : after_short, least_draw);
  found.latest = draw(options_, retry, crossed ? after_short : after_long, greatest_draw);
  // Draws come from half-open intervals: the bound is the end of the interval, not the last nanosecond in it.
  if (found.latest > found.earliest && found.latest < options_.cap) found.latest += duration(1);
  draw(options_, retry, short_, least_draw);
  draw(options_, retry, long_, greatest_draw);
  backoff_memory none;
  found.mean = drawn_means_.empty() ? draw(options_, retry, none, middle_draw)
                                    : drawn_means_[std::min<std::size_t>(retry, drawn_means_.size()) - 1];
  found.mean = std::clamp(found.mean, found.earliest, found.latest);
  return found;
}

/// The more retries lie behind, the less the next ones differ from each other.
std::uint32_t waits_walk::size_of_next() const noexcept {
  constexpr std::uint32_t fineness = 4096;
  const std::uint32_t left = retries_ - here_.last;
  return std::clamp(here_.last / fineness, 1U, std::max(left, 2U) - 1);
}

bool waits_walk::next() {
  if (here_.last == retries_) return false;
  here_.count = size_of_next();
  here_.wait = wait_of(here_.last + 1);
  here_.last += here_.count;
  if (here_.count > 1) here_.wait = joined(here_.wait, wait_of(here_.last));
  here_.total =
      add(here_.total, {times(here_.wait.earliest, here_.count), times(here_.wait.mean, here_.count),
                        times(here_.wait.latest, here_.count)});
  if (options_.jitter == jitter::decorrelated_v2) smooth_.next(here_.total);
  return true;
}

}  // namespace relent::detail
