// SPDX-License-Identifier: Apache-2.0
// A stop token ends the wait at once, and no attempt starts afterwards. The last real error comes out.
#include <relent/retry.hpp>

#include <chrono>
#include <iostream>
#include <stop_token>
#include <system_error>
#include <thread>

namespace {

using namespace std::chrono_literals;

constexpr relent::policy patient{{.backoff = {.base = 10s, .jitter = relent::jitter::none}}};

}  // namespace

int main() {
  std::stop_source shutdown;
  std::jthread somebody([&] {
    std::this_thread::sleep_for(20ms);
    shutdown.request_stop();
  });

  relent::report report;
  try {
    relent::retry(patient,
                  [](relent::attempt attempt) {
                    // An operation that can be interrupted hands attempt.stop() on.
                    if (!attempt.stop().requested())
                      throw std::system_error(std::make_error_code(std::errc::host_unreachable));
                  },
                  {.stop = shutdown.get_token(), .report = &report});
  } catch (const std::system_error& error) {
    std::cout << error.code().message() << '\n';
  }
  std::cout << to_string(report.stop.value()) << " after " << report.attempts << " attempt, "
            << (report.elapsed < 5s ? "long before" : "not before") << " the wait of 10 s was over\n";
}
// prints: No route to host
// prints: cancelled after 1 attempt, long before the wait of 10 s was over
