// SPDX-License-Identifier: Apache-2.0
// Whole scripts: a rule of the server, or a path and its sequence.
#include "script.hpp"

#include <algorithm>
#include <string>

#include "script_cursor.hpp"
#include "step_reader.hpp"

namespace relent::testing::faults {
namespace {

constexpr std::string_view rule_words[] = {"outage", "capacity", "cost", "latency"};

class script_reader {
 public:
  script_reader(const std::vector<std::string>& texts, bool tls) : texts_(texts), tls_(tls) {}

  script_reading read() {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      number_ = i + 1;
      script_cursor cursor(texts_[i], number_, out_.problems);
      read_one(cursor);
    }
    if (out_.scripts.cost && !out_.scripts.capacity)
      out_.problems.push_back(cost_place_ + ": a cost needs a capacity: write capacity=100/s, cost=0.2");
    return std::move(out_);
  }

 private:
  void read_one(script_cursor& cursor) {
    if (cursor.text().size() > longest_script)
      return cursor.problem(longest_script, "a script has at most 65536 bytes");
    cursor.skip_blanks();
    if (cursor.at_end()) return cursor.problem(0, "a script is empty: write steps as 503*2,200");
    if (begins_rule(cursor)) return read_rules(cursor);
    walk_script walk;
    if (!read_path(cursor, walk)) return;
    do {
      read_one_step(cursor, walk);
    } while (cursor.accept(','));
    if (!cursor.at_end()) cursor.problem(cursor.at(), "there is a parenthesis too many");
    out_.scripts.walks.push_back(std::move(walk));
  }

  /// Whether a word and = stand here; malformed=... is a step.
  static bool begins_rule(script_cursor& cursor) {
    const std::size_t begin = cursor.at();
    const std::string_view word = cursor.word();
    const bool rule = !word.empty() && word != "malformed" && cursor.accept('=');
    cursor.move_to(begin);
    return rule;
  }

  void read_one_step(script_cursor& cursor, walk_script& walk) {
    if (auto read = read_step(cursor, step_place::walk, tls_)) walk.steps.push_back(std::move(*read));
    cursor.skip_blanks();
    if (cursor.at_end() || cursor.peek() == ',' || cursor.peek() == ')') return;
    cursor.problem(cursor.at(), "a comma is missing here: write steps as 503*2,200");
    cursor.skip_to_separator();
  }

  /// The path, if there is one; false if it cannot be told where the steps begin.
  bool read_path(script_cursor& cursor, walk_script& walk) {
    const std::size_t at = cursor.at();
    const std::string_view rest = cursor.text().substr(at);
    if (rest[0] != '/') {
      const std::string_view word = cursor.word();
      if (!word.empty() && cursor.accept(':')) {
        cursor.problem(at, "a path begins with a slash: write /" + std::string(word) + ": ...");
      } else {
        cursor.move_to(at);
      }
      return true;
    }
    const std::size_t colon = rest.find(':');
    cursor.move_to(at + std::min(colon, rest.size()));
    if (!cursor.accept(':')) {
      cursor.problem(at, "a path needs a colon and steps: write /pay: 503*2,200");
      return false;
    }
    walk.path = std::string(rest.substr(0, rest.find_last_not_of(" \t", colon - 1) + 1));
    walk.prefix = walk.path.back() == '*';
    if (walk.prefix) walk.path.pop_back();
    check_path(cursor, at, walk);
    return true;
  }

  void check_path(script_cursor& cursor, std::size_t at, const walk_script& walk) {
    if (walk.path.find('*') != std::string::npos)
      cursor.problem(at, "a star can only stand at the end of a path");
    if (walk.path.find_first_of(" \t?#\"(,") != std::string::npos)
      cursor.problem(at, "a path has no blank, quote, comma, parenthesis, ? or #");
    for (const walk_script& other : out_.scripts.walks)
      if (other.path == walk.path && other.prefix == walk.prefix)
        return cursor.problem(at, "this path has a script already");
  }

  void read_rules(script_cursor& cursor) {
    do {
      cursor.skip_blanks();
      read_rule(cursor);
      cursor.skip_blanks();
      if (!cursor.at_end() && cursor.peek() != ',') {
        cursor.problem(cursor.at(), "a comma is missing here: write capacity=100/s, cost=0.2");
        cursor.move_to(cursor.text().size());
      }
    } while (cursor.accept(','));
  }

  void read_rule(script_cursor& cursor) {
    const std::size_t at = cursor.at();
    const std::string_view word = cursor.word();
    if (std::find(std::begin(rule_words), std::end(rule_words), word) == std::end(rule_words)) {
      cursor.problem(at, word.empty() ? "a rule is missing here" : unknown_word(word, "rule", rule_words));
      return cursor.skip_to_separator();
    }
    if (!cursor.accept('=')) {
      cursor.problem(at,
                     '\'' + std::string(word) + "' has no value; rules and steps do not mix in one script");
      return cursor.skip_to_separator();
    }
    if (word == "outage") return read_outage(cursor);
    if (word == "capacity") return read_capacity(cursor, at);
    if (word == "cost") return read_cost(cursor, at);
    read_latency(cursor, at);
  }

  /// `2s..5s`, or one time for both.
  static std::optional<std::array<duration, 2>> as_span(script_cursor& cursor, const value_text& value,
                                                        std::string_view what) {
    const std::size_t dots = std::min(value.text.find(".."), value.text.size());
    const value_text first{value.text.substr(0, dots), value.at, value.quoted};
    const auto from = cursor.as_duration(first, what);
    if (!from || dots == value.text.size())
      return from ? std::optional(std::array{*from, *from}) : std::nullopt;
    const auto to =
        cursor.as_duration({value.text.substr(dots + 2), value.at + dots + 2, value.quoted}, what);
    if (!to) return std::nullopt;
    if (*to < *from) {
      cursor.problem(value.at, std::string(what) + " ends before it begins");
      return std::nullopt;
    }
    return std::array{*from, *to};
  }

  /// The step after a colon, or 503.
  step read_instead(script_cursor& cursor) {
    step instead;
    instead.status = 503;
    if (!cursor.accept(':')) return instead;
    return read_step(cursor, step_place::rule, tls_).value_or(instead);
  }

  void read_outage(script_cursor& cursor) {
    const value_text value = cursor.value(",:");
    const auto span = as_span(cursor, value, "the outage");
    step instead = read_instead(cursor);
    if (!span) return;
    if ((*span)[0] == (*span)[1])
      return cursor.problem(value.at, "an outage has a beginning and an end: write outage=2s..5s");
    out_.scripts.outages.push_back({(*span)[0], (*span)[1], std::move(instead)});
  }

  void read_capacity(script_cursor& cursor, std::size_t at) {
    value_text value = cursor.value(",:");
    const bool by_second = value.text.size() > 2 && value.text.substr(value.text.size() - 2) == "/s";
    if (by_second) value.text.resize(value.text.size() - 2);
    const auto number = by_second ? cursor.as_number(value, "the capacity") : std::nullopt;
    step instead = read_instead(cursor);
    if (!by_second || (number && *number <= 0))
      return cursor.problem(value.at, "a capacity is so many requests a second: write capacity=100/s");
    if (out_.scripts.capacity) return cursor.problem(at, "there is a capacity already");
    if (instead.kind == step_kind::refuse)
      return cursor.problem(at, "a capacity cannot refuse connections: use reset, or a status");
    if (number) out_.scripts.capacity = capacity_rule{*number, std::move(instead)};
  }

  void read_cost(script_cursor& cursor, std::size_t at) {
    const auto cost = cursor.as_number(cursor.value(","), "the cost");
    if (out_.scripts.cost) return cursor.problem(at, "there is a cost already");
    out_.scripts.cost = cost;
    cost_place_ = "script " + std::to_string(number_) + ':' + std::to_string(at + 1);
  }

  void read_latency(script_cursor& cursor, std::size_t at) {
    const auto span = as_span(cursor, cursor.value(","), "the latency");
    if (out_.scripts.latency) return cursor.problem(at, "there is a latency already");
    out_.scripts.latency = span;
  }

  const std::vector<std::string>& texts_;
  bool tls_;
  std::size_t number_ = 0;
  std::string cost_place_;
  script_reading out_;
};

}  // namespace

script_reading read_scripts(const std::vector<std::string>& texts, bool tls) {
  return script_reader(texts, tls).read();
}

}  // namespace relent::testing::faults
