// SPDX-License-Identifier: Apache-2.0
// The flags of a subcommand, described once: what reads the command line and what prints the help
// both go by that description. What a flag's text means is not known here. Layer 5.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// One flag. Without the name of a value it takes none.
struct flag {
  std::string_view name;        ///< "--base"
  std::string_view value_name;  ///< "D"
  std::string_view help;        ///< half a sentence; lines are broken by '\n'
};

/// The flags given on a command line.
class flag_values {
 public:
  /// The text given for a flag, nothing if it was not given. A flag given twice counts as given last.
  std::optional<std::string_view> text(std::string_view name) const;
  bool given(std::string_view name) const { return text(name).has_value(); }

 private:
  friend class flag_reader;
  struct entry {
    std::string_view name;
    std::string text;
    bool given = false;
  };
  std::deque<entry> entries_;
};

/// The part of a command line before the first "--", and whatever stands behind it.
struct split_command_line {
  std::vector<std::string> own;
  std::span<char*> command;  ///< unchanged, a null pointer behind its last word
  bool has_separator = false;
};
split_command_line split_at_separator(std::span<char*> arguments);

/// Reads flags. What is wrong is added to `problems`, a line each, the flag's name first.
class flag_reader {
 public:
  explicit flag_reader(std::span<const flag> flags) : flags_(flags) {}
  flag_values read(const std::vector<std::string>& words, std::vector<std::string>& problems) const;
  /// The table of all flags for --help, two blanks before each line.
  std::string help() const;

 private:
  std::string what_is(const std::string& word) const;
  std::span<const flag> flags_;
};

}  // namespace relent::cli
