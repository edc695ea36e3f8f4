// SPDX-License-Identifier: Apache-2.0
// What is wrong with a set of options: a list of problems, all of them at once, and the exception
// that carries them. Layer 0.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace relent {

namespace detail {
/// Deliberately not constexpr: a constant made from impossible options stops compiling here, and the
/// compiler's notes show the field and the rule that it breaks.
inline void these_options_break_a_rule() noexcept {}
}  // namespace detail

/// One option that breaks a rule: its name as in the policy file ("backoff.cap") and what would be right.
struct problem {
  std::string_view field;
  std::string_view rule;
};

/// The problems of one set of options, in the order of the fields. Both texts of a problem must outlive
/// the list; in practice they are literals. Problems beyond the capacity are dropped.
/// In a constant expression the first problem is a compile error.
class problem_list {
 public:
  constexpr void add(std::string_view field, std::string_view rule) noexcept {
    if (std::is_constant_evaluated()) detail::these_options_break_a_rule();
    if (size_ < capacity) items_[size_++] = {field, rule};
  }
  /// Adds a problem unless `holds`.
  constexpr void require(bool holds, std::string_view field, std::string_view rule) noexcept {
    if (!holds) add(field, rule);
  }
  /// Adds all problems of a part of the options.
  constexpr void add(const problem_list& part) noexcept {
    for (const problem& p : part) add(p.field, p.rule);
  }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr const problem& operator[](std::size_t i) const noexcept { return items_[i]; }
  constexpr const problem* begin() const noexcept { return items_; }
  constexpr const problem* end() const noexcept { return items_ + size_; }

 private:
  static constexpr std::size_t capacity = 32;
  problem items_[capacity]{};
  std::size_t size_ = 0;
};

/// Thrown when a policy, budget, breaker or dependency is made from options that break a rule.
/// what() names every problem: "max_attempts must be at least 1; backoff.cap must not be below base".
class options_error : public std::invalid_argument {
 public:
  explicit options_error(const problem_list& problems)
      : std::invalid_argument(text_of(problems)), problems_(problems) {}

  const problem_list& problems() const noexcept { return problems_; }

 private:
  static std::string text_of(const problem_list& problems) {
    std::string text;
    for (const problem& p : problems) {
      if (!text.empty()) text += "; ";
      text.append(p.field).append(" ").append(p.rule);
    }
    return text;
  }
  problem_list problems_;
};

}  // namespace relent
