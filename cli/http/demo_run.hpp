// SPDX-License-Identifier: Apache-2.0
// One half of `relent demo`: a fault server, and threads that place orders at a fixed rate, whatever becomes of
// those before. Layer 5.
#pragma once

#include "demo_customers.hpp"
#include "demo_plan.hpp"

#include <relent/testing/fault_server.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace relent::cli {

using load = std::vector<testing::load_bucket>;

/// Which customers.
enum class demo_half : std::uint8_t { naive, with_relent };

/// How the orders stand.
struct order_counts {
  std::uint32_t placed = 0;  ///< begun
  std::uint32_t confirmed = 0;
  std::uint32_t failed = 0;

  std::uint32_t under_way() const noexcept { return placed - confirmed - failed; }
};

/// What was measured.
struct demo_result {
  order_counts orders;
  std::uint64_t attempts = 0;         ///< requests that the server saw
  std::uint64_t executed_twice = 0;   ///< orders that were executed more than once
  double peak = 0;                    ///< requests a second, over the plan's window
  double at_the_end = 0;              ///< the same at the end of the plan
  std::optional<duration> recovered;  ///< how long after the outage the server was back; nothing: it was not
};

/// Begins when it is made. Throws what the server and the client throw, std::system_error where there are no
/// threads to be had.
class demo_run {
 public:
  demo_run(const demo_plan& plan, demo_half half);
  ~demo_run();
  demo_run(const demo_run&) = delete;
  demo_run& operator=(const demo_run&) = delete;

  duration elapsed() const noexcept;
  /// Whether every order has come to its end.
  bool over() const noexcept { return working_.load() == 0; }
  order_counts orders() const noexcept;
  /// The tenths of a second that have passed, at most those of the plan.
  load history() const;
  /// Ends what is under way, and measures.
  demo_result finish();

 private:
  void work(const std::stop_token& stop) noexcept;
  void end_work() noexcept;

  demo_plan plan_;
  testing::fault_server server_;
  std::unique_ptr<demo_customers> customers_;
  time_point begin_;
  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> placed_{0};
  std::atomic<std::uint32_t> confirmed_{0};
  std::atomic<std::uint32_t> failed_{0};
  std::atomic<std::uint32_t> working_{0};
  std::stop_source stop_;
  std::vector<std::thread> threads_;
};

/// Requests a second, of those that `count` tells, in the window that begins with the bucket `first`.
double rate_in(const load& history, std::uint32_t testing::load_bucket::*count, std::size_t first,
               duration window);

/// How long after the outage the server served nine tenths of the orders that come in, or more, for a window.
std::optional<duration> recovery_in(const load& history, const demo_plan& plan);

}  // namespace relent::cli
