// SPDX-License-Identifier: Apache-2.0
// Three paths, each with the one method that makes sense.
#include "built_in.hpp"

namespace relent::testing::faults {
namespace {

constexpr std::string_view json = "application/json";

performance wrong_method(const request_head& request, std::string_view right, const circumstances& around) {
  return plain_answer(405, "use " + std::string(right) + '\n', "text/plain", request, around);
}

}  // namespace

bool is_built_in(const request_head& request) noexcept { return request.path().substr(0, 9) == "/_relent/"; }

performance answer_built_in(const request_head& request, book& records, time_point now,
                            const circumstances& around) {
  const std::string_view path = request.path();
  if (path == "/_relent/counts") {
    if (request.method != "GET" && request.method != "HEAD") return wrong_method(request, "GET", around);
    return plain_answer(200, records.counts_json(now) + '\n', json, request, around);
  }
  const bool reset = path == "/_relent/reset";
  if (!reset && path != "/_relent/refresh")
    return plain_answer(404, "there are /_relent/counts, /_relent/reset and /_relent/refresh\n", "text/plain",
                        request, around);
  if (request.method != "POST") return wrong_method(request, "POST", around);
  if (reset) {
    records.reset();
  } else {
    records.refresh();
  }
  return plain_answer(200, reset ? "{\"reset\":true}\n" : "{\"refreshed\":true}\n", json, request, around);
}

}  // namespace relent::testing::faults
