// SPDX-License-Identifier: Apache-2.0
// What calls share belongs to the dependency: a budget, so that retries stay a fraction of the requests
// however long the outage, and a breaker, which stops calling what is clearly down.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>

#include <chrono>
#include <iostream>
#include <system_error>

namespace {

using namespace std::chrono_literals;

int reached_the_server = 0;

void dead_server() {
  ++reached_the_server;
  throw std::system_error(std::make_error_code(std::errc::connection_refused));
}

void call_100_times(relent::dependency& server) {
  reached_the_server = 0;
  for (int i = 0; i < 100; ++i) {
    try {
      server.call(dead_server);
    } catch (const std::system_error&) {  // the server's error, or relent::refused by the breaker
    }
  }
  std::cout << server.name() << ": " << reached_the_server << " attempts reached the server\n";
}

}  // namespace

int main() {
  relent::testing::manual_clock clock;
  relent::dependency careless{{.name = "no budget", .budget = relent::budget::none(), .clock = &clock}};
  relent::dependency usual{{.name = "budget", .clock = &clock}};
  relent::dependency careful{{.name = "budget and breaker",
                              .breaker = relent::breaker_options{.failures = 5, .open_for = 1min},
                              .clock = &clock}};
  call_100_times(careless);
  call_100_times(usual);
  call_100_times(careful);
  std::cout << "the breaker is " << to_string(careful.breaker()->current(clock.now())) << '\n';
}
// prints: no budget: 300 attempts reached the server
// prints: budget: 110 attempts reached the server
// prints: budget and breaker: 5 attempts reached the server
// prints: the breaker is open
