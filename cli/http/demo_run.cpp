// SPDX-License-Identifier: Apache-2.0
// The threads of a run, and what its server saw.
#include "demo_run.hpp"

#include <relent/retry.hpp>

#include <algorithm>
#include <exception>

namespace relent::cli {
namespace {

using testing::load_bucket;

constexpr duration bucket = std::chrono::milliseconds{100};

std::size_t buckets_in(duration length) { return static_cast<std::size_t>(length / bucket); }

std::unique_ptr<demo_customers> customers_of(demo_half half, const demo_plan& plan, const std::string& url) {
  if (half == demo_half::naive) return std::make_unique<naive_customers>(plan, url);
  return std::make_unique<relent_customers>(plan, url);
}

double peak_of(const load& history, const demo_plan& plan) {
  double peak = 0;
  for (std::size_t first = 0; first + buckets_in(plan.window) <= history.size(); ++first)
    peak = std::max(peak, rate_in(history, &load_bucket::arrived, first, plan.window));
  return peak;
}

}  // namespace

double rate_in(const load& history, std::uint32_t load_bucket::*count, std::size_t first, duration window) {
  const std::size_t end = std::min(first + buckets_in(window), history.size());
  double sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += history[i].*count;
  return sum / std::chrono::duration<double>(window).count();
}

std::optional<duration> recovery_in(const load& history, const demo_plan& plan) {
  const double enough = 0.9 * plan.orders_per_second;
  for (std::size_t first = buckets_in(plan.outage_to); first + buckets_in(plan.window) <= history.size();
       ++first)
    if (rate_in(history, &load_bucket::served, first, plan.window) >= enough)
      return first * bucket - plan.outage_to;
  return std::nullopt;
}

demo_run::demo_run(const demo_plan& plan, demo_half half)
    : plan_(plan),
      server_({.scripts = plan.scripts(), .seed = plan.seed}),
      customers_(customers_of(half, plan, server_.url("/orders"))),
      begin_(steady_clock().now()),
      working_(plan.clients) {
  try {
    for (std::uint32_t i = 0; i < plan.clients; ++i)
      threads_.emplace_back([this, stop = stop_.get_token()] { work(stop); });
  } catch (...) {
    end_work();
    throw;
  }
}

demo_run::~demo_run() { end_work(); }

void demo_run::end_work() noexcept {
  stop_.request_stop();
  for (std::thread& each : threads_) each.join();
  threads_.clear();
}

/// Takes the next order when its time has come; it comes too late where all threads are waiting for answers.
void demo_run::work(const std::stop_token& stop) noexcept {
  const duration apart = duration{std::chrono::seconds{1}} / plan_.orders_per_second;
  for (std::uint32_t number = next_++; number < plan_.orders(); number = next_++) {
    const time_point due = saturating_add(begin_, number * apart);
    while (!stop.stop_requested() && steady_clock().now() < due) steady_clock().wait_until(due, stop);
    if (stop.stop_requested()) break;
    ++placed_;
    bool confirmed = false;
    try {
      confirmed = customers_->place(number, stop);
    } catch (const std::exception&) {  // for want of memory or descriptors: an order that failed
      confirmed = false;
    }
    ++(confirmed ? confirmed_ : failed_);
  }
  --working_;
}

duration demo_run::elapsed() const noexcept { return time_between(begin_, steady_clock().now()); }

order_counts demo_run::orders() const noexcept {
  order_counts counts;
  counts.failed = failed_;  // placed last: it is never less than the others
  counts.confirmed = confirmed_;
  counts.placed = placed_;
  return counts;
}

load demo_run::history() const {
  load all = server_.load();
  if (!all.empty() && all.size() <= buckets_in(plan_.end)) all.pop_back();  // it is not over
  all.resize(std::min(all.size(), buckets_in(plan_.end)));
  return all;
}

demo_result demo_run::finish() {
  end_work();
  const load seen = history();
  demo_result result;
  result.orders = orders();
  result.attempts = server_.totals().attempts;
  for (std::uint32_t number = 0; number < plan_.orders(); ++number)
    if (server_.counts(order_name(number)).executions > 1) ++result.executed_twice;
  result.peak = peak_of(seen, plan_);
  result.at_the_end = rate_in(seen, &load_bucket::arrived,
                              seen.size() - std::min(seen.size(), buckets_in(plan_.window)), plan_.window);
  result.recovered = recovery_in(seen, plan_);
  return result;
}

}  // namespace relent::cli
