// SPDX-License-Identifier: Apache-2.0
// Laying out the table.
#include "faults_counts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace relent::cli {
namespace {

using json = nlohmann::json;

struct column {
  std::string_view heading;
  std::string_view count;  ///< as it is called in the JSON
  bool always;
};

constexpr std::array<column, 8> columns{{
    {"ATTEMPTS", "attempts", true},
    {"EXECUTIONS", "executions", true},
    {"ANSWERED", "answered", true},
    {"REJECTED", "rejected", false},
    {"CONFLICTS", "conflicts", false},
    {"REPLAYED", "replayed", false},
    {"DROPPED", "dropped", false},
    {"OTHER BODY", "bodies_different", false},
}};

using counts = std::array<std::uint64_t, columns.size()>;

struct row {
  std::string key;
  counts values = {};
};

counts counts_of(const json& from) {
  counts result{};
  for (std::size_t i = 0; i < columns.size(); ++i) result[i] = from.at(std::string(columns[i].count));
  return result;
}

/// Of a length that leaves room for the counts, and harmless on a terminal.
std::string shown_key(std::string_view key) {
  constexpr std::size_t longest = 40;  // room for a UUID
  std::string text(key.substr(0, longest));
  if (key.size() > longest) text.replace(longest - 3, 3, "...");
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return text;
}

/// The keys, those that were asked for most first; beyond twenty they share a row.
std::vector<row> rows_of(const json& keys) {
  constexpr std::size_t most = 20;
  std::vector<row> rows;
  for (const auto& [key, values] : keys.items()) rows.push_back({shown_key(key), counts_of(values)});
  std::ranges::stable_sort(rows, [](const row& a, const row& b) { return a.values[0] > b.values[0]; });
  if (rows.size() <= most) return rows;
  row others{fmt::format("({} others)", rows.size() - most + 1)};
  for (std::size_t i = most - 1; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) others.values[j] += rows[i].values[j];
  rows.resize(most - 1);
  rows.push_back(std::move(others));
  return rows;
}

}  // namespace

std::string counts_table(std::string_view counts_json) {
  const json all = json::parse(counts_json);
  std::vector<row> rows = rows_of(all.at("keys"));
  if (rows.empty()) return "no requests came\n";
  const counts total = counts_of(all.at("totals"));
  if (rows.size() > 1) rows.push_back({"all", total});
  std::size_t widest = 3;
  for (const row& each : rows) widest = std::max(widest, each.key.size());

  std::string text = fmt::format("{:<{}}", "KEY", widest);
  const auto add = [&text, &total](auto&& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].always || total[i] > 0)
        fmt::format_to(std::back_inserter(text), "  {:>{}}", cell(i), columns[i].heading.size());
    text += '\n';
  };
  add([](std::size_t i) { return columns[i].heading; });
  for (const row& each : rows) {
    text += fmt::format("{:<{}}", each.key, widest);
    add([&each](std::size_t i) { return each.values[i]; });
  }
  return text;
}

}  // namespace relent::cli
