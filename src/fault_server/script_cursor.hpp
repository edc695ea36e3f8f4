// SPDX-License-Identifier: Apache-2.0
// A place in one script, the words and values that can be read there, and the problems met so far.
#pragma once

#include <relent/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relent::testing::faults {

/// A value as it was written: its text, where it begins, whether it was in quotes.
struct value_text {
  std::string text;
  std::size_t at = 0;
  bool quoted = false;
};

class script_cursor {
 public:
  /// `number` is that of the script in problems, which are appended to `problems`.
  script_cursor(std::string_view text, std::size_t number, std::vector<std::string>& problems)
      : text_(text), number_(number), problems_(&problems) {}

  std::size_t at() const noexcept { return at_; }
  std::string_view text() const noexcept { return text_; }
  void move_to(std::size_t at) noexcept { at_ = at; }
  bool at_end() const noexcept { return at_ >= text_.size(); }
  char peek() const noexcept { return at_end() ? '\0' : text_[at_]; }
  void skip_blanks() noexcept;
  /// Whether the next character that is no blank is `c`; passes it then.
  bool accept(char c) noexcept;
  /// Letters, digits, hyphens and underscores; may be empty.
  std::string_view word() noexcept;
  /// A quoted text, or all up to one of `ends`, or the end, without outer blanks. Reports a quote without end.
  value_text value(std::string_view ends);
  /// Goes to the next comma outside quotes and parentheses, or (inside parentheses) to their end.
  void skip_to_separator() noexcept;

  /// Notes a problem at a place; the first one of each place counts.
  void problem(std::size_t at, const std::string& message);
  std::size_t problems() const noexcept { return problems_->size(); }

  // Each reads a value, or notes what is wrong with it (`what` names it) and gives nothing.
  std::optional<duration> as_duration(const value_text& value, std::string_view what);
  std::optional<std::uint64_t> as_size(const value_text& value, std::string_view what, std::uint64_t largest);
  std::optional<std::uint64_t> as_count(const value_text& value, std::string_view what, std::uint64_t least,
                                        std::uint64_t most);
  /// A number with decimals if need be, from 0 to a billion.
  std::optional<double> as_number(const value_text& value, std::string_view what);
  std::optional<bool> as_yes_no(const value_text& value, std::string_view what);

 private:
  std::string quoted_text(std::size_t begin);

  std::string_view text_;
  std::size_t number_;
  std::vector<std::string>* problems_;
  std::size_t at_ = 0;
  std::size_t last_problem_ = std::string_view::npos;
};

/// "'tetry-after' is no option: did you mean retry-after?", or with the known words listed where none is near.
std::string unknown_word(std::string_view word, std::string_view what,
                         std::span<const std::string_view> known);

}  // namespace relent::testing::faults
