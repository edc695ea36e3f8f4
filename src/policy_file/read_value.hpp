// SPDX-License-Identifier: Apache-2.0
// One value of a policy file, from TOML to what its field holds, or what is wrong with it.
#pragma once

#include "fields.hpp"
#include "toml.hpp"

#include <optional>
#include <string>
#include <vector>

namespace relent::detail {

/// What is wrong at one place; a phrase that goes on from the field's name.
struct complaint {
  toml::source_position place;
  std::string message;
};

/// The field's value, nothing if anything was complained about. Whether values go together is not asked.
std::optional<field_value> read_value(const toml::node& node, const field& described,
                                      std::vector<complaint>& found);

/// A value or a word as messages show it: in quotes if it is text, without control characters, cut when long.
std::string shown(const toml::node& node);
std::string shown(std::string_view text);

/// "did you mean "x"?" or, when none is near, "write x, y or z".
std::string known_words(std::string_view word, std::span<const std::string_view> known);

}  // namespace relent::detail
