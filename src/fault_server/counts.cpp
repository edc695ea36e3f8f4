// SPDX-License-Identifier: Apache-2.0
// What a book tells of its counts, also as JSON. That is small enough to be written by hand.
#include <cstdio>

#include "book.hpp"

namespace relent::testing::faults {
namespace {

struct count_name {
  const char* name;
  std::uint64_t key_counts::*count;
};

constexpr count_name names[] = {
    {"attempts", &key_counts::attempts},
    {"executions", &key_counts::executions},
    {"bodies_complete", &key_counts::bodies_complete},
    {"body_bytes", &key_counts::body_bytes},
    {"bodies_different", &key_counts::bodies_different},
    {"answered", &key_counts::answered},
    {"rejected", &key_counts::rejected},
    {"conflicts", &key_counts::conflicts},
    {"replayed", &key_counts::replayed},
    {"dropped", &key_counts::dropped},
};

key_counts sum_of(const std::map<std::string, key_entry, std::less<>>& entries) {
  key_counts out;
  for (const auto& [key, entry] : entries)
    for (const count_name& each : names) out.*each.count += entry.counts.*each.count;
  return out;
}

/// In quotes. A byte that is not ASCII stands for the character of its number: keys need not be UTF-8.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(byte));
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_of(const key_counts& counts) {
  std::string out = "{";
  for (const count_name& each : names)
    out += (out.size() > 1 ? "," : "") + quoted(each.name) + ':' + std::to_string(counts.*each.count);
  return out + '}';
}

std::string json_of(const std::vector<load_bucket>& load, std::uint32_t load_bucket::*count) {
  std::string out = "[";
  for (const load_bucket& each : load) {
    if (out.size() > 1) out += ',';
    out += std::to_string(each.*count);
  }
  return out + ']';
}

}  // namespace

key_counts book::counts(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? key_counts{} : found->second.counts;
}

key_counts book::totals() const {
  const std::lock_guard lock(mutex_);
  return sum_of(entries_);
}

std::uint64_t book::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

std::string book::counts_json(time_point now) const {
  const std::lock_guard lock(mutex_);
  std::string out = R"({"keys":{)";
  bool first = true;
  for (const auto& [key, entry] : entries_) {
    out += (first ? "" : ",") + quoted(key) + ':' + json_of(entry.counts);
    first = false;
  }
  const std::vector<load_bucket> load = first_ ? load_.until(since_first(now)) : std::vector<load_bucket>{};
  out += R"(},"totals":)" + json_of(sum_of(entries_)) + R"(,"connections":)" + std::to_string(connections_);
  out += R"(,"load":{"bucket_ms":100,"arrived":)" + json_of(load, &load_bucket::arrived);
  out += R"(,"served":)" + json_of(load, &load_bucket::served);
  return out + R"(,"rejected":)" + json_of(load, &load_bucket::rejected) + "}}";
}

}  // namespace relent::testing::faults
