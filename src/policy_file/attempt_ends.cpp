// SPDX-License-Identifier: Apache-2.0
// Sets of attempt ends: the set itself, its text, and what is wrong with a text.
#include <relent/policy_file/attempt_ends.hpp>

#include "src/text/nearest.hpp"
#include "src/text/signal_names.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace relent {
namespace {

constexpr int last_code = 255;
constexpr int last_signal = 64;
constexpr std::string_view digits = "0123456789";
constexpr std::string_view timeout_word = "timeout";
constexpr std::string_view any_signal_word = "signal";

/// A success, and what no repetition mends, mean nothing in a list of failures.
constexpr bool readable_alone(int code) { return code != 0 && code != 126 && code != 127; }

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

std::string_view without_blanks(std::string_view word) {
  const auto first = word.find_first_not_of(" \t");
  if (first == std::string_view::npos) return word.substr(word.size());
  return word.substr(first, word.find_last_not_of(" \t") - first + 1);
}

bool all_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of(digits) == std::string_view::npos;
}

/// Any number that is too large for an exit code gives one that is too large as well.
int number_in(std::string_view word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} ? number : last_code + 1;
}

/// A signal that has no name of its own is written SIG35.
std::optional<int> signal_in(std::string_view word) {
  if (const auto named = text::signal_from(word)) return named;
  constexpr std::size_t prefix_size = 3;
  if (word.size() <= prefix_size) return std::nullopt;
  std::string prefix(word.substr(0, prefix_size));
  for (char& c : prefix) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  const std::string_view number = word.substr(prefix_size);
  if (prefix != "SIG" || !all_digits(number)) return std::nullopt;
  const int signal = number_in(number);
  if (signal < 1 || signal > last_signal) return std::nullopt;
  return signal;
}

std::string signal_text(int signal) {
  const std::string name = text::signal_name(signal);
  return name.starts_with("SIG") ? name : "SIG" + std::to_string(signal);
}

std::string what_is(std::string_view word) {
  std::vector<std::string> names;
  for (int signal = 1; signal <= last_signal; ++signal)
    if (std::string name = text::signal_name(signal); name.starts_with("SIG"))
      names.push_back(std::move(name));
  std::vector<std::string_view> known{timeout_word, any_signal_word};
  known.insert(known.end(), names.begin(), names.end());

  std::string upper(word);
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  for (const std::string& tried : {std::string(word), upper, "SIG" + upper})
    if (const std::string_view near = text::nearest(tried, known); !near.empty())
      return "has an unknown word " + quoted(word) + ": did you mean " + std::string(near) + "?";
  return "has an unknown word " + quoted(word) +
         ": write exit codes, ranges, signals, timeout or signal, as in 1,75,100-120,SIGSEGV,timeout";
}

/// Adds one word to the set; what is wrong with it, or nothing.
std::string add_word(std::string_view word, attempt_ends& ends) {
  if (word.empty()) return "has nothing between two commas";
  if (word == timeout_word) return ends.add_timeout(), std::string();
  if (word == any_signal_word) return ends.add_every_signal(), std::string();
  if (const auto signal = signal_in(word)) return ends.add_signal(*signal), std::string();

  const auto dash = word.find('-');
  const std::string_view first = without_blanks(word.substr(0, dash));
  const std::string_view last =
      dash == std::string_view::npos ? first : without_blanks(word.substr(dash + 1));
  if (!all_digits(first) || !all_digits(last)) return what_is(word);
  const int from = number_in(first);
  const int to = number_in(last);
  if (from > last_code || to > last_code) return "has " + quoted(word) + ": exit codes end at 255";
  if (from > to) return "has the range " + quoted(word) + ", which runs backwards";
  if (dash == std::string_view::npos && !readable_alone(from)) {
    if (from == 0) return "has exit code 0, which is a success";
    return "has exit code " + std::to_string(from) + ", which is never tried again: the command " +
           (from == 126 ? "cannot be executed" : "was not found");
  }
  ends.add_codes(from, to);
  return {};
}

}  // namespace

bool attempt_ends::has_code(int code) const noexcept {
  return code >= 0 && code <= last_code && codes_[static_cast<std::size_t>(code)];
}

bool attempt_ends::has_signal(int signal) const noexcept {
  return signal >= 1 && signal <= last_signal && signals_[static_cast<std::size_t>(signal)];
}

attempt_ends& attempt_ends::add_codes(int first, int last) noexcept {
  for (int code = std::max(first, 0); code <= std::min(last, last_code); ++code)
    codes_.set(static_cast<std::size_t>(code));
  return *this;
}

attempt_ends& attempt_ends::add_signal(int signal) noexcept {
  if (signal >= 1 && signal <= last_signal) signals_.set(static_cast<std::size_t>(signal));
  return *this;
}

attempt_ends& attempt_ends::add_every_signal() noexcept {
  for (int signal = 1; signal <= last_signal; ++signal) add_signal(signal);
  return *this;
}

attempt_ends& attempt_ends::add_timeout() noexcept {
  timeout_ = true;
  return *this;
}

attempt_ends& attempt_ends::add(const attempt_ends& other) noexcept {
  codes_ |= other.codes_;
  signals_ |= other.signals_;
  timeout_ = timeout_ || other.timeout_;
  return *this;
}

attempt_ends_parse parse_attempt_ends(std::string_view text) {
  if (without_blanks(text).empty())
    return {std::nullopt,
            "names nothing: write exit codes, signals or timeout, as in 1,75,100-120,SIGSEGV,timeout",
            text.size()};
  attempt_ends ends;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = without_blanks(text.substr(begin, end - begin));
    if (std::string error = add_word(word, ends); !error.empty())
      return {std::nullopt, std::move(error), static_cast<std::size_t>(word.data() - text.data())};
    begin = end + 1;
  }
  return {ends, {}, 0};
}

std::string to_text(const attempt_ends& ends) {
  std::vector<std::string> ranges;
  std::vector<std::string> words;
  for (int code = 0; code <= last_code; ++code) {
    if (!ends.has_code(code)) continue;
    const int first = code;
    while (ends.has_code(code + 1)) ++code;
    const int last = code;
    const bool alone = last <= first + 1 && readable_alone(first) && readable_alone(last);
    if (!alone) ranges.push_back(std::to_string(first) + "-" + std::to_string(last));
    for (int each = first; alone && each <= last; ++each) words.push_back(std::to_string(each));
  }
  bool all = true;
  for (int signal = 1; signal <= last_signal; ++signal) all = all && ends.has_signal(signal);
  if (all) words.emplace_back(any_signal_word);
  for (int signal = 1; signal <= last_signal && !all; ++signal)
    if (ends.has_signal(signal)) words.push_back(signal_text(signal));
  if (ends.has_timeout()) words.emplace_back(timeout_word);

  ranges.insert(ranges.end(), words.begin(), words.end());
  std::string text;
  for (const std::string& word : ranges) text += (text.empty() ? "" : ",") + word;
  return text;
}

}  // namespace relent
