// SPDX-License-Identifier: Apache-2.0
// An observer is told of every attempt, retry and outcome of a dependency; the counters can be read at any
// time. Together they say whether retrying is worth its price.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_operation.hpp>
#include <relent/testing/scripted_random.hpp>

#include <functional>
#include <iostream>

namespace {

class log_lines final : public relent::observer {
 public:
  void on_event(const relent::event& what) override {
    if (what.kind == relent::event_kind::retry)
      std::cout << what.dependency << ": attempt " << what.attempt << " was " << to_string(what.fault->kind)
                << ", next in " << what.wait / std::chrono::milliseconds{1} << " ms\n";
    if (what.kind == relent::event_kind::outcome)
      std::cout << what.dependency << ": " << outcome_name(what) << '\n';
  }
};

}  // namespace

int main() {
  relent::testing::manual_clock clock;
  relent::testing::scripted_random random{0.5};
  log_lines log;
  relent::dependency search{{.name = "search", .observers = {&log}, .clock = &clock, .random = &random}};

  using relent::fault_kind;
  relent::testing::scripted_operation flaky{relent::fault{.kind = fault_kind::overloaded},
                                            relent::testing::succeeds, relent::testing::succeeds,
                                            relent::fault{.kind = fault_kind::rejected}};
  for (int i = 0; i < 3; ++i) search.call(std::ref(flaky));

  const relent::counter_values seen = search.counters();
  std::cout << seen.calls() << " calls: " << seen.first_try() << " at the first try, " << seen.after_retry()
            << " after a retry, " << seen.stopped_for(relent::stop_reason::permanent) << " permanent; "
            << seen.attempts() << " attempts, " << seen.retries << " retry\n";
}
// prints: search: attempt 1 was overloaded, next in 50 ms
// prints: search: after_retry
// prints: search: first_try
// prints: search: permanent
// prints: 3 calls: 1 at the first try, 1 after a retry, 1 permanent; 4 attempts, 1 retry
