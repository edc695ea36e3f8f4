// SPDX-License-Identifier: Apache-2.0
// Reading deadline and attempt fields. What cannot be read counts as absent.
#include <relent/http/propagation.hpp>

#include <algorithm>
#include <limits>

namespace relent::http {
namespace {

/// A number of digits only; one beyond 64 bits is the greatest of them.
std::optional<std::uint64_t> number_in(std::string_view digits) {
  constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value > (greatest - digit) / 10 ? greatest : value * 10 + digit;
  }
  return value;
}

/// So many units, at most max_duration.
duration times(std::uint64_t count, std::int64_t unit_in_nanoseconds) {
  const auto longest = static_cast<std::uint64_t>(max_duration.count());
  const auto unit = static_cast<std::uint64_t>(unit_in_nanoseconds);
  return count > longest / unit ? max_duration : duration{static_cast<duration::rep>(count * unit)};
}

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t second = 1'000'000'000;

std::optional<std::int64_t> unit_of(char letter) {
  switch (letter) {
    case 'n': return 1;
    case 'u': return 1'000;
    case 'm': return millisecond;
    case 'S': return second;
    case 'M': return 60 * second;
    case 'H': return 3600 * second;
    default: return std::nullopt;
  }
}

/// One to eight digits and a unit, whose case matters.
std::optional<duration> grpc_timeout(std::string_view value) {
  if (value.size() < 2 || value.size() > 9) return std::nullopt;
  const auto unit = unit_of(value.back());
  const auto count = number_in(value.substr(0, value.size() - 1));
  if (!unit || !count) return std::nullopt;
  return times(*count, *unit);
}

/// Zero means no limit to Envoy.
std::optional<duration> envoy_timeout(std::string_view value) {
  const auto count = number_in(value);
  if (!count || *count == 0) return std::nullopt;
  return times(*count, millisecond);
}

std::optional<duration> connect_timeout(std::string_view value) {
  const auto count = number_in(value);
  if (!count || value.size() > 10) return std::nullopt;
  return times(*count, millisecond);
}

/// Takes from `rest` what stands before the first of these characters that is not inside quotes, and it.
std::string_view take_until(std::string_view& rest, char separator) {
  bool quoted = false;
  std::size_t at = 0;
  for (; at < rest.size() && (quoted || rest[at] != separator); ++at) {
    if (quoted && rest[at] == '\\')
      ++at;
    else if (rest[at] == '"')
      quoted = !quoted;
  }
  at = std::min(at, rest.size());
  const std::string_view taken = trimmed(rest.substr(0, at));
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return taken;
}

std::string_view without_quotes(std::string_view word) {
  const bool quoted = word.size() >= 2 && word.front() == '"' && word.back() == '"';
  return quoted ? word.substr(1, word.size() - 2) : word;
}

/// The seconds of the first `wait` among the preferences (RFC 7240 section 2). No wait at all is no deadline.
std::optional<duration> prefer_wait(std::string_view preferences) {
  while (!preferences.empty()) {
    std::string_view preference = take_until(preferences, ',');
    std::string_view word = take_until(preference, ';');
    const std::string_view name = take_until(word, '=');
    if (!same_name(name, "wait")) continue;
    const auto count = number_in(without_quotes(trimmed(word)));
    if (!count || *count == 0) return std::nullopt;
    return times(*count, second);
  }
  return std::nullopt;
}

/// "attempt=2; max=3", in any order.
std::optional<std::uint64_t> amz_attempt(std::string_view value) {
  while (!value.empty()) {
    std::string_view word = take_until(value, ';');
    if (take_until(word, '=') == "attempt") return number_in(trimmed(word));
  }
  return std::nullopt;
}

/// The attempt of one field, as the fields count: from 1, or retries from 0.
std::optional<std::uint64_t> attempt_of(std::string_view name, std::string_view value) {
  if (same_name(name, "x-envoy-attempt-count")) return number_in(value);
  if (same_name(name, "amz-sdk-request")) return amz_attempt(value);
  if (!same_name(name, "x-stainless-retry-count") && !same_name(name, "grpc-previous-rpc-attempts"))
    return std::nullopt;
  const auto retries = number_in(value);
  if (!retries) return std::nullopt;
  return *retries == std::numeric_limits<std::uint64_t>::max() ? *retries : *retries + 1;
}

std::optional<duration> deadline_of(std::string_view name, std::string_view value) {
  if (same_name(name, "grpc-timeout")) return grpc_timeout(value);
  if (same_name(name, "x-envoy-expected-rq-timeout-ms")) return envoy_timeout(value);
  if (same_name(name, "connect-timeout-ms")) return connect_timeout(value);
  return std::nullopt;
}

}  // namespace

std::optional<duration> deadline_in(const header_list& request) {
  std::optional<duration> least;
  const auto take = [&least](std::optional<duration> other) {
    if (other && (!least || *other < *least)) least = other;
  };
  for (const header& line : request) take(deadline_of(line.name, trimmed(line.value)));
  if (const auto preferences = request.joined("prefer")) take(prefer_wait(*preferences));
  return least;
}

bool outer_layer_retries(const header_list& request) {
  for (const header& line : request) {
    if (!same_name(line.name, outer_retries_field)) continue;
    std::string_view value = trimmed(line.value);
    if (take_until(value, ';') == "?1") return true;
  }
  return false;
}

std::optional<std::uint32_t> attempt_number_in(const header_list& request) {
  std::uint64_t greatest = 0;
  for (const header& line : request)
    greatest = std::max(greatest, attempt_of(line.name, trimmed(line.value)).value_or(0));
  if (greatest == 0) return std::nullopt;
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(greatest, most));
}

}  // namespace relent::http
