// SPDX-License-Identifier: Apache-2.0
// Names, and how values are written.
#include "run_environment.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace relent::cli {
namespace {

constexpr const char* attempt_name = "RELENT_ATTEMPT";
constexpr const char* max_attempts_name = "RELENT_MAX_ATTEMPTS";
constexpr const char* deadline_name = "RELENT_DEADLINE";
constexpr const char* key_name = "RELENT_IDEMPOTENCY_KEY";
constexpr std::size_t longest_key = 255;
/// A deadline farther away is none to anybody who reads it.
constexpr duration longest_told = std::chrono::hours{24} * 365 * 100;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view variable(const char* name) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there is one thread
  return text == nullptr ? std::string_view{} : text;
}

/// Nothing without a deadline, or if the text is no instant.
std::optional<duration> time_left_until(std::string_view deadline,
                                        std::chrono::system_clock::time_point wall_now,
                                        std::vector<std::string>& remarks) {
  if (deadline.empty()) return std::nullopt;
  const auto seconds = number_in<double>(deadline);
  if (!seconds || !std::isfinite(*seconds)) {
    remarks.push_back(
        fmt::format("{}: '{}' is not a number of seconds since 1970: ignored", deadline_name, deadline));
    return std::nullopt;
  }
  const double left = *seconds - std::chrono::duration<double>(wall_now.time_since_epoch()).count();
  constexpr double longest = std::chrono::duration<double>(longest_told).count();
  return std::chrono::duration_cast<duration>(std::chrono::duration<double>(std::clamp(left, 0.0, longest)));
}

bool can_be_a_key(std::string_view text) {
  return !text.empty() && text.size() <= longest_key &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

/// FNV-1a, with the well-mixed end that a short text needs.
std::uint64_t hash_of(std::string_view outer, std::span<char* const> command, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
  const auto take = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    hash = (hash ^ 0x100U) * 0x100000001b3U;  // an end that no byte is
  };
  take(outer);
  for (const char* word : command) take(word);
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31U);
}

}  // namespace

std::optional<enclosing_run> find_enclosing_run(std::chrono::system_clock::time_point wall_now,
                                                std::vector<std::string>& remarks) {
  const std::string_view attempt = variable(attempt_name);
  if (attempt.empty()) return std::nullopt;
  const auto number = number_in<std::uint32_t>(attempt);
  if (!number || *number == 0) {
    remarks.push_back(
        fmt::format("{}: '{}' is not the number of an attempt: ignored", attempt_name, attempt));
    return std::nullopt;
  }
  enclosing_run found{.attempt = *number,
                      .time_left = time_left_until(variable(deadline_name), wall_now, remarks),
                      .idempotency_key = std::string(variable(key_name))};
  if (!can_be_a_key(found.idempotency_key)) found.idempotency_key.clear();
  return found;
}

std::string derived_key(std::string_view outer, std::span<char* const> command) {
  const std::uint64_t high = hash_of(outer, command, 0);
  const std::uint64_t low = hash_of(outer, command, 0x9e3779b97f4a7c15U);
  return fmt::format("{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xffffU,
                     high & 0xfffU, (low >> 48U & 0x3fffU) | 0x8000U, low & 0xffffffffffffU);
}

run_environment::run_environment() {
  for (char** each = environ; *each != nullptr; ++each) own_.emplace_back(*each);
}

void run_environment::set(std::string_view name, const std::optional<std::string>& value) {
  const auto same = [&](const std::string& entry) {
    return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
  };
  const auto place = std::ranges::find_if(own_, same);
  if (!value) {
    if (place != own_.end()) own_.erase(place);
    return;
  }
  std::string entry = fmt::format("{}={}", name, *value);
  if (place != own_.end())
    *place = std::move(entry);
  else
    own_.push_back(std::move(entry));
}

void run_environment::set_attempt(std::uint32_t attempt, std::uint32_t max_attempts, duration time_left,
                                  std::chrono::system_clock::time_point wall_now, std::string_view key) {
  set(attempt_name, std::to_string(attempt));
  set(max_attempts_name, std::to_string(max_attempts));
  std::optional<std::string> deadline;
  if (time_left < longest_told) {
    const auto ends = std::chrono::floor<std::chrono::milliseconds>(wall_now + time_left).time_since_epoch();
    deadline = fmt::format("{}.{:03}", ends.count() / 1000, ends.count() % 1000);
  }
  set(deadline_name, deadline);
  set(key_name, std::string(key));
}

char* const* run_environment::get() {
  all_.clear();
  for (std::string& each : own_) all_.push_back(each.data());
  all_.push_back(nullptr);
  return all_.data();
}

}  // namespace relent::cli
