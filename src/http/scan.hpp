// SPDX-License-Identifier: Apache-2.0
// Reading a text piece by piece, as grammars describe it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace relent::http::detail {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char small(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

/// A place in a text. What does not match is left where it is.
class scanner {
 public:
  explicit constexpr scanner(std::string_view text) noexcept : rest_(text) {}

  constexpr bool at_end() const noexcept { return rest_.empty(); }
  constexpr char peek() const noexcept { return rest_.empty() ? '\0' : rest_.front(); }
  constexpr std::string_view rest() const noexcept { return rest_; }
  constexpr void skip(std::size_t size) noexcept {
    rest_.remove_prefix(size < rest_.size() ? size : rest_.size());
  }

  constexpr bool take(char c) noexcept {
    if (peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  constexpr bool take(std::string_view text) noexcept {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  constexpr void take_all(char c) noexcept {
    while (take(c)) {
    }
  }

  /// A number of `least` to `most` digits.
  constexpr std::optional<std::int64_t> digits(std::size_t least, std::size_t most) noexcept {
    std::size_t size = 0;
    std::int64_t value = 0;
    while (size < most && size < rest_.size() && is_digit(rest_[size]))
      value = value * 10 + (rest_[size++] - '0');
    if (size < least) return std::nullopt;
    rest_.remove_prefix(size);
    return value;
  }

  /// As many characters as the predicate likes.
  template <class Likes>
  constexpr std::string_view while_of(Likes likes) noexcept {
    std::size_t size = 0;
    while (size < rest_.size() && likes(rest_[size])) ++size;
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace relent::http::detail
