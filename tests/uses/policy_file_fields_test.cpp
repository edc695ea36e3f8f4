// SPDX-License-Identifier: Apache-2.0
// The description of the fields against the options themselves and against docs/policy_file.md.
// RELENT_SOURCE_DIR is the checkout.
#include "src/policy_file/fields.hpp"

#include <relent/duration_text.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace relent;
using detail::field;
using detail::field_range;
using detail::field_type;
using detail::field_value;
using detail::policy_draft;
using detail::section;

std::size_t field_count(std::string_view name, std::optional<budget_kind> kind = std::nullopt) {
  for (const section& part : detail::sections())
    if (part.name == name && part.only_for == kind) return part.fields.size();
  return 0;
}

// One name for each member: a member more does not compile here.
template <class... Members>
std::size_t count(const Members&...) {
  return sizeof...(Members);
}

TEST(policy_file_fields, are_all_that_the_options_have) {
  const auto& [o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11] = policy_options{};
  const std::size_t own = count(o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11);
  EXPECT_EQ(field_count(""), own) << "inherit is one more, backoff one less";
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9] = backoff_options{};
  EXPECT_EQ(field_count("backoff"), count(b1, b2, b3, b4, b5, b6, b7, b8, b9));
  const auto& [t1, t2, t3, t4, t5, t6] = token_budget{};
  EXPECT_EQ(field_count("budget", budget_kind::token), count(t1, t2, t3, t4, t5, t6));
  const auto& [r1, r2, r3, r4] = ratio_budget{};
  EXPECT_EQ(field_count("budget", budget_kind::ratio), count(r1, r2, r3, r4));
  const auto& [h1, h2] = throttle_budget{};
  EXPECT_EQ(field_count("budget", budget_kind::throttle), count(h1, h2));
  const auto& [k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12] = breaker_options{};
  EXPECT_EQ(field_count("breaker"), count(k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12));
  const auto& [s1, s2, s3, s4, s5, s6] = sender_limit_options{};
  EXPECT_EQ(field_count("sender_limit"), count(s1, s2, s3, s4, s5, s6));
  const auto& [c1, c2, c3, c4, c5, c6, c7, c8] = command_rules{};
  EXPECT_EQ(field_count("command"), count(c1, c2, c3, c4, c5, c6, c7, c8));
}

// --- ranges

field_value number_for(const field& described, double number) {
  if (described.type == field_type::whole) return static_cast<std::uint32_t>(number);
  if (described.type == field_type::length) return duration{static_cast<duration::rep>(number)};
  return number;
}

/// Whether the options take that value, rules that speak of other fields apart.
bool is_taken(const section& part, const field& described, double number) {
  policy_draft draft;
  draft.has_breaker = draft.has_sender_limit = true;
  if (part.only_for) draft.kind = *part.only_for;
  described.set(draft, number_for(described, number));
  const std::string full = part.name.empty() ? std::string(described.name)
                                             : std::string(part.name) + "." + std::string(described.name);
  for (const problem& found : detail::problems_of(draft))
    if (found.field == full && found.rule.find("below base") == std::string_view::npos &&
        found.rule.find("below failures") == std::string_view::npos &&
        found.rule.find("below open_for") == std::string_view::npos &&
        found.rule.find("above cap") == std::string_view::npos)
      return false;
  return true;
}

double step_of(const field& described) { return described.type == field_type::number ? 1e-4 : 1; }

TEST(policy_file_fields, have_the_ranges_that_the_options_check) {
  for (const section& part : detail::sections())
    for (const field& each : part.fields) {
      if (!each.range) continue;
      const field_range& range = *each.range;
      const double step = step_of(each);
      const auto name = std::string(part.name) + "." + std::string(each.name);
      // These two are held up by another option before they come to their least.
      const bool held_up = each.name == "of_last" || each.name == "max_open_for";
      if (!held_up) {
        EXPECT_EQ(is_taken(part, each, range.least), !range.least_excluded) << name;
      }
      EXPECT_TRUE(is_taken(part, each, range.least + (range.least_excluded ? step : 0))) << name;
      if (!held_up && (range.least > 0 || each.type != field_type::whole)) {
        EXPECT_FALSE(is_taken(part, each, range.least - step)) << name;
      }
      if (!(range.most > range.least)) continue;
      EXPECT_EQ(is_taken(part, each, range.most), !range.most_excluded) << name;
      EXPECT_FALSE(is_taken(part, each, range.most + std::max(step, range.most * 1e-6))) << name;
    }
}

TEST(policy_file_fields, set_what_they_get) {
  for (const section& part : detail::sections())
    for (const field& each : part.fields) {
      if (each.type == field_type::name) continue;
      policy_draft draft;
      const field_value value = detail::default_value(part, each);
      each.set(draft, value);
      EXPECT_EQ(each.get(draft), value) << part.name << "." << each.name;
    }
}

TEST(policy_file_fields, are_told_of_in_short_phrases) {
  for (const section& part : detail::sections()) {
    EXPECT_FALSE(part.help.empty());
    for (const field& each : part.fields) {
      EXPECT_FALSE(each.help.empty() || each.help.ends_with('.') || each.help.size() > 130) << each.name;
      EXPECT_FALSE(detail::type_text(each).empty() || detail::default_text(part, each).empty()) << each.name;
    }
  }
}

TEST(policy_file_fields, say_their_type_and_range) {
  const auto type_of = [](std::string_view table, std::string_view name) -> std::string {
    for (const section& part : detail::sections())
      for (const field& each : part.fields)
        if (part.name == table && each.name == name) return detail::type_text(each);
    return "no such field";
  };
  EXPECT_EQ(type_of("", "max_attempts"), "whole number, at least 1");
  EXPECT_EQ(type_of("", "deadline"), "duration, above 0s, or \"none\"");
  EXPECT_EQ(type_of("", "server_error_retries"), "whole number, 0 to 7, or \"unlimited\"");
  EXPECT_EQ(type_of("budget", "window"), "duration, 1s to 1m");
  EXPECT_EQ(type_of("budget", "capacity"), "number, 0.001 to 1000000");
  EXPECT_EQ(type_of("breaker", "failure_ratio"), "number, above 0 and at most 1, or \"none\"");
  EXPECT_EQ(type_of("sender_limit", "beta"), "number, above 0 and below 1");
  EXPECT_EQ(type_of("command", "until_output"), "regular expression, or false");
}

// --- the page

std::string page() {
  std::ifstream file(std::string(RELENT_SOURCE_DIR) + "/docs/policy_file.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string marker_of(const section& part) {
  std::string name(part.name.empty() ? "policy" : part.name);
  if (part.only_for == budget_kind::token) name += " token";
  if (part.only_for == budget_kind::ratio) name += " ratio";
  if (part.only_for == budget_kind::throttle) name += " throttle";
  return "<!-- fields: " + name + " -->\n";
}

std::string table_of(const section& part) {
  std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const field& each : part.fields)
    text += "| `" + std::string(each.name) + "` | " + detail::type_text(each) + " | `" +
            detail::default_text(part, each) + "` | " + std::string(each.help) + " |\n";
  return text;
}

TEST(policy_file_fields, stand_in_the_documentation) {
  const std::string text = page();
  for (const section& part : detail::sections()) {
    const std::string marker = marker_of(part);
    const auto begin = text.find(marker);
    ASSERT_NE(begin, std::string::npos) << "docs/policy_file.md lacks " << marker << table_of(part);
    const auto from = begin + marker.size();
    EXPECT_EQ(text.substr(from, text.find("<!-- end -->", from) - from), table_of(part)) << marker;
  }
}

/// The text between a fence of that kind and its end, behind the words.
std::string block_behind(const std::string& text, std::string_view words, const std::string& fence) {
  const auto from = text.find(words);
  if (from == std::string::npos) return {};
  const auto begin = text.find("```" + fence + "\n", from);
  if (begin == std::string::npos) return {};
  const auto first = begin + 3 + fence.size() + 1;
  return text.substr(first, text.find("```", first) - first);
}

TEST(policy_file_fields, are_refused_as_the_documentation_shows) {
  const std::string text = page();
  const std::string file = block_behind(text, "## What is wrong", "toml");
  ASSERT_FALSE(file.empty());
  try {
    policy_file::parse(file, "shop.toml");
    FAIL() << "the page's bad file was taken";
  } catch (const policy_file_error& error) {
    EXPECT_EQ(block_behind(text, "## What is wrong", "text"), std::string(error.what()) + "\n");
  }
}

TEST(policy_file_fields, are_taken_as_the_documentation_shows) {
  const std::string text = page();
  std::size_t count = 0;
  for (auto at = text.find("```toml\n"); at != std::string::npos; at = text.find("```toml\n", at + 1)) {
    const std::string block = text.substr(at + 8, text.find("```", at + 8) - at - 8);
    if (block == block_behind(text, "## What is wrong", "toml")) continue;
    EXPECT_NO_THROW(policy_file::parse(block)) << block;
    ++count;
  }
  EXPECT_GE(count, 3U);
}

}  // namespace
