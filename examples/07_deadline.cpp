// SPDX-License-Identifier: Apache-2.0
// One deadline over all attempts and waits. Each attempt may ask what is left for it, and no wait is begun
// that would leave nothing for the attempt after it.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>

#include <chrono>
#include <iostream>
#include <system_error>

namespace {

using namespace std::chrono_literals;

constexpr relent::policy rules{{.max_attempts = 10,
                                .deadline = 5s,
                                .attempt_timeout = 2s,
                                .backoff = {.base = 500ms, .jitter = relent::jitter::none}}};

}  // namespace

int main() {
  relent::testing::manual_clock clock;
  relent::report report;
  const auto slow_server = [&](relent::attempt attempt) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(attempt.time_left());
    std::cout << "attempt " << attempt.number() << " may take " << left.count() << " ms\n";
    clock.advance(left);  // what a connection with that time-out does when nothing answers
    throw std::system_error(std::make_error_code(std::errc::timed_out));
  };
  try {
    relent::retry(rules, slow_server, {.report = &report, .clock = &clock});
  } catch (const std::system_error& error) {
    std::cout << to_line(report) << '\n';
  }
}
// prints: attempt 1 may take 2000 ms
// prints: attempt 2 may take 2000 ms
// prints: gave up after 2 attempts in 4.5s: the next attempt would not fit before the deadline; last fault timeout (std::system_error: Connection timed out)
