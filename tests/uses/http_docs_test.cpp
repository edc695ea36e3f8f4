// SPDX-License-Identifier: Apache-2.0
// The tables of docs/http.md against the code: what stands there between <!-- http table: name --> and <!-- end -->
// is made anew here and compared. When a test fails it prints the table as it should be.
#include <relent/http/method.hpp>
#include <relent/http/protocol_signal.hpp>
#include <relent/http/pushback.hpp>
#include <relent/http/status.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>

namespace {

using namespace relent::http;

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }
std::string yes_if(bool value) { return value ? "yes" : ""; }

/// Cells as a line of Markdown.
std::string line(std::initializer_list<std::string> cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + (cell.empty() ? "|" : " |");
  return text + '\n';
}

std::string retried(relent::fault_kind kind, std::optional<bool> transient) {
  return yes_if(transient ? *transient : relent::default_retry_on.contains(kind));
}

std::string method_table() {
  std::string text = line({"method", "safe", "idempotent"}) + "|---|---|---|\n";
  for (const method_row& row : methods())
    text += line({code(row.name), yes_if(row.safe), yes_if(row.idempotent)});
  return text;
}

std::string status_table() {
  std::string text = line({"status", "kind", "effect", "retried", "because"}) + "|---|---|---|---|---|\n";
  for (const status_row& row : statuses())
    text += line({std::to_string(row.status), code(to_string(row.kind)), std::string(to_string(row.effect)),
                  retried(row.kind, row.transient), std::string(row.note)});
  return text;
}

std::string error_table(std::span<const error_code_row> rows) {
  std::string text =
      line({"code", "name", "kind", "effect", "retried", "because"}) + "|---|---|---|---|---|---|\n";
  for (const error_code_row& row : rows) {
    std::ostringstream number;
    number << "0x" << std::hex << row.code;
    text += line({number.str(), code(row.name), code(to_string(row.kind)), std::string(to_string(row.effect)),
                  retried(row.kind, row.transient), std::string(row.note)});
  }
  return text;
}
std::string http2_table() { return error_table(http2_errors()); }
std::string http3_table() { return error_table(http3_errors()); }

std::string words(pushback_value value) {
  switch (value) {
    case pushback_value::any: return "";
    case pushback_value::not_empty: return "any text";
    case pushback_value::is_true: return "`true`";
    case pushback_value::is_false: return "`false`";
    case pushback_value::is_zero: return "`0`";
    case pushback_value::milliseconds: return "0 to 2147483647";
    case pushback_value::no_wait: return "anything else";
  }
  return "";
}

std::string words(pushback_says says) {
  switch (says) {
    case pushback_says::do_not_retry: return "do not retry";
    case pushback_says::retry: return "transient";
    case pushback_says::not_processed: return "`not_processed`";
    case pushback_says::rate_limited: return "`rate_limited`";
    case pushback_says::overloaded: return "`overloaded`";
    case pushback_says::timed_out: return "`timeout`";
    case pushback_says::wait: return "wait so many milliseconds";
  }
  return "";
}

std::string where(const pushback_row& row) {
  if (row.least_status == row.greatest_status) return std::to_string(row.least_status);
  return "from " + std::to_string(row.least_status);
}

std::string pushback_table() {
  std::string text = line({"entry", "honoured", "field", "value", "status", "says", "whose"}) +
                     "|---|---|---|---|---|---|---|\n";
  for (const pushback_row& row : pushbacks())
    text += line({code(to_string(row.entry)), yes_if(default_pushbacks.contains(row.entry)), code(row.header),
                  words(row.value), where(row), words(row.says), std::string(row.source)});
  return text;
}

struct documented {
  const char* name;
  std::string (*make)();
  friend void PrintTo(const documented& one, std::ostream* out) { *out << one.name; }
};

std::string page() {
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  std::ifstream file(root / "docs" / "http.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class http_docs_table : public testing::TestWithParam<documented> {};

TEST_P(http_docs_table, says_what_the_code_does) {
  const std::string text = page();
  const std::string marker = std::string("<!-- http table: ") + GetParam().name + " -->\n";
  const std::size_t begin = text.find(marker);
  ASSERT_NE(begin, std::string::npos) << "docs/http.md has no table of that name";
  const std::size_t end = text.find("<!-- end -->", begin);
  ASSERT_NE(end, std::string::npos) << "the table has no end";
  const std::string written = text.substr(begin + marker.size(), end - begin - marker.size());
  EXPECT_TRUE(written == GetParam().make()) << "docs/http.md should have:\n" << GetParam().make();
}

INSTANTIATE_TEST_SUITE_P(tables, http_docs_table,
                         testing::Values(documented{"methods", method_table},
                                         documented{"statuses", status_table},
                                         documented{"http2", http2_table}, documented{"http3", http3_table},
                                         documented{"pushbacks", pushback_table}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
