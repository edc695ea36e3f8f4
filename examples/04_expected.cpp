// SPDX-License-Identifier: Apache-2.0
// Errors as values. Whatever looks like std::expected is understood, and what an error means is said once,
// in a function beside the error type that is found by argument-dependent lookup.
#include <relent/retry.hpp>

#include <chrono>
#include <iostream>
#include <string>

namespace shop {

enum class fetch_error { none, no_connection, no_such_item };

// The hook: what the error means for retrying ...
relent::fault relent_fault(const fetch_error& error) {
  if (error == fetch_error::no_connection) return {.kind = relent::fault_kind::unreachable};
  return {.kind = relent::fault_kind::rejected};
}
// ... and, if you like, its text for reports and observers.
std::string relent_text(const fetch_error& error) {
  return error == fetch_error::no_connection ? "no connection" : "no such item";
}

// Stands for std::expected<int, fetch_error>, which is C++23.
class price {
 public:
  explicit price(int cents) : cents_(cents) {}
  explicit price(fetch_error error) : error_(error) {}
  bool has_value() const { return error_ == fetch_error::none; }
  int value() const { return cents_; }
  fetch_error error() const { return error_; }

 private:
  int cents_ = 0;
  fetch_error error_ = fetch_error::none;
};

int attempts = 0;

price try_fetch(const std::string& item) {
  if (++attempts == 1) return price(fetch_error::no_connection);
  return item == "tea" ? price(340) : price(fetch_error::no_such_item);
}

}  // namespace shop

int main() {
  using namespace std::chrono_literals;
  constexpr relent::policy quick{{.backoff = {.base = 1ms, .cap = 1ms}}};
  for (const std::string item : {"tea", "unobtainium"}) {
    shop::attempts = 0;
    relent::report report;
    const shop::price price =
        relent::retry(quick, [&] { return shop::try_fetch(item); }, {.report = &report});
    std::cout << item << ": " << (price.has_value() ? "found" : relent_text(price.error())) << " after "
              << report.attempts << " attempts\n";
  }
}
// prints: tea: found after 2 attempts
// prints: unobtainium: no such item after 2 attempts
