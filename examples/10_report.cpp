// SPDX-License-Identifier: Apache-2.0
// The story of a call, as a value, as a line for a log, and as JSON.
#include <relent/retry.hpp>
#include <relent/testing/manual_clock.hpp>
#include <relent/testing/scripted_random.hpp>

#include <chrono>
#include <iostream>
#include <system_error>

int main() {
  using namespace std::chrono_literals;
  relent::testing::manual_clock clock;
  relent::testing::scripted_random random{0.5};
  relent::dependency payments{
      {.name = "payments", .policy = {{.max_attempts = 2}}, .clock = &clock, .random = &random}};

  relent::report report;
  try {
    payments.call(
        [&] {
          clock.advance(20ms);
          throw std::system_error(std::make_error_code(std::errc::connection_refused), "payments:443");
        },
        {.report = &report});
  } catch (const std::system_error&) {
    std::cout << to_line(report) << '\n' << to_json(report) << '\n';
  }
  for (const relent::attempt_record& record : report.records)
    std::cout << "attempt " << record.number << ": " << to_string(record.fault->kind) << '\n';
}
// prints: payments: gave up after 2 attempts in 90ms: all attempts are used; last fault unreachable (std::system_error: payments:443: Connection refused)
// prints: {"dependency":"payments","outcome":"attempts","attempts":2,"max_attempts":2,"elapsed_seconds":0.09,"waited_seconds":0.05,"records":[{"attempt":1,"ended_seconds":0.02,"fault":"unreachable","effect":"none","error":"std::system_error: payments:443: Connection refused","wait_seconds":0.05,"wait_source":"backoff"},{"attempt":2,"ended_seconds":0.09,"fault":"unreachable","effect":"none","error":"std::system_error: payments:443: Connection refused"}]}
// prints: attempt 1: unreachable
// prints: attempt 2: unreachable
