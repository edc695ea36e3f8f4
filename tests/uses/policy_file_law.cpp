// SPDX-License-Identifier: Apache-2.0
// What holds for every policy: written as TOML it reads back equal. Policies are drawn field by field from the
// description of the fields, so a new field is drawn as well.
#include <relent/policy_file/policy_file.hpp>

#include "src/policy_file/fields.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
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

void law(const std::string& text, void (*body)()) { EXPECT_TRUE(rc::check(text, body)); }

/// Round ones as likely as others.
duration any_length(const std::optional<field_range>& range) {
  const auto unit = *rc::gen::element<std::int64_t>(1, 1'000, 1'000'000, 1'000'000'000, 60'000'000'000);
  const auto count = *rc::gen::inRange<std::int64_t>(range ? 0 : -100'000, 100'000);
  if (!range) return duration{unit * count};
  const auto least = static_cast<std::int64_t>(range->least) + (range->least_excluded ? 1 : 0);
  const auto most =
      range->most > range->least ? static_cast<std::int64_t>(range->most) : std::int64_t{1} << 53U;
  return duration{std::clamp(unit * count, least, most)};
}

double any_number(const field_range& range) {
  const double most = range.most > range.least ? range.most : *rc::gen::element(10.0, 1e15, 1e22, 1e300);
  const double part = *rc::gen::inRange(1, 1'000'000) / 1e6;
  const double number = range.least + (most - range.least) * part;
  return *rc::gen::arbitrary<bool>() ? number
                                     : std::max(range.least + 0.25 * (most - range.least), 1.0 * (most >= 1));
}

attempt_ends any_ends() {
  attempt_ends ends;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const int first = *rc::gen::inRange(0, 256);
    ends.add_codes(first, first + *rc::gen::inRange(0, 20));
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) ends.add_signal(*rc::gen::inRange(1, 65));
  if (*rc::gen::arbitrary<bool>()) ends.add_timeout();
  if (*rc::gen::inRange(0, 8) == 0) ends.add_every_signal();
  return ends;
}

/// Letters that have to be written in another way are likely.
std::string any_text() {
  std::string text;
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i)
    text += *rc::gen::element<std::string>("a", "b-", "_", " ", "\"", "'", "\\", "\n", "\t", "\x01", "\x7f",
                                           "#", "=", ".", "[", "]", ",", ":", "ä", "€", "😀");
  return text;
}

std::string any_expression() {
  return *rc::gen::elementOf(std::vector<std::string>{"", "a|b", "none", "false", "it's", "\\(5\\)",
                                                      "a\"b'c\\.", "\t\x01", "ä+", "50[0-9]"});
}

fault_set any_kinds() {
  fault_set kinds;
  for (int i = 0; i < fault_kind_count; ++i)
    if (const auto kind = static_cast<fault_kind>(i);
        kind != fault_kind::cancelled && *rc::gen::arbitrary<bool>())
      kinds = kinds.with(kind);
  return kinds;
}

std::uint32_t any_whole(const field_range& range) {
  const double most = range.most > range.least ? range.most : 4294967295.0;
  const auto width = static_cast<std::uint64_t>(most - range.least) + 1;
  return static_cast<std::uint32_t>(range.least) +
         static_cast<std::uint32_t>(
             *rc::gen::inRange<std::uint64_t>(0, *rc::gen::element<std::uint64_t>(1, 4, 1000, width)) %
             width);
}

field_value any_value(const field& described) {
  switch (described.type) {
    case field_type::flag: return *rc::gen::arbitrary<bool>();
    case field_type::whole: return any_whole(*described.range);
    case field_type::number: return any_number(*described.range);
    case field_type::length: return any_length(described.range);
    case field_type::choice: return detail::choice{*rc::gen::inRange<std::size_t>(0, described.words.size())};
    case field_type::kinds: return any_kinds();
    case field_type::ends: return any_ends();
    case field_type::expression: return any_expression();
    case field_type::lengths: {
      delay_list delays;
      for (int i = *rc::gen::inRange(0, 17); i > 0; --i) delays.add(any_length(field_range{}));
      return delays;
    }
    case field_type::name: break;
  }
  return detail::absent{};
}

/// Sets some of the fields, and takes every value back that does not go with the rest.
policy_draft any_draft() {
  policy_draft draft;
  draft.has_breaker = *rc::gen::arbitrary<bool>();
  draft.has_sender_limit = *rc::gen::arbitrary<bool>();
  for (const section& part : detail::sections()) {
    if (part.only_for && *part.only_for != draft.kind) continue;
    if (part.name == "breaker" && !draft.has_breaker) continue;
    if (part.name == "sender_limit" && !draft.has_sender_limit) continue;
    for (const field& each : part.fields) {
      if (*rc::gen::arbitrary<bool>()) continue;
      const policy_draft before = draft;
      const bool taken_away = !each.absent_word.empty() && *rc::gen::inRange(0, 4) == 0;
      each.set(draft, taken_away ? field_value(detail::absent{}) : any_value(each));
      if (each.name == "growth" && draft.rules.backoff.growth == growth::list) {
        draft.rules.backoff.delays = {duration{1}, draft.rules.backoff.cap};
        draft.rules.backoff.rate_limited_base = nullopt;
      }
      if (!detail::problems_of(draft).empty()) draft = before;
    }
  }
  return draft;
}

named_policy any_policy() {
  const std::string name = any_text();
  return detail::named(name.empty() ? "default" : name, any_draft());
}

TEST(policy_file_law, a_policy_written_out_reads_back_equal) {
  law("parse(to_toml(p)) == p", [] {
    const named_policy policy = any_policy();
    const policy_file file = policy_file::parse(to_toml(policy));
    RC_ASSERT(file.policies().size() == 1U);
    RC_ASSERT(file.at(policy.name) == policy);
  });
}

TEST(policy_file_law, a_policy_written_out_in_full_reads_back_equal_on_any_base) {
  law("parse(to_toml(p, complete), base) == p", [] {
    const named_policy policy = any_policy();
    RC_ASSERT(policy_file::parse(to_toml(policy, true), "x", any_policy()).at(policy.name) == policy);
  });
}

TEST(policy_file_law, an_inherited_policy_with_another_written_over_it_in_full_is_the_other) {
  law("what stands in a policy goes before what it inherits", [] {
    named_policy parent = any_policy();
    named_policy child = any_policy();
    parent.name = "default";
    child.name = "child";
    RC_ASSERT(policy_file::parse(to_toml(child, true) + "\n" + to_toml(parent)).at("child") == child);
  });
}

TEST(policy_file_law, a_set_of_ends_reads_back_equal) {
  law("parse_attempt_ends(to_text(x)) == x", [] {
    const attempt_ends ends = any_ends();
    RC_PRE(!ends.empty());
    RC_ASSERT(parse_attempt_ends(to_text(ends)).value == ends);
  });
}

/// Fields that differed from their defaults in some draw.
std::set<std::string>& seen() {
  static std::set<std::string> names;
  return names;
}

void look_at(const policy_draft& draft) {
  for (const section& part : detail::sections()) {
    if (part.only_for && *part.only_for != draft.kind) continue;
    for (const field& each : part.fields)
      if (each.get(draft) != detail::default_value(part, each))
        seen().insert(std::string(part.name) + "." + std::string(each.name));
  }
}

TEST(policy_file_law, is_tried_with_every_field) {
  law("any_draft draws values for all fields", [] {
    for (int i = 0; i < 20; ++i) look_at(any_draft());
  });
  for (const section& part : detail::sections())
    for (const field& each : part.fields) {
      const auto name = std::string(part.name) + "." + std::string(each.name);
      EXPECT_TRUE(each.type == field_type::name || seen().contains(name)) << name;
    }
}

}  // namespace
