// SPDX-License-Identifier: Apache-2.0
// A search by regexec tries one start after the other, which takes the square of the line's length when each
// try runs far ("a.*b" in a line of a's). So the pattern is led by what skips the start of the line, which
// leaves one try.
#include "line_watch.hpp"

#include <regex.h>
#include <algorithm>
#include <array>
#include <optional>

namespace relent::cli {
namespace {

/// Whether something can be put before the pattern: not if that would renumber the groups it refers to, nor
/// with counted repetition, whose matcher would then grow with the number of starts that it keeps in mind.
bool can_be_led(const std::string& pattern) {
  if (pattern.find('{') != std::string::npos) return false;
  for (std::size_t at = pattern.find('\\'); at < pattern.size(); at = pattern.find('\\', at + 2))
    if (at + 1 < pattern.size() && pattern[at + 1] >= '1' && pattern[at + 1] <= '9') return false;
  return true;
}

/// A compiled pattern.
class expression {
 public:
  explicit expression(const std::string& pattern)
      : error_(::regcomp(&compiled_, pattern.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  ~expression() {
    if (error_ == 0) ::regfree(&compiled_);
  }
  expression(const expression&) = delete;
  expression& operator=(const expression&) = delete;

  std::string problem() const {
    if (error_ == 0) return {};
    std::array<char, 256> text{};
    ::regerror(error_, &compiled_, text.data(), text.size());
    return text.data();
  }

  bool is_in(std::string_view text, int flags) const {
#if defined(REG_STARTEND)
    std::array<regmatch_t, 1> range{};
    range[0].rm_eo = static_cast<regoff_t>(text.size());
    return ::regexec(&compiled_, text.data(), 0, range.data(), flags | REG_STARTEND) == 0;
#else
    std::string ended(text);
    std::replace(ended.begin(), ended.end(), '\0', ' ');
    return ::regexec(&compiled_, ended.c_str(), 0, nullptr, flags) == 0;
#endif
  }

 private:
  regex_t compiled_{};
  int error_;
};

}  // namespace

struct line_watch::watched {
  explicit watched(const std::string& pattern)
      : from_start(can_be_led(pattern) ? "^[^\n]*(" + pattern + ")" : pattern) {
    // In a piece that goes on with a line, '^' must not match: at least one byte comes before.
    if (can_be_led(pattern)) further_on.emplace("^[^\n]+(" + pattern + ")");
  }

  bool is_in(std::string_view text, bool first, bool last) const {
    const int end = last ? 0 : REG_NOTEOL;
    if (first) return from_start.is_in(text, end);
    return further_on ? further_on->is_in(text, end) : from_start.is_in(text, end | REG_NOTBOL);
  }

  expression from_start;
  std::optional<expression> further_on;
};

line_watch::line_watch() = default;
line_watch::~line_watch() = default;

std::string line_watch::add(const std::string& pattern) {
  if (pattern.find('\n') != std::string::npos) return "it has a line break, but is looked for within a line";
  if (std::string problem = expression(pattern).problem(); !problem.empty()) return problem;
  patterns_.push_back(std::make_unique<watched>(pattern));
  found_.push_back(false);
  ++left_;
  return {};
}

void line_watch::feed(std::string_view bytes) {
  while (!bytes.empty() && left_ > 0) {
    const std::size_t length = bytes.substr(0, longest_piece - line_.size() + 1).find('\n');
    if (length == std::string_view::npos) {
      take_piece(bytes);
      continue;
    }
    std::string_view line = bytes.substr(0, length);
    if (!line_.empty()) line = line_.append(line);
    if (line.ends_with('\r')) line.remove_suffix(1);
    look(line, !continued_, true);
    line_.clear();
    continued_ = false;
    bytes.remove_prefix(length + 1);
  }
}

/// Moves bytes of a line that has no end yet, as many as fit, into line_; looks at it if there are more.
void line_watch::take_piece(std::string_view& bytes) {
  const std::size_t taken = std::min(bytes.size(), longest_piece - line_.size());
  line_.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  if (bytes.empty()) return;
  look(line_, !continued_, false);
  line_.erase(0, line_.size() - std::min(line_.size(), overlap));
  continued_ = true;
}

void line_watch::finish() {
  if (!line_.empty()) look(line_, !continued_, true);
  line_.clear();
  continued_ = false;
}

void line_watch::reset() {
  std::fill(found_.begin(), found_.end(), false);
  left_ = patterns_.size();
  line_.clear();
  continued_ = false;
}

void line_watch::look(std::string_view text, bool first, bool last) {
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (found_[i] || !patterns_[i]->is_in(text, first, last)) continue;
    found_[i] = true;
    --left_;
  }
}

}  // namespace relent::cli
