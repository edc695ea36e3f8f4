// SPDX-License-Identifier: Apache-2.0
// The header fields of a request or response, in order, found by name whatever the case of its letters (RFC 9110
// section 5.1). What a field means is not known here. Target relent::http.
#pragma once

#include <relent/version.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relent::http {

/// Whether two names are the same but for the case of ASCII letters. Thread-safe.
bool same_name(std::string_view a, std::string_view b) noexcept;

/// The text without the blanks and tabs around it (OWS, RFC 9110 section 5.6.3). Thread-safe.
std::string_view trimmed(std::string_view text) noexcept;

/// One field line.
struct header {
  std::string name;
  std::string value;

  friend bool operator==(const header&, const header&) = default;
};

/// Field lines in the order in which they came. A plain value.
class header_list {
 public:
  header_list() = default;
  header_list(std::initializer_list<header> headers) : headers_(headers) {}

  bool empty() const noexcept { return headers_.empty(); }
  std::size_t size() const noexcept { return headers_.size(); }
  auto begin() const noexcept { return headers_.begin(); }
  auto end() const noexcept { return headers_.end(); }

  /// The value of the first line of that name, without outer blanks; nothing if there is none. Valid until
  /// the list is changed.
  std::optional<std::string_view> first(std::string_view name) const noexcept;
  /// The values of all lines of that name, in order.
  std::vector<std::string_view> all(std::string_view name) const;
  /// All lines of that name as one value, joined by ", " (RFC 9110 section 5.3); nothing if there is none.
  std::optional<std::string> joined(std::string_view name) const;
  bool contains(std::string_view name) const noexcept { return first(name).has_value(); }

  /// Appends a line.
  void add(std::string_view name, std::string_view value);
  /// Replaces all lines of that name by one.
  void set(std::string_view name, std::string_view value);
  /// Removes all lines of that name.
  void remove(std::string_view name);
  void clear() noexcept { headers_.clear(); }

  friend bool operator==(const header_list&, const header_list&) = default;

 private:
  std::vector<header> headers_;
};

}  // namespace relent::http
