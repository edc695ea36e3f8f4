// SPDX-License-Identifier: Apache-2.0
// Structured fields (RFC 9651, and RFC 8941 before it): items, lists and dictionaries as values. What a field means
// is not known here. Target relent::http.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace relent::http {

/// A bare item that is no number and no boolean.
struct sf_token {
  std::string text;
  friend bool operator==(const sf_token&, const sf_token&) = default;
};
struct sf_bytes {
  std::string bytes;
  friend bool operator==(const sf_bytes&, const sf_bytes&) = default;
};
/// Seconds since 1970 (RFC 9651 section 3.3.7).
struct sf_date {
  std::int64_t seconds = 0;
  friend bool operator==(const sf_date&, const sf_date&) = default;
};
/// Any Unicode text, as UTF-8 (RFC 9651 section 3.3.8).
struct sf_display_string {
  std::string text;
  friend bool operator==(const sf_display_string&, const sf_display_string&) = default;
};

/// Integer, Decimal, String, Token, Byte Sequence, Boolean, Date, Display String.
using sf_value =
    std::variant<std::int64_t, double, std::string, sf_token, sf_bytes, bool, sf_date, sf_display_string>;

/// In the order of the text; of two with the same name the later one's value counts.
using sf_parameters = std::vector<std::pair<std::string, sf_value>>;

/// The parameter of that name; null: there is none.
const sf_value* find(const sf_parameters& parameters, std::string_view name) noexcept;

struct sf_item {
  sf_value value = false;
  sf_parameters parameters = {};
  friend bool operator==(const sf_item&, const sf_item&) = default;
};

struct sf_inner_list {
  std::vector<sf_item> items = {};
  sf_parameters parameters = {};
  friend bool operator==(const sf_inner_list&, const sf_inner_list&) = default;
};

using sf_member = std::variant<sf_item, sf_inner_list>;
using sf_list = std::vector<sf_member>;
/// In the order of the text; of two with the same name the later one's value counts.
using sf_dictionary = std::vector<std::pair<std::string, sf_member>>;

/// The member of that name; null: there is none.
const sf_member* find(const sf_dictionary& dictionary, std::string_view name) noexcept;

/// A field's value; several lines are joined by ", " before. Nothing where the text is not to the letter what the RFC
/// describes, in which case the whole field is to be ignored (section 4.2), or where it is longer than 64 KiB, a
/// dictionary has more than 1024 members or an item more than 256 parameters, which is what every reader must accept.
/// Thread-safe.
std::optional<sf_item> parse_sf_item(std::string_view text);
std::optional<sf_list> parse_sf_list(std::string_view text);
std::optional<sf_dictionary> parse_sf_dictionary(std::string_view text);

}  // namespace relent::http
