// SPDX-License-Identifier: Apache-2.0
// A callable that retries, with the signature of the one inside: its callers need not change.
#include <relent/retry.hpp>

#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <system_error>

namespace {

using namespace std::chrono_literals;

std::string greet(const std::string& name, int times) {
  static int calls = 0;
  if (++calls % 2 == 1) throw std::system_error(std::make_error_code(std::errc::connection_refused));
  std::string text = "hello";
  for (int i = 1; i < times; ++i) text += " hello";
  return text + " " + name;
}

// Somebody else's code, which knows nothing of retries.
void welcome(const std::function<std::string(const std::string&, int)>& greeting) {
  std::cout << greeting("Ada", 1) << '\n' << greeting("Grace", 2) << '\n';
}

}  // namespace

int main() {
  constexpr relent::policy quick{{.backoff = {.base = 1ms, .cap = 1ms}}};
  welcome(relent::retrying(quick, greet));
}
// prints: hello Ada
// prints: hello hello Grace
