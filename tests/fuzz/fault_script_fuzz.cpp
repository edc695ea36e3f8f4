// SPDX-License-Identifier: Apache-2.0
// Any bytes as scripts of a fault server, one a line: either every problem has its place, or requests can walk through
// them. Bodies are not made, only cut to a piece.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <relent/testing/fault_server.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "../src/fault_server/book.hpp"
#include "../src/fault_server/script.hpp"

namespace {

using namespace relent::testing::faults;

void check(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty() && out.size() < 16) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// "script 2:5: what is wrong": the script exists, the place lies in it or just behind, the rest is printable.
void check_problem(const std::string& problem, const std::vector<std::string>& scripts) {
  check(problem.rfind("script ", 0) == 0);
  char* end = nullptr;
  const auto number = std::strtoull(problem.c_str() + 7, &end, 10);
  check(number >= 1 && number <= scripts.size() && *end == ':');
  const auto place = std::strtoull(end + 1, &end, 10);
  check(place >= 1 && place <= scripts[number - 1].size() + 1);
  check(std::string_view(end).substr(0, 2) == ": " && std::string_view(end).size() > 10);
}

void walk_through(script_set scripts) {
  book records(std::move(scripts), 1);
  relent::time_point now{std::chrono::hours{1}};
  std::vector<request_head> requests{{"GET", "/"}, {"POST", "/pay?key=a"}, {"HEAD", "/x"}};
  requests[0].headers = {{"Range", "bytes=1-2"}, {"If-Range", "\"a\""}};
  requests[1].headers = {{"Idempotency-Key", "k"}, {"Expect", "100-continue"}};
  for (int i = 0; i < 12; ++i) {
    const request_head& request = requests[static_cast<std::size_t>(i) % 3];
    const ticket given = records.arrive(request, now);
    const performance what = records.finish(given, request, body_seen{}, now, {});
    check(what.delay >= relent::duration::zero());
    check(what.body.piece(0, 100).size() <= 100);
    if (what.status != 0) check(what.head.rfind("HTTP/1.1 ", 0) == 0 && what.status >= 200);
    now += std::chrono::milliseconds{700};
    if (i == 6) records.refresh();
  }
  check(records.totals().attempts == 12);
  check(records.totals().executions <= 12 && records.counts("k").executions <= 1);
  check(!records.counts_json(now).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> scripts = lines_of({reinterpret_cast<const char*>(data), size});
  script_reading read = read_scripts(scripts, true);
  for (const std::string& each : read.problems) check_problem(each, scripts);
  if (read.problems.empty()) walk_through(std::move(read.scripts));
  return 0;
}
