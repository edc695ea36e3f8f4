// SPDX-License-Identifier: Apache-2.0
// The tables of the documentation against the code: what stands in docs/ between <!-- table: name --> and
// <!-- end --> is made anew here and compared, cells of prose apart. When a test fails it prints the table as
// it should be. RELENT_SOURCE_DIR is the checkout.
#include <relent/relent.hpp>

#include <gtest/gtest.h>

#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace relent;
using namespace std::chrono_literals;

using row = std::vector<std::string>;
using table = std::vector<row>;

/// A cell that a person writes.
constexpr const char* prose = "*";

// --- values as cells

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string cell(duration value) { return to_text(value); }
std::string cell(bool value) { return value ? "true" : "false"; }
std::string cell(std::uint32_t value) { return std::to_string(value); }
std::string cell(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}
std::string cell(jitter value) { return code(to_string(value)); }
std::string cell(growth value) { return code(to_string(value)); }
template <class T>
std::string cell(const optional<T>& value) {
  return value ? cell(*value) : "none";
}
std::string none_if(bool nothing) { return nothing ? "none" : "something"; }

std::string milliseconds(duration wait) {
  return to_text(std::chrono::floor<std::chrono::milliseconds>(wait));
}

// --- the tables. The structured bindings name every member, so that one more does not compile here.

table policy_defaults() {
  const auto& [max_attempts, deadline, attempt_timeout, least_attempt_time, backoff, retry_on, no_effect_on,
               server_error_retries, max_server_delay, server_delay_spread, nested] = policy_options{};
  EXPECT_EQ(backoff, backoff_options{});
  EXPECT_EQ(retry_on, default_retry_on);
  return {{"`max_attempts`", cell(max_attempts), prose},
          {"`deadline`", cell(deadline), prose},
          {"`attempt_timeout`", cell(attempt_timeout), prose},
          {"`least_attempt_time`", cell(least_attempt_time), prose},
          {"`backoff`", "its own defaults", prose},
          {"`retry_on`", "most kinds", prose},
          {"`no_effect_on`", no_effect_on.empty() ? "{}" : "something", prose},
          {"`server_error_retries`", cell(server_error_retries), prose},
          {"`max_server_delay`", cell(max_server_delay), prose},
          {"`server_delay_spread`", cell(server_delay_spread), prose},
          {"`nested`", nested == nesting::single_attempt ? "`single_attempt`" : "`retry`", prose}};
}

table call_defaults() {
  const auto& [stop, report, deadline, repeat, key, classify, outer, clock, random, enclosed] =
      call_options{};
  return {{"`stop`", none_if(!stop.has_token()), prose},
          {"`report`", none_if(report == nullptr), prose},
          {"`deadline`", cell(deadline), prose},
          {"`repeat`", repeat == relent::repeat::allowed ? "`allowed`" : "`only_if_no_effect`", prose},
          {"`idempotency_key`", none_if(!key), prose},
          {"`classify`", none_if(!classify), prose},
          {"`outer`", none_if(outer == nullptr), prose},
          {"`clock`", none_if(clock == nullptr), prose},
          {"`random`", none_if(!random), prose},
          {"`enclosed`", enclosed ? "`true`" : "`false`", prose}};
}

table dependency_defaults() {
  const auto& [name, policy, budget, breaker, sender_limit, refresh, observers, shared_budget, clock, random,
               classify] = dependency_options{};
  EXPECT_EQ(budget, budget_options(token_budget{}));
  return {{"`name`", none_if(name.empty()), prose},
          {"`policy`", policy == default_policy ? "the default policy" : "another", prose},
          {"`budget`", "`token`", prose},
          {"`breaker`", none_if(!breaker), prose},
          {"`sender_limit`", none_if(!sender_limit), prose},
          {"`refresh`", none_if(!refresh), prose},
          {"`observers`", none_if(observers.empty()), prose},
          {"`shared_budget`", none_if(shared_budget == nullptr), prose},
          {"`clock`", none_if(clock == nullptr), prose},
          {"`random`", none_if(!random), prose},
          {"`classify`", none_if(!classify), prose}};
}

table backoff_defaults() {
  const auto& [base, cap, multiplier, jitter, growth, increment, jitter_ratio, delays, rate_limited_base] =
      backoff_options{};
  return {{"`base`", cell(base), prose},
          {"`cap`", cell(cap), prose},
          {"`multiplier`", cell(multiplier), prose},
          {"`jitter`", cell(jitter), prose},
          {"`growth`", cell(growth), prose},
          {"`increment`", cell(increment), prose},
          {"`jitter_ratio`", cell(jitter_ratio), prose},
          {"`delays`", none_if(delays.empty()), prose},
          {"`rate_limited_base`", cell(rate_limited_base), prose}};
}

void add_column(table& rows, const token_budget& rule) {
  const auto& [capacity, success_credit, retry_cost, timeout_cost, rate_limited_cost, refund] = rule;
  const row cells{cell(capacity),     cell(success_credit),    cell(retry_cost),
                  cell(timeout_cost), cell(rate_limited_cost), cell(refund)};
  for (std::size_t i = 0; i < cells.size(); ++i) rows[i].push_back(cells[i]);
}

table token_defaults() {
  table rows{{"`capacity`"},     {"`success_credit`"},    {"`retry_cost`"},
             {"`timeout_cost`"}, {"`rate_limited_cost`"}, {"`refund_last_cost`"}};
  for (const token_budget& rule : {token_budget{}, token_budget::aws_standard(), token_budget::aws_2026()})
    add_column(rows, rule);
  for (row& cells : rows) cells.emplace_back(prose);
  return rows;
}

table ratio_defaults() {
  const auto& [ratio, window, min_retries, reserve] = ratio_budget{};
  return {{"`ratio`", cell(ratio), prose},
          {"`window`", cell(window), prose},
          {"`min_retries`", cell(min_retries), prose},
          {"`reserve`", cell(reserve), prose}};
}

table throttle_defaults() {
  const auto& [capacity, success_credit] = throttle_budget{};
  return {{"`capacity`", cell(capacity), prose}, {"`success_credit`", cell(success_credit), prose}};
}

table sender_limit_defaults() {
  const auto& [beta, scale, smoothing, time_bucket, min_rate, min_capacity] = sender_limit_options{};
  return {{"`beta`", cell(beta), prose},           {"`scale`", cell(scale), prose},
          {"`smoothing`", cell(smoothing), prose}, {"`time_bucket`", cell(time_bucket), prose},
          {"`min_rate`", cell(min_rate), prose},   {"`min_capacity`", cell(min_capacity), prose}};
}

table breaker_defaults() {
  const auto& [failures, of_last, failure_ratio, window, min_calls, open_for, open_for_jitter,
               open_for_multiplier, max_open_for, probes, successes_to_close, probe_timeout] =
      breaker_options{};
  return {{"`failures`", cell(failures), prose},
          {"`of_last`", cell(of_last), prose},
          {"`failure_ratio`", cell(failure_ratio), prose},
          {"`window`", cell(window), prose},
          {"`min_calls`", cell(min_calls), prose},
          {"`open_for`", cell(open_for), prose},
          {"`open_for_jitter`", cell(open_for_jitter), prose},
          {"`open_for_multiplier`", cell(open_for_multiplier), prose},
          {"`max_open_for`", cell(max_open_for), prose},
          {"`probes`", cell(probes), prose},
          {"`successes_to_close`", cell(successes_to_close), prose},
          {"`probe_timeout`", cell(probe_timeout), prose}};
}

/// A breaker whose server stays down: each probe fails as soon as it is admitted.
table open_times() {
  breaker shut(breaker_options{.failures = 1, .open_for_jitter = 0});
  random_stream random(1);
  time_point now{1h};
  row cells{"open for"};
  for (int opening = 1; opening <= 6; ++opening) {
    shut.failed(shut.admit(now).value(), now, random);
    cells.push_back(cell(shut.open_until().value() - now));
    now = shut.open_until().value();
  }
  return {cells};
}

constexpr std::uint32_t series_length = 8;

backoff_options with_growth(growth kind) {
  backoff_options options{.growth = kind};
  if (kind == growth::linear) options.increment = 100ms;
  if (kind == growth::list) options.delays = {1s, 2s, 5s};
  return options;
}

table growths() {
  table rows;
  for (int i = 0; i < growth_count; ++i) {
    const backoff_options options = with_growth(static_cast<growth>(i));
    row cells{cell(options.growth), prose};
    for (std::uint32_t retry = 1; retry <= series_length; ++retry)
      cells.push_back(milliseconds(ceiling(options, retry)));
    rows.push_back(cells);
  }
  return rows;
}

table jitters() {
  table rows;
  for (int i = 0; i < jitter_count; ++i) {
    const backoff_options options{.jitter = static_cast<jitter>(i)};
    random_stream random(1);
    backoff_memory memory;
    row cells{cell(options.jitter), prose};
    for (std::uint32_t retry = 1; retry <= series_length; ++retry)
      cells.push_back(milliseconds(next_wait(options, retry, memory, random)));
    rows.push_back(cells);
  }
  return rows;
}

table fault_kinds() {
  table rows;
  for (int i = 0; i < fault_kind_count; ++i) {
    const auto kind = static_cast<fault_kind>(i);
    rows.push_back({code(to_string(kind)), std::string(to_string(default_effect(kind))),
                    default_retry_on.contains(kind) ? "yes" : "no",
                    concerns_health(fault{.kind = kind}) ? "yes" : "", prose});
  }
  return rows;
}

/// "none", or "by phase" where it depends on how far the attempt got.
std::string effect_of_errno(int number) {
  return effect_of(classify_errno(number)) == effect::none ? "none" : "by phase";
}

/// All numbers that mean something, by kind; the names are those of the C library.
table errno_values() {
  constexpr int above_all = 200;
  table rows;
  for (int i = 0; i < fault_kind_count; ++i)
    for (int number = 1; number < above_all; ++number) {
      const fault found = classify_errno(number);
      if (found.kind != static_cast<fault_kind>(i) || found.kind == fault_kind::unknown) continue;
      rows.push_back({code(strerrorname_np(number)), code(to_string(found.kind)), effect_of_errno(number),
                      found.local ? "yes" : ""});
    }
  return rows;
}

table resolver_codes() {
  struct named {
    const char* name;
    int code;
  };
  constexpr named codes[] = {
      {"EAI_AGAIN", EAI_AGAIN},       {"EAI_MEMORY", EAI_MEMORY},     {"EAI_FAIL", EAI_FAIL},
      {"EAI_NONAME", EAI_NONAME},     {"EAI_SERVICE", EAI_SERVICE},   {"EAI_FAMILY", EAI_FAMILY},
      {"EAI_SOCKTYPE", EAI_SOCKTYPE}, {"EAI_BADFLAGS", EAI_BADFLAGS}, {"EAI_OVERFLOW", EAI_OVERFLOW},
  };
  table rows;
  for (const named& one : codes) {
    const fault found = classify_getaddrinfo(one.code);
    EXPECT_EQ(effect_of(found), effect::none) << one.name;
    rows.push_back({code(one.name), code(to_string(found.kind)), found.local ? "yes" : ""});
  }
  return rows;
}

table stop_reasons() {
  table rows;
  for (int i = 0; i < stop_reason_count; ++i) {
    const auto reason = static_cast<stop_reason>(i);
    rows.push_back({code(to_string(reason)), std::string(explain(reason)), prose});
  }
  return rows;
}

// --- the pages

struct documented {
  const char* page;
  const char* name;
  table (*make)();
  friend void PrintTo(const documented& one, std::ostream* out) { *out << one.name; }
};

constexpr documented tables[] = {
    {"policy.md", "policy_options", policy_defaults},
    {"retry.md", "call_options", call_defaults},
    {"dependency.md", "dependency_options", dependency_defaults},
    {"backoff.md", "backoff_options", backoff_defaults},
    {"backoff.md", "growths", growths},
    {"backoff.md", "jitters", jitters},
    {"budgets.md", "token_budget", token_defaults},
    {"budgets.md", "ratio_budget", ratio_defaults},
    {"budgets.md", "throttle_budget", throttle_defaults},
    {"budgets.md", "sender_limit_options", sender_limit_defaults},
    {"breaker.md", "breaker_options", breaker_defaults},
    {"breaker.md", "open_times", open_times},
    {"faults.md", "fault_kinds", fault_kinds},
    {"faults.md", "errno", errno_values},
    {"faults.md", "getaddrinfo", resolver_codes},
    {"stop_reasons.md", "stop_reasons", stop_reasons},
};

std::filesystem::path docs() { return std::filesystem::path(RELENT_SOURCE_DIR) / "docs"; }

std::vector<std::string> lines_of(const std::filesystem::path& page) {
  std::ifstream file(page);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// "| a | b |" as its cells.
row cells_of(std::string_view line) {
  row cells;
  while (line.size() > 1) {
    line.remove_prefix(1);
    std::string_view text = line.substr(0, line.find('|'));
    line.remove_prefix(text.size());
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    cells.emplace_back(text);
  }
  return cells;
}

/// The lines between a table's marker and its end; nothing without either.
std::vector<std::string> find_table(const documented& one) {
  const std::vector<std::string> lines = lines_of(docs() / one.page);
  const auto begin = std::find(lines.begin(), lines.end(), "<!-- table: " + std::string(one.name) + " -->");
  const auto end = std::find(begin, lines.end(), "<!-- end -->");
  return end == lines.end() ? std::vector<std::string>{} : std::vector<std::string>(begin + 1, end);
}

/// The rows, with the prose taken over from the page's row of the same name.
table with_prose_of(table rows, const std::vector<std::string>& page) {
  for (row& cells : rows) {
    row written(cells.size());
    for (const std::string& line : page)
      if (const row there = cells_of(line); there.size() == cells.size() && there[0] == cells[0])
        written = there;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i] == prose) cells[i] = written[i];
  }
  return rows;
}

std::string text_of(const table& rows) {
  std::string text;
  for (const row& cells : rows) {
    text += '|';
    for (const std::string& one : cells) text.append(" ").append(one).append(one.empty() ? "|" : " |");
    text += '\n';
  }
  return text;
}

class docs_table : public testing::TestWithParam<documented> {};

TEST_P(docs_table, says_what_the_code_does) {
  const std::vector<std::string> page = find_table(GetParam());
  ASSERT_GE(page.size(), 2U) << GetParam().page << " has no table of that name, or it has no end";
  const table expected = with_prose_of(GetParam().make(), page);
  table written;
  for (std::size_t i = 2; i < page.size(); ++i) written.push_back(cells_of(page[i]));
  EXPECT_EQ(written, expected) << GetParam().page << " should have:\n"
                               << page[0] << '\n'
                               << page[1] << '\n'
                               << text_of(expected);
}

INSTANTIATE_TEST_SUITE_P(docs, docs_table, testing::ValuesIn(tables),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(docs_tables, are_all_known_here) {
  std::set<std::string> known;
  for (const documented& one : tables) known.insert("<!-- table: " + std::string(one.name) + " -->");
  for (const auto& entry : std::filesystem::directory_iterator(docs()))
    for (const std::string& line : lines_of(entry.path())) {
      if (!line.starts_with("<!-- table:")) continue;
      EXPECT_TRUE(known.contains(line)) << entry.path() << ": " << line;
    }
}

}  // namespace
