// SPDX-License-Identifier: Apache-2.0
// A payment must not be made twice, though its answer may be lost. All attempts of a call carry the same
// key, so the server recognises the repetition; the next call has another.
#include <relent/retry.hpp>

#include <chrono>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace {

using namespace std::chrono_literals;

class bank {
 public:
  // Does the work once for each key. The first answer gets lost on its way.
  std::string charge(std::string_view key) {
    done_.emplace(key);
    if (++requests_ == 1) throw std::system_error(std::make_error_code(std::errc::connection_reset));
    return "paid";
  }
  std::size_t charges() const { return done_.size(); }
  int requests() const { return requests_; }

 private:
  std::set<std::string, std::less<>> done_;
  int requests_ = 0;
};

constexpr relent::policy quick{{.backoff = {.base = 1ms, .cap = 1ms}}};

}  // namespace

int main() {
  bank server;
  const auto pay = [&](relent::attempt attempt) { return server.charge(attempt.idempotency_key()); };
  // Without the key, only_if_no_effect would stop after the lost answer: the work may have been done.
  const relent::call_options careful{.repeat = relent::repeat::only_if_no_effect};
  std::cout << relent::retry(quick, pay, careful) << ": " << server.requests() << " requests, "
            << server.charges() << " charge\n";
  std::cout << relent::retry(quick, pay, careful) << ": " << server.requests() << " requests, "
            << server.charges() << " charges\n";
}
// prints: paid: 2 requests, 1 charge
// prints: paid: 3 requests, 2 charges
