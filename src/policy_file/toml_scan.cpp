// SPDX-License-Identifier: Apache-2.0
// Walks over strings and comments, and looks at the rest. Where a text is no TOML the walk may take a string for
// something else or the other way round, but from there on nobody reads it.
#include "toml_scan.hpp"

#include <cstddef>

namespace relent::detail {
namespace {

/// Each dot can be a table in a table, and tables in tables are taken down by recursion.
constexpr int most_dots = 256;

class scanner {
 public:
  explicit scanner(std::string_view text) : text_(text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
  }

  std::optional<scan_problem> first_problem() {
    for (; at_ < text_.size() && !problem_; step()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        if (in_number_)
          refuse("this is no TOML: a quote in the middle of a number or date");
        else
          pass_string(c);
      } else if (c == '#') {
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') step();
      } else {
        look_at(c);
      }
    }
    return problem_;
  }

 private:
  void refuse(std::string_view message) { problem_ = scan_problem{line_, column_, message}; }

  /// What stands outside strings and comments.
  void look_at(char c) {
    constexpr std::string_view ends = " \t\r\n,]}";
    constexpr std::string_view begins_number = "0123456789+-.";
    if (static_cast<unsigned char>(c) >= 0x80U)
      refuse("this is no TOML: outside quotes there may be plain ASCII only");
    dots_ = c == '\n' ? 0 : dots_ + (c == '.' ? 1 : 0);
    if (dots_ > most_dots) refuse("this has more dots in a line than any policy needs");
    if (ends.find(c) != std::string_view::npos)
      in_word_ = in_number_ = false;
    else if (!in_number_ && (c == '=' || c == '[' || c == '{'))
      in_word_ = false;
    else if (!in_word_)
      in_number_ = begins_number.find(c) != std::string_view::npos, in_word_ = true;
  }

  /// Past one byte; columns count characters.
  void step() {
    if (at_ >= text_.size()) return;
    if (text_[at_] == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<unsigned char>(text_[at_]) & 0xc0U) != 0x80U) {
      ++column_;
    }
    ++at_;
  }

  bool three_quotes(char quote) const {
    return at_ + 2 < text_.size() && text_[at_] == quote && text_[at_ + 1] == quote &&
           text_[at_ + 2] == quote;
  }

  /// Onto the last quote of the string that begins here, or to the end of what could be one.
  void pass_string(char quote) {
    const bool long_one = three_quotes(quote);
    for (int i = long_one ? 3 : 1; i > 0; --i) step();
    while (at_ < text_.size()) {
      if (!long_one && text_[at_] == '\n') return step_back();
      if (quote == '"' && text_[at_] == '\\') {
        pass_backslash(long_one);
        if (at_ >= text_.size() || problem_) return;
      } else if (long_one ? three_quotes(quote) : text_[at_] == quote) {
        if (long_one) pass_last_quotes(quote);
        return;
      }
      step();
    }
  }

  /// Onto what stands behind a backslash. toml++ 3.3 asks there whether a letter is a blank, to which it has no
  /// answer for most letters beyond ASCII.
  void pass_backslash(bool long_one) {
    std::size_t next = text_.find_first_not_of(long_one ? " \t\r\n" : " \t", at_ + 1);
    if (next == std::string_view::npos) next = text_.size();
    const bool plain = next == text_.size() || static_cast<unsigned char>(text_[next]) < 0x80U;
    if (!plain) {
      while (at_ < next) step();
      refuse("this cannot be read: behind a backslash there may be plain ASCII only");
    } else if (long_one || !text_.substr(at_).starts_with("\\\n")) {
      step();
    }
  }

  /// A long string may end with up to two quotes of its own.
  void pass_last_quotes(char quote) {
    step();
    step();
    for (int i = 0; i < 2 && at_ + 1 < text_.size() && text_[at_ + 1] == quote; ++i) step();
  }

  /// So that the step to come ends on the newline again; it has not been counted yet.
  void step_back() {
    --at_;
    --column_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  int dots_ = 0;            ///< in this line
  bool in_word_ = false;    ///< of letters that are neither blanks nor punctuation
  bool in_number_ = false;  ///< such a word that can only be a number or a date; toml++ reads it to its end,
                            ///< whatever stands in it
  std::optional<scan_problem> problem_;
};

}  // namespace

std::optional<scan_problem> scan_toml(std::string_view text) { return scanner(text).first_problem(); }

}  // namespace relent::detail
