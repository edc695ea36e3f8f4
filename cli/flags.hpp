// SPDX-License-Identifier: Apache-2.0
// The flags of a subcommand, described once: what reads the command line, the help, the man page and the
// completion all go by that description. What a flag's text means is not known here. Layer 5.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relent::cli {

/// What the shell offers in the place of a value or of an operand.
enum class completes : std::uint8_t { nothing, file, words, signals, command };

/// One flag. Without the name of a value it takes none; with one that begins with "[=" it may go without, and
/// has it behind an equals sign only.
struct flag {
  std::string_view name;          ///< "--base"
  std::string_view value_name;    ///< "D", "[=KEY]"
  std::string_view help;          ///< half a sentence; lines are broken to fit
  std::string_view short_name{};  ///< "-q"; empty: none
  completes completion = completes::nothing;
  std::string_view words{};    ///< what is offered for completes::words and ::signals, besides
  std::string_view details{};  ///< further paragraphs, in the man page only; markup as in page.hpp
};

/// Whether the flag has to have a value.
constexpr bool needs_value(const flag& each) noexcept {
  return !each.value_name.empty() && !each.value_name.starts_with("[=");
}
/// A flag and its value as help and manual show them have a blank in between, unless the value may be absent.
constexpr std::string_view before_value(const flag& each) noexcept { return needs_value(each) ? " " : ""; }

/// A flag that other tools have and this one does not, and what to do instead.
struct absent_flag {
  std::string_view name;        ///< "--form"
  std::string_view short_name;  ///< "-F"; empty: none
  bool has_value;
  std::string_view instead;  ///< goes on from "--form: "
};

/// Flags that are told of together.
struct flag_group {
  std::string_view heading;     ///< "Which failures"
  std::span<const flag> flags;  ///< of a table that lives as long as the program
};

/// The flags given on a command line, and its other words where those are allowed.
class flag_values {
 public:
  /// The text given for a flag, nothing if it was not given. A flag given twice counts as given last.
  std::optional<std::string_view> text(std::string_view name) const;
  bool given(std::string_view name) const { return text(name).has_value(); }
  /// All texts given for a flag, in order.
  std::vector<std::string_view> texts(std::string_view name) const;
  /// The names of all flags given, each with its text, in order; empty texts for flags without a value.
  std::vector<std::pair<std::string_view, std::string_view>> all() const;
  /// The words that are no flags.
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  friend class flag_reader;
  struct entry {
    std::string_view name;
    std::string text;
  };
  std::vector<entry> entries_;
  std::vector<std::string> operands_;
};

/// The part of a command line before the first "--", and whatever stands behind it.
struct split_command_line {
  std::vector<std::string> own;
  std::span<char*> command;  ///< unchanged, a null pointer behind its last word
  bool has_separator = false;
};
split_command_line split_at_separator(std::span<char*> arguments);

/// What is done with words that are no flags: they are read, and so is every word behind a "--"; or they are
/// refused, as a command without "--" before it.
enum class operands : std::uint8_t { refused, allowed };

/// What follows a single dash: the name of one flag, which is a word of its own; or, as in curl -sSfo FILE, the
/// short names of several, the last of which may have its value in the same word.
enum class short_names : std::uint8_t { single, bundled };

/// Reads flags. What is wrong is added to `problems`, a line each, the flag's name first.
class flag_reader {
 public:
  /// The table must live longer.
  explicit flag_reader(std::span<const flag> flags, operands others = operands::refused);
  explicit flag_reader(std::span<const flag_group> groups, operands others = operands::refused,
                       short_names style = short_names::single, std::span<const absent_flag> absent = {});
  flag_values read(const std::vector<std::string>& words, std::vector<std::string>& problems) const;

 private:
  struct reading;
  const flag* find(std::string_view name) const;
  const absent_flag* find_absent(std::string_view name) const;
  std::string what_is(std::string_view name) const;
  bool read_operand(reading& now) const;
  void read_flag(reading& now) const;
  void read_bundle(reading& now) const;
  void read_next_word(reading& now, const flag& wanting, std::string_view name) const;
  void refuse(reading& now, std::string_view name, bool value_is_there) const;

  std::vector<const flag*> flags_;
  operands others_;
  short_names style_ = short_names::single;
  std::span<const absent_flag> absent_;
};

}  // namespace relent::cli
