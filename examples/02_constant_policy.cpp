// SPDX-License-Identifier: Apache-2.0
// A policy is checked when it is made. As a constant it is the compiler that checks it; made from what a
// person wrote, it throws one exception that names everything wrong at once.
#include <relent/retry.hpp>

#include <chrono>
#include <iostream>
#include <system_error>

namespace {

using namespace std::chrono_literals;

constexpr relent::policy gentle{{.max_attempts = 4, .deadline = 5s, .backoff = {.base = 1ms, .cap = 20ms}}};
// With .cap = 0ms it would not compile: "backoff.cap", "must not be below base".

}  // namespace

int main() {
  int attempts = 0;
  try {
    relent::retry(gentle, [&] {
      ++attempts;
      throw std::system_error(std::make_error_code(std::errc::timed_out));
    });
  } catch (const std::system_error& error) {
    std::cout << attempts << " attempts, then: " << error.code().message() << '\n';
  }

  const relent::policy_options from_a_person{.max_attempts = 0, .backoff = {.base = 10s, .cap = 1s}};
  try {
    relent::retry(relent::policy{from_a_person}, [] {});
  } catch (const relent::options_error& error) {
    for (const relent::problem& wrong : error.problems())
      std::cout << wrong.field << ": " << wrong.rule << '\n';
  }
}
// prints: 4 attempts, then: Connection timed out
// prints: max_attempts: must be at least 1: it counts the first attempt too
// prints: backoff.cap: must not be below base
