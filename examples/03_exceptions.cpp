// SPDX-License-Identifier: Apache-2.0
// Most exceptions are programming errors, so one that nobody classified is not retried. For one call,
// retry_on says which types are worth another try.
#include <relent/retry.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>

namespace {

using namespace std::chrono_literals;

struct db_busy : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr relent::policy quick{{.backoff = {.base = 1ms, .cap = 1ms}}};

int attempts = 0;

void save_row() {
  ++attempts;
  throw db_busy("table is locked");
}

void try_to_save(const relent::call_options& options) {
  attempts = 0;
  try {
    relent::retry(quick, save_row, options);
  } catch (const db_busy& busy) {  // the very exception of the last attempt
    std::cout << attempts << " attempt(s), then: " << busy.what() << '\n';
  }
}

}  // namespace

int main() {
  relent::report report;
  try_to_save({.report = &report});
  std::cout << hint_for(report).substr(0, 30) << "...\n";
  try_to_save({.classify = relent::retry_on<db_busy>});
}
// prints: 1 attempt(s), then: table is locked
// prints: nobody classified this error: ...
// prints: 3 attempt(s), then: table is locked
