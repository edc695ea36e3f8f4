// SPDX-License-Identifier: Apache-2.0
// The one description of what stands in a policy file: for every key its name, type, range, default and meaning,
// and how it is got from a policy and put into one. Reading, writing, the JSON Schema, the table in
// docs/policy_file.md and the man page go by it.
#pragma once

#include "draft.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace relent::detail {

enum class field_type : std::uint8_t {
  flag,        ///< true or false
  whole,       ///< a whole number
  number,      ///< a number
  length,      ///< a duration
  choice,      ///< one of `words`
  kinds,       ///< a list of fault kinds
  lengths,     ///< a list of durations
  ends,        ///< exit codes, signals, timeout
  expression,  ///< a regular expression
  name,        ///< a policy's name
};

struct absent {
  friend bool operator==(absent, absent) noexcept = default;
};
/// One of a field's words.
struct choice {
  std::size_t index = 0;
  friend bool operator==(choice, choice) noexcept = default;
};
/// What a field holds: the alternative is that of its type, or absent.
using field_value = std::variant<absent, bool, std::uint32_t, double, duration, choice, fault_set, delay_list,
                                 attempt_ends, std::string>;

/// Numbers as they are, durations in nanoseconds.
struct field_range {
  double least = 0;
  double most = 0;  ///< none if it is not above `least`
  bool least_excluded = false;
  bool most_excluded = false;
};

struct field {
  std::string_view name;
  std::string_view help;  ///< a phrase, no full stop
  field_type type = field_type::flag;
  field_value (*get)(const policy_draft&) = nullptr;
  void (*set)(policy_draft&, const field_value&) = nullptr;  ///< wants the alternative of its type, or absent
  std::string_view absent_word = {};  ///< what takes an inherited value away; empty: there always is one
  std::optional<field_range> range = std::nullopt;
  std::span<const std::string_view> words = {};  ///< of a choice
};

/// The keys of one table.
struct section {
  std::string_view name;  ///< "backoff"; empty: the policy's own
  std::string_view help;  ///< what the table is for
  std::span<const field> fields;
  std::optional<budget_kind> only_for = std::nullopt;  ///< the keys of that kind of budget
  bool removable = false;  ///< there is none unless given, and `name = false` takes an inherited one away
};

/// In the order in which they are told of. The table `budget` is in several: its kind, and each kind's keys.
std::span<const section> sections();

/// "whole number, 1 to 64", "duration, above 0s".
std::string type_text(const field& described);

/// The value as it is written in TOML: "10s" with its quotes, 4, ["reset"].
std::string toml_text(const field& described, const field_value& value);

/// What the field has in a policy that says nothing, as TOML.
std::string default_text(const section& part, const field& described);

/// The field's value in a policy that says nothing.
field_value default_value(const section& part, const field& described);

/// Text as a TOML string, with its quotes.
std::string quoted_toml(std::string_view text);
/// A key as TOML: bare if it may be.
std::string toml_key(std::string_view key);

}  // namespace relent::detail
