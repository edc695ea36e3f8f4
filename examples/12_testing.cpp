// SPDX-License-Identifier: Apache-2.0
// How to test your own code that retries: time moves only when somebody waits, random numbers are written
// down, and a flaky operation does what its script says. Hours pass in a microsecond.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_operation.hpp>
#include <relent/testing/scripted_random.hpp>

#include <chrono>
#include <functional>
#include <iostream>
#include <vector>

namespace {

using namespace std::chrono_literals;
using relent::fault_kind;
using relent::testing::succeeds;

// The code under test takes its dependency from outside, as it takes its connection.
template <class Fetch>
int number_of_items(relent::dependency& server, Fetch&& fetch) {
  return server.call(fetch).value();
}

}  // namespace

int main() {
  relent::testing::manual_clock clock;
  relent::testing::scripted_random random{0.5};
  relent::dependency server{
      {.name = "items", .policy = {{.backoff = {.base = 200ms}}}, .clock = &clock, .random = &random}};

  relent::testing::scripted_operation fetch{
      clock,
      30ms,  // each attempt takes that long
      {relent::fault{.kind = fault_kind::timeout}, relent::fault{.kind = fault_kind::unreachable}, succeeds}};
  const relent::time_point start = clock.now();
  const int items = number_of_items(server, std::ref(fetch));

  const std::vector<relent::duration> expected{100ms, 200ms};  // half of 200 and of 400 ms
  if (clock.waits() != expected || fetch.calls() != 3) return 1;
  std::cout << items << " items after " << fetch.calls() << " attempts in " << (clock.now() - start) / 1ms
            << " ms that nobody waited\n";
}
// prints: 3 items after 3 attempts in 390 ms that nobody waited
