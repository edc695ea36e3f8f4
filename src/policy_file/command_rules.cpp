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

/// About how many states an expression unfolds to. The system's library copies what stands before {9} nine times,
/// and before a + twice; with a thousand times a thousand, or forty of them in a row, until there is no memory left.
class state_count {
 public:
  explicit state_count(const std::string& text) : text_(text) {}

  std::size_t operator()() {
    while (at_ < text_.size() && states_ <= most_work) pass_one();
    for (const std::size_t before : outside_) states_ += before;
    return states_;
  }

 private:
  void pass_one() {
    const char c = text_[at_];
    if (c == '[') {
      atom(1);
      at_ = behind_bracket(text_, at_);
      return;
    }
    if (c == '{') return interval();
    at_ += c == '\\' ? 2U : 1U;
    if (c == '(') {
      outside_.push_back(states_);
      states_ = last_ = 0;
    } else if (c == ')' && !outside_.empty()) {
      const std::size_t inside = states_ + 1;
      states_ = outside_.back();
      outside_.pop_back();
      atom(inside);
    } else if (c == '+') {
      repeat(2);
    } else if (c == '*' || c == '?') {
      ++last_;
      ++states_;
    } else {
      atom(1);
    }
  }

  void interval() {
    const std::size_t least = number_at(text_, ++at_);
    std::size_t most = least;
    if (at_ < text_.size() && text_[at_] == ',') most = std::max(least + 1, number_at(text_, ++at_));
    if (at_ < text_.size() && text_[at_] == '}') ++at_;
    repeat(std::max<std::size_t>(most, 1));
  }

  void atom(std::size_t states) {
    last_ = states;
    states_ += states;
  }

  void repeat(std::size_t times) {
    states_ += last_ * (times - 1);
    last_ *= times;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::size_t states_ = 0;            ///< within the innermost open parenthesis
  std::size_t last_ = 0;              ///< of them, those of what a repetition would repeat
  std::vector<std::size_t> outside_;  ///< the states before each open parenthesis
};

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
  if (state_count(expression)() > most_work) return "its repetitions multiply to more than can be matched";
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
