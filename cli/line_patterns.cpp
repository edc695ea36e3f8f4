// SPDX-License-Identifier: Apache-2.0
// regexec, line by line.
#include "line_patterns.hpp"

#include <regex.h>
#include <algorithm>

namespace relent::cli {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 20U;
constexpr std::size_t overlap = std::size_t{4} << 10U;

}  // namespace

struct pattern::compiled {
  regex_t expression;
  bool usable;
};

pattern::pattern(const std::string& expression) : compiled_(new compiled) {
  compiled_->usable = ::regcomp(&compiled_->expression, expression.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
}

pattern::~pattern() {
  if (compiled_->usable) ::regfree(&compiled_->expression);
}

void pattern::look_at(std::string_view line) {
  if (found_ || !compiled_->usable) return;
#if defined(REG_STARTEND)
  regmatch_t whole{};
  whole.rm_eo = static_cast<regoff_t>(line.size());
  found_ = ::regexec(&compiled_->expression, line.data(), 1, &whole, REG_STARTEND) == 0;
#else
  std::string text(line);
  std::replace(text.begin(), text.end(), '\0', ' ');
  found_ = ::regexec(&compiled_->expression, text.c_str(), 0, nullptr, 0) == 0;
#endif
}

void line_watch::take(std::string_view bytes) {
  while (!bytes.empty() && !all_found()) {
    const std::size_t size = bytes.find('\n');
    if (size == std::string_view::npos) return keep(bytes);
    const std::string_view rest_of_line = bytes.substr(0, size);
    if (begun_.empty()) {
      look_at(rest_of_line);
    } else {
      keep(rest_of_line);
      look_at(begun_);
      begun_.clear();
    }
    bytes.remove_prefix(size + 1);
  }
}

void line_watch::keep(std::string_view part) {
  while (begun_.size() + part.size() > longest_line) {
    const std::size_t room = longest_line - begun_.size();
    begun_.append(part.substr(0, room));
    part.remove_prefix(room);
    look_at(begun_);
    begun_.erase(0, begun_.size() - overlap);
  }
  begun_.append(part);
}

void line_watch::end() {
  if (!begun_.empty()) look_at(begun_);
  begun_.clear();
}

void line_watch::look_at(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (pattern* each : patterns_) each->look_at(line);
}

bool line_watch::all_found() const noexcept {
  return std::ranges::all_of(patterns_, [](const pattern* each) { return each->found(); });
}

}  // namespace relent::cli
