// SPDX-License-Identifier: Apache-2.0
// Uses the libcurl driver and the fault server.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <iostream>

int main() {
  const relent::testing::fault_server server({.scripts = {"503, 200(body=\"42\")"}});
  relent::curl::client client;
  const relent::curl::response answer = client.get(server.url("/"));
  std::cout << answer.body << " after " << answer.report.attempts << " attempts\n";
}
