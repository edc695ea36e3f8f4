// SPDX-License-Identifier: Apache-2.0
// Somebody else's program that has its policy in a file.
#include <relent/policy_file/policy_file.hpp>
#include <relent/retry.hpp>

#include <iostream>
#include <system_error>

int main() {
  const relent::policy_file file = relent::policy_file::parse(R"(
[policy.quick]
backoff = { base = "1ms", cap = "1ms" }
)");
  relent::dependency server{file.at("quick").dependency()};
  int attempts = 0;
  const int answer = server.call([&] {
    if (++attempts == 1) throw std::system_error(std::make_error_code(std::errc::connection_refused));
    return 42;
  });
  std::cout << answer << " after " << attempts << " attempts\n";
}
