// SPDX-License-Identifier: Apache-2.0
// Credentials that ran out: a dependency's refresh hook renews them, once a call, and the same attempt is
// made again. That takes nothing from the attempts and nothing from the budget.
#include <relent/retry.hpp>

#include <iostream>
#include <optional>
#include <string>

namespace web {

struct response {
  int status = 200;
};

std::optional<relent::fault> relent_fault(const response& r) {
  if (r.status == 200) return std::nullopt;
  return relent::fault{.kind = r.status == 401 ? relent::fault_kind::unauthenticated
                                               : relent::fault_kind::rejected};
}

}  // namespace web

int main() {
  std::string token = "stale";
  relent::dependency server{{.name = "server", .refresh = [&] {
                               std::cout << "renewing the token\n";
                               token = "fresh";
                             }}};
  const web::response r = server.call([&](relent::attempt attempt) {
    std::cout << "attempt " << attempt.number() << " with a " << token << " token\n";
    return web::response{token == "fresh" ? 200 : 401};
  });
  std::cout << r.status << ", retries: " << server.counters().retries << '\n';
}
// prints: attempt 1 with a stale token
// prints: renewing the token
// prints: attempt 1 with a fresh token
// prints: 200, retries: 0
