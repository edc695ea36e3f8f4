// SPDX-License-Identifier: Apache-2.0
// Somebody else's program: a call that fails once, through a dependency.
#include <relent/dependency.hpp>
#include <relent/retry.hpp>

#include <chrono>
#include <iostream>
#include <system_error>

int main() {
  using namespace std::chrono_literals;
  const relent::policy quick{{.backoff = {.base = 1ms, .cap = 1ms}}};
  int attempts = 0;
  const int answer = relent::retry(quick, [&] {
    if (++attempts == 1) throw std::system_error(std::make_error_code(std::errc::connection_refused));
    return 42;
  });
  std::cout << answer << " after " << attempts << " attempts\n";
}
