// SPDX-License-Identifier: Apache-2.0
// What is wrong with the rules for commands, and with a regular expression.
#include <relent/policy_file/command_rules.hpp>

#include <regex.h>

#include <algorithm>
#include <array>
#include <vector>

namespace relent {
namespace {

constexpr std::size_t longest_expression = 2000;
constexpr std::size_t most_work = 2'000;

/// The number that begins at `at`, which moves behind it.
std::size_t number_at(const std::string& text, std::size_t& at) {
  std::size_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    number = std::min<std::size_t>(number * 10 + static_cast<std::size_t>(text[at] - '0'), most_work);
  return number;
}

/// Behind a bracket expression that begins at `at`.
std::size_t behind_bracket(const std::string& text, std::size_t at) {
  at += at + 1 < text.size() && text[at + 1] == '^' ? 2U : 1U;
  const std::size_t end = text.find(']', at + 1);  // a bracket at the very beginning stands for itself
  return end == std::string::npos ? text.size() : end + 1;
}

/// About how many states an expression unfolds to: {9} copies what stands before it nine times, and the system's
/// library would do so with a thousand times a thousand as well, until there is no memory left.
std::size_t states_of(const std::string& text) {
  std::vector<std::size_t> outside;  // the states before each open parenthesis
  std::size_t states = 0;
  std::size_t last = 0;  // those of the last atom, which are counted in states
  for (std::size_t i = 0; i < text.size() && states <= most_work;) {
    const char c = text[i];
    if (c == '{') {
      const std::size_t least = number_at(text, ++i);
      std::size_t copies = least;
      if (i < text.size() && text[i] == ',') copies = std::max(copies, number_at(text, ++i));
      copies = std::max<std::size_t>(copies, 1);
      states += last * (copies - 1);
      last *= copies;
      if (i < text.size() && text[i] == '}') ++i;
      continue;
    }
    if (c == '(') {
      outside.push_back(states);
      states = 0;
      last = 0;
      ++i;
      continue;
    }
    if (c == ')' && !outside.empty()) {
      last = states + 1;
      states = outside.back() + last;
      outside.pop_back();
      ++i;
      continue;
    }
    if (c != '*' && c != '+' && c != '?' && c != '|') last = 1;
    ++states;
    i = c == '[' ? behind_bracket(text, i) : i + (c == '\\' ? 2U : 1U);
  }
  for (const std::size_t before : outside) states += before;
  return states;
}

}  // namespace

problem_list problems(const command_rules& rules) {
  problem_list found;
  const auto compiles = [](const std::optional<std::string>& expression) {
    return !expression || regex_error_in(*expression).empty();
  };
  constexpr const char* expression_rule = "must be a regular expression as grep -E takes it";
  found.require(compiles(rules.retry_on_output), "command.retry_on_output", expression_rule);
  found.require(compiles(rules.until_output), "command.until_output", expression_rule);
  found.require(rules.successes >= 1, "command.successes", "must be at least 1");
  found.require(rules.kill_after >= duration::zero(), "command.kill_after", "must not be negative");
  return found;
}

std::string regex_error_in(const std::string& expression) {
  if (expression.find('\0') != std::string::npos) return "it holds a zero byte";
  if (expression.size() > longest_expression)
    return "it is longer than " + std::to_string(longest_expression) + " bytes";
  if (states_of(expression) > most_work) return "its repetitions multiply to more than can be matched";
  regex_t compiled;
  const int error = regcomp(&compiled, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error == 0) {
    regfree(&compiled);
    return {};
  }
  std::array<char, 200> text{};
  regerror(error, &compiled, text.data(), text.size());
  return text.data();
}

}  // namespace relent
