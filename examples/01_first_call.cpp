// SPDX-License-Identifier: Apache-2.0
// The smallest call: three attempts, random waits below 100 and 200 ms, 30 s in all at most. What the last
// attempt returned or threw is what comes out.
#include <relent/retry.hpp>

#include <iostream>
#include <string>
#include <system_error>

namespace {

// Fails twice, as a server does that is just starting.
std::string fetch_user(int id) {
  static int calls = 0;
  if (++calls < 3) throw std::system_error(std::make_error_code(std::errc::connection_refused));
  return "user " + std::to_string(id);
}

}  // namespace

int main() {
  const std::string user = relent::retry([] { return fetch_user(42); });
  std::cout << user << '\n';
}
// prints: user 42
