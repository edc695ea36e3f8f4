// SPDX-License-Identifier: Apache-2.0
// A result that carries a status: its hook returns an optional fault, nothing for a success. A wait that the
// server asked for is kept to: never earlier, a little later.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_random.hpp>

#include <chrono>
#include <iostream>
#include <optional>

namespace web {

using namespace std::chrono_literals;

struct response {
  int status = 200;
  std::optional<std::chrono::seconds> retry_after = std::nullopt;
};

std::optional<relent::fault> relent_fault(const response& r) {
  switch (r.status) {
    case 200: return std::nullopt;
    case 429: return relent::fault{.kind = relent::fault_kind::rate_limited, .server_delay = r.retry_after};
    case 503: return relent::fault{.kind = relent::fault_kind::overloaded, .server_delay = r.retry_after};
    default: return relent::fault{.kind = relent::fault_kind::rejected};
  }
}

response get() {
  static int calls = 0;
  switch (++calls) {
    case 1: return {503, 2s};
    case 2: return {503};
    default: return {200};
  }
}

}  // namespace web

int main() {
  relent::testing::manual_clock clock;  // so that this program need not wait
  relent::testing::scripted_random random{0.5};
  const web::response r = relent::retry(web::get, {.clock = &clock, .random = &random});
  std::cout << r.status << '\n';
  for (const relent::duration wait : clock.waits())
    std::cout << "waited " << std::chrono::duration_cast<std::chrono::milliseconds>(wait).count() << " ms\n";
}
// prints: 200
// prints: waited 2100 ms
// prints: waited 100 ms
