// SPDX-License-Identifier: Apache-2.0
// Budgets under threads: exact at every instant and exact afterwards. Each test runs clean under the thread
// sanitizer, with fewer operations.
#include <relent/budget.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

namespace relent {
namespace {

using namespace std::chrono_literals;

#if defined(__SANITIZE_THREAD__)
#define RELENT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RELENT_TEST_SANITIZED 1
#endif
#endif
#if defined(RELENT_TEST_SANITIZED)
constexpr int operations = 400'000;
constexpr int races = 2'000;
#else
constexpr int operations = 10'000'000;
constexpr int races = 20'000;
#endif

constexpr int thread_count = 8;
constexpr int steps_of_each = operations / 2 / thread_count;  // a step is a deposit and a try
constexpr time_point start{100s};

/// What the threads did. A deposit is counted before it is made and a grant after it was given, so whoever reads
/// the grants first never sees fewer deposits than the grants rest on.
class ledger {
 public:
  struct alignas(64) page {
    std::atomic<std::int64_t> deposits{0};
    std::atomic<std::int64_t> grants{0};
    // One writer each.
    void deposit() {
      deposits.store(deposits.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    void grant() { grants.store(grants.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  };

  page& of(int thread) { return pages_[thread]; }

  std::int64_t grants() const {
    std::int64_t sum = 0;
    for (const page& p : pages_) sum += p.grants.load(std::memory_order_acquire);
    return sum;
  }
  std::int64_t deposits() const {
    std::int64_t sum = 0;
    for (const page& p : pages_) sum += p.deposits.load(std::memory_order_acquire);
    return sum;
  }

 private:
  page pages_[thread_count];
};

/// Runs step(page, i) on all threads at once, and watch() over and over beside them.
template <class Step, class Watch>
void run(ledger& book, const Step& step, const Watch& watch) {
  std::barrier begin(thread_count);
  std::atomic<int> running{thread_count};
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t)
    threads.emplace_back([&, t] {
      begin.arrive_and_wait();
      for (int i = 0; i < steps_of_each; ++i) step(book.of(t), i);
      running.fetch_sub(1);
    });
  while (running.load() > 0) {
    watch();
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  watch();
}

std::int64_t grants_left(budget& b, time_point now) {
  std::int64_t left = 0;
  while (b.try_take(fault_kind::reset, now)) ++left;
  return left;
}

TEST(budget_under_threads, of_tokens_grants_exactly_what_the_successes_pay_for) {
  budget b(token_budget{.capacity = 1e6, .timeout_cost = 1e6 - 100});
  ASSERT_TRUE(b.try_take(fault_kind::timeout, start));  // room for every credit, so that none is lost
  constexpr std::int64_t reserve = 100;
  ledger book;
  std::int64_t most_over = 0;
  run(
      book,
      [&](ledger::page& mine, int) {
        mine.deposit();
        b.succeeded(start);
        if (b.try_take(fault_kind::reset, start)) mine.grant();
      },
      [&] {
        const std::int64_t granted = book.grants();
        most_over = std::max(most_over, granted * 10 - reserve * 10 - book.deposits());
      });
  EXPECT_LE(most_over, 0);
  const std::int64_t earned = reserve * 1000 + book.deposits() * 100 - book.grants() * 1000;
  EXPECT_EQ(b.balance(start), static_cast<double>(earned) / 1000);
  EXPECT_EQ(book.grants() + grants_left(b, start), reserve + book.deposits() / 10);
}

TEST(budget_under_threads, of_tokens_is_full_again_when_every_retry_is_given_back) {
  budget b(token_budget{.capacity = 3, .success_credit = 0, .timeout_cost = 2});
  ledger book;
  run(
      book,
      [&](ledger::page&, int i) {
        const fault_kind kind = i % 2 == 0 ? fault_kind::timeout : fault_kind::reset;
        if (b.try_take(kind, start)) b.give_back(kind, start);
      },
      [&] { EXPECT_TRUE(b.balance(start) >= 0 && b.balance(start) <= 3); });
  EXPECT_EQ(b.balance(start), 3);
}

TEST(budget_under_threads, of_the_ratio_kind_grants_exactly_its_share_of_the_requests) {
  budget b(ratio_budget{.ratio = 0.1, .min_retries = 0, .reserve = 100});
  ledger book;
  std::int64_t most_over = 0;
  run(
      book,
      [&](ledger::page& mine, int) {
        mine.deposit();
        b.requested(start);
        if (b.try_take(fault_kind::reset, start)) mine.grant();
      },
      [&] {
        const std::int64_t granted = book.grants();
        most_over = std::max(most_over, granted - 100 - book.deposits() / 10);
      });
  EXPECT_LE(most_over, 0);
  EXPECT_EQ(b.balance(start), static_cast<double>(100 + book.deposits() / 10 - book.grants()));
  EXPECT_EQ(book.grants() + grants_left(b, start), 100 + book.deposits() / 10);
}

TEST(budget_under_threads, of_the_ratio_kind_loses_nothing_to_a_window_that_moves_on) {
  budget b(ratio_budget{.ratio = 0.5, .window = 1s, .min_retries = 0});
  ledger book;
  std::int64_t most_over = 0;
  std::atomic<std::int64_t> clock{start.time_since_epoch().count()};
  // A slot lasts a tenth of a second, so each is recycled after some tens of steps while others still fill it.
  run(
      book,
      [&](ledger::page& mine, int) {
        const time_point now{duration{clock.fetch_add(25'000'000, std::memory_order_relaxed)}};
        mine.deposit();
        b.requested(now);
        if (b.try_take(fault_kind::reset, now)) mine.grant();
      },
      [&] {
        // A grant outlives the requests that paid for it, so no request pays twice, however far time goes.
        const std::int64_t granted = book.grants();
        most_over = std::max(most_over, granted - book.deposits() / 2);
      });
  EXPECT_LE(most_over, 0);
  EXPECT_GT(book.grants(), book.deposits() / 20);
  // Nothing has drifted: once the window is over it holds nothing, and counts from nothing.
  const time_point later{duration{clock.load()} + 1s};
  EXPECT_EQ(b.balance(later), 0);
  for (int i = 0; i < 100; ++i) b.requested(later);
  EXPECT_EQ(grants_left(b, later), 50);
}

TEST(budget_under_threads, of_the_ratio_kind_keeps_its_floor_when_every_retry_is_given_back) {
  budget b(ratio_budget{.ratio = 0, .window = 1s, .min_retries = 5});
  ledger book;
  run(
      book,
      [&](ledger::page&, int) {
        if (b.try_take(fault_kind::reset, start)) b.give_back(fault_kind::reset, start);
      },
      [&] { EXPECT_LE(b.balance(start), 5); });
  EXPECT_EQ(b.balance(start), 5);
  EXPECT_EQ(grants_left(b, start), 5);
}

TEST(budget_under_threads, of_the_throttle_kind_counts_every_failure_and_success) {
  budget b(throttle_budget{.capacity = 1000, .success_credit = 1});
  for (int i = 0; i < 500; ++i) b.failed(start);
  ledger book;
  run(
      book,
      [&](ledger::page&, int) {
        b.failed(start);
        b.succeeded(start);
      },
      [&] { EXPECT_TRUE(b.balance(start) >= 500 - thread_count && b.balance(start) <= 500); });
  EXPECT_EQ(b.balance(start), 500);
}

/// Brings two threads to the same point at the same time, again and again, without sleeping: what they do next
/// overlaps, where two processors are free for them.
class starting_line {
 public:
  void wait(int me) {
    const int round = arrived_[me].fetch_add(1) + 1;
    for (int looks = 0; arrived_[1 - me].load() < round; ++looks)
      if (looks > 1000) std::this_thread::yield();
    // One sees the other arrive some tens of nanoseconds after it did. Let every difference occur.
    for (volatile int delay = round * (me + 1) * 7 % 200; delay > 0;) delay = delay - 1;
  }

 private:
  std::atomic<int> arrived_[2]{};
};

/// Runs race(me, i) for every i on two threads that start each of them together.
template <class Race>
void run_races(const Race& race) {
  starting_line line;
  const auto run_all = [&](int me) {
    for (int i = 0; i < races; ++i) {
      line.wait(me);
      race(me, i);
    }
  };
  std::thread other(run_all, 1);
  run_all(0);
  other.join();
}

/// Two threads ask for the one retry that is left, many times over. How often both or neither got it.
int unfair_races(const budget_options& options) {
  std::deque<budget> budgets;
  for (int i = 0; i < races; ++i) budgets.emplace_back(options);
  std::vector<char> granted[2] = {std::vector<char>(races), std::vector<char>(races)};
  run_races([&](int me, int i) {
    granted[me][static_cast<std::size_t>(i)] =
        budgets[static_cast<std::size_t>(i)].try_take(fault_kind::reset, start);
  });
  int unfair = 0;
  for (std::size_t i = 0; i < races; ++i) unfair += granted[0][i] + granted[1][i] == 1 ? 0 : 1;
  return unfair;
}

TEST(budget_under_threads, grants_the_last_retry_to_exactly_one_of_two) {  // W8, B6
  EXPECT_EQ(unfair_races(token_budget{.capacity = 1}), 0);
  EXPECT_EQ(unfair_races(ratio_budget{.ratio = 0, .min_retries = 1}), 0);
}

TEST(budget_under_threads, grants_two_of_three_retries_that_ask_at_once_for_five_of_ten_tokens) {  // Q5
  budget b(token_budget{.capacity = 10, .retry_cost = 5});
  std::atomic<int> granted{0};
  std::barrier begin(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      begin.arrive_and_wait();
      if (b.try_take(fault_kind::reset, start)) granted.fetch_add(1);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(granted.load(), 2);
  EXPECT_EQ(b.balance(start), 0);
  EXPECT_EQ(b.refusals(), 1U);
}

TEST(budget_under_threads, can_be_reconfigured_while_it_is_used) {
  const token_budget small{.capacity = 4, .success_credit = 1};
  const token_budget large{.capacity = 4096, .success_credit = 1};
  budget b(large);
  ledger book;
  std::thread other([&] {
    for (int i = 0; i < 2000; ++i) b.reconfigure(i % 2 == 0 ? small : large);
  });
  run(
      book,
      [&](ledger::page&, int) {
        b.succeeded(start);
        b.try_take(fault_kind::reset, start);
      },
      [&] { EXPECT_TRUE(b.balance(start) >= 0 && b.balance(start) <= 4096); });
  other.join();
  // Whatever came of the level, it is that of the last rule, and the rule is whole.
  b.reconfigure(small);
  for (int i = 0; i < 4; ++i) b.succeeded(start);
  EXPECT_EQ(b.balance(start), 4);
  EXPECT_EQ(grants_left(b, start), 4);
}

TEST(budget_under_threads, follows_one_whole_rule_after_two_reconfigured_it_at_once) {
  const token_budget rules[] = {{.capacity = 10, .success_credit = 1, .retry_cost = 1},
                                {.capacity = 20, .success_credit = 2, .retry_cost = 2}};
  std::deque<budget> budgets;
  for (int i = 0; i < races; ++i) budgets.emplace_back(rules[0]);
  run_races([&](int me, int i) { budgets[static_cast<std::size_t>(i)].reconfigure(rules[me]); });
  for (budget& b : budgets) {
    EXPECT_EQ(grants_left(b, start), 10);  // ten of one token, or ten of two
    EXPECT_EQ(b.balance(start), 0);
    b.succeeded(start);
    EXPECT_TRUE(b.try_take(fault_kind::reset, start));
    EXPECT_EQ(b.balance(start), 0);
  }
}

}  // namespace
}  // namespace relent
