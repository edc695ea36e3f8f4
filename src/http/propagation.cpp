// SPDX-License-Identifier: Apache-2.0
// Writing deadline and attempt fields. Reading them is in propagation_read.cpp.
#include <relent/http/propagation.hpp>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>

namespace relent::http {
namespace {

/// At most eight digits of the finest unit that holds it (gRPC over HTTP/2); rounded down, at least 1 ns.
std::string grpc_timeout(duration left) {
  struct unit {
    char letter;
    std::int64_t nanoseconds;
  };
  constexpr unit finest_first[] = {{'n', 1},
                                   {'u', 1'000},
                                   {'m', 1'000'000},
                                   {'S', 1'000'000'000},
                                   {'M', 60'000'000'000},
                                   {'H', 3'600'000'000'000}};
  constexpr std::int64_t greatest = 99'999'999;
  const std::int64_t rest = std::max<std::int64_t>(left.count(), 1);
  for (const unit& each : finest_first)
    if (rest / each.nanoseconds <= greatest) return std::to_string(rest / each.nanoseconds) + each.letter;
  return {};  // not reached: the longest duration has 2.6 million hours
}

std::int64_t milliseconds(duration left) { return std::max<std::int64_t>(left.count() / 1'000'000, 1); }

std::string connect_timeout(duration left) {
  constexpr std::int64_t ten_digits = 9'999'999'999;
  return std::to_string(std::min(milliseconds(left), ten_digits));
}

/// A Prefer line of nothing but a wait, as written here before.
bool only_waits(const header& line) {
  const std::string_view value = trimmed(line.value);
  return same_name(line.name, "prefer") && value.starts_with("wait=") &&
         value.find_first_not_of("0123456789", 5) == std::string_view::npos;
}

void write_prefer(header_list& request, duration left) {
  header_list others;
  for (const header& line : request)
    if (!only_waits(line)) others.add(line.name, line.value);
  request = std::move(others);
  const std::int64_t seconds = left.count() / 1'000'000'000;
  if (seconds >= 1) request.add("Prefer", "wait=" + std::to_string(seconds));
}

void write_deadline(header_list& request, const propagation& what, duration left) {
  if (what.grpc_timeout) request.set("grpc-timeout", grpc_timeout(left));
  if (what.envoy_expected_timeout)
    request.set("x-envoy-expected-rq-timeout-ms", std::to_string(milliseconds(left)));
  if (what.connect_timeout) request.set("connect-timeout-ms", connect_timeout(left));
  if (what.prefer_wait) write_prefer(request, left);
}

/// "20260105T000000Z"; nothing before 1970 or after 9999.
std::optional<std::string> basic_iso(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  std::tm parts = {};
  if (seconds < 0 || gmtime_r(&seconds, &parts) == nullptr || parts.tm_year > 9999 - 1900)
    return std::nullopt;
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return std::string(text, size);
}

/// When the attempt ends, if both clocks are known well enough to say so.
std::optional<std::string> ends(const attempt_facts& facts) {
  using wall = std::chrono::system_clock::time_point;
  if (!facts.time_left || facts.wall_now <= wall{} || *facts.time_left > wall::max() - facts.wall_now)
    return std::nullopt;
  return basic_iso(facts.wall_now +
                   std::chrono::duration_cast<wall::duration>(std::max(*facts.time_left, duration::zero())));
}

bool is_visible(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '!' && c <= '~'; });
}

void write_amz_sdk_request(header_list& request, const attempt_facts& facts) {
  std::string value = "attempt=" + std::to_string(facts.number);
  if (facts.max_attempts != 0) value += "; max=" + std::to_string(facts.max_attempts);
  if (const auto ttl = ends(facts)) value += "; ttl=" + *ttl;
  request.set("amz-sdk-request", value);
  if (is_visible(facts.invocation_id)) request.set("amz-sdk-invocation-id", facts.invocation_id);
}

void write_attempt(header_list& request, const propagation& what, const attempt_facts& facts) {
  const std::string number = std::to_string(facts.number);
  const std::uint32_t retries = facts.number == 0 ? 0 : facts.number - 1;
  if (what.envoy_attempt_count) request.set("x-envoy-attempt-count", number);
  if (what.stainless_retry_count) request.set("x-stainless-retry-count", std::to_string(retries));
  if (what.amz_sdk_request) write_amz_sdk_request(request, facts);
  if (what.grpc_previous_attempts) {
    request.remove("grpc-previous-rpc-attempts");
    if (retries != 0) request.add("grpc-previous-rpc-attempts", std::to_string(retries));
  }
}

}  // namespace

void add_propagation(header_list& request, const propagation& what, const attempt_facts& facts) {
  if (facts.time_left) write_deadline(request, what, *facts.time_left);
  write_attempt(request, what, facts);
  if (what.enclosed_mark && (facts.max_attempts != 1 || facts.enclosed))
    request.set(outer_retries_field, "?1");
}

}  // namespace relent::http
