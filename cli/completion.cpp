// SPDX-License-Identifier: Apache-2.0
// One case for each flag with a value, one for each subcommand's flags.
#include "completion.hpp"

#include "src/text/signal_names.hpp"

#include <string_view>

namespace relent::cli {
namespace {

constexpr std::string_view before =
    R"sh(# bash completion for relent; made by `relent generate completion bash`

# Each line is offered as it stands: nothing in it is expanded, blanks do not cut it.
_relent_lines() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}

_relent_words() {
  _relent_lines < <(compgen -W '$1' -- "$2")
}

# One of the words, behind the last comma of what there is.
_relent_list() {
  local last=${2##*,} i
  _relent_words "$1" "$last"
  for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${2%"$last"}${COMPREPLY[i]}; done
}

# Where nothing is found, bash looks by itself: it knows quotes.
_relent_files() {
  compopt -o filenames -o default 2>/dev/null
  _relent_lines < <(compgen -f -- "$1")
}

_relent_commands() {
  _relent_lines < <(compgen -c -- "$1" | sort -u)
}

# What stands behind "--" is a command of its own.
_relent_command() {
  if declare -F _comp_command_offset >/dev/null; then
    _comp_command_offset "$1"
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    _relent_commands "${COMP_WORDS[COMP_CWORD]}"
  else
    _relent_files "${COMP_WORDS[COMP_CWORD]}"
  fi
}

_relent() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} subcommand=${COMP_WORDS[1]-} i
  COMPREPLY=()
  for ((i = 2; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      if [[ $subcommand == run ]]; then _relent_command $((i + 1)); fi
      return
    fi
  done
  if ((COMP_CWORD == 1)); then
    _relent_words "SUBCOMMANDS --help --version" "$word"
    return
  fi
  # Bash cuts words at = and at the colon of FILE:NAME.
  if [[ $word == : || $previous == : ]]; then return; fi
  if [[ $word == = ]]; then word=; fi
  if [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
)sh";

constexpr std::string_view after = R"(}

complete -F _relent relent
)";

void replace(std::string& text, std::string_view what, std::string_view by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

/// The names of the signals that the tool knows, before the words that stand beside them.
std::string signal_words(std::string_view others) {
  constexpr int first_without_name = 32;
  std::string words;
  for (int signal = 1; signal < first_without_name; ++signal)
    if (const std::string name = text::signal_name(signal); text::signal_from(name)) words += name + " ";
  return words.append(others);
}

/// Words to choose from: as they stand, or after an @ what the tool is asked for.
std::string words_from(std::string_view words) {
  if (!words.starts_with('@')) return "\"" + std::string(words) + "\"";
  return R"sh("$("${COMP_WORDS[0]}" generate )sh" + std::string(words.substr(1)) + R"sh( 2>/dev/null)")sh";
}

/// What completes a value or an operand; empty if nothing does.
std::string action_for(completes completion, std::string_view words) {
  switch (completion) {
    case completes::nothing: return {};
    case completes::file: return R"(_relent_files "$word")";
    case completes::words: return "_relent_words " + words_from(words) + R"( "$word")";
    case completes::signals: return "_relent_list \"" + signal_words(words) + R"(" "$word")";
    case completes::command: return R"(_relent_commands "$word")";
  }
  return {};
}

/// After a flag that wants a value only that is offered, be it nothing.
std::string value_cases(const page& about) {
  std::string text;
  for (const flag_group& group : about.groups)
    for (const flag& each : group.flags) {
      if (!needs_value(each)) continue;
      const std::string action = action_for(each.completion, each.words);
      text +=
          "        " + std::string(each.name) + ") " + (action.empty() ? "" : action + "; ") + "return ;;\n";
    }
  return text;
}

std::string all_flags(const page& about) {
  std::string text;
  for (const flag_group& group : about.groups)
    for (const flag& each : group.flags) text += (text.empty() ? "" : " ") + std::string(each.name);
  return text;
}

/// A command stands behind the separator only.
std::string operands_of(const page& about) {
  if (about.operand == completes::command) return R"(_relent_words "--" "$word")";
  const std::string action = action_for(about.operand, about.operand_words);
  return action.empty() ? ":" : action;
}

}  // namespace

std::string bash_completion(std::span<const page> pages) {
  std::string names;
  std::string cases = "  case $subcommand in\n";
  for (const page& each : pages) {
    const std::string_view name = subcommand_of(each);
    if (name.empty()) continue;
    names += (names.empty() ? "" : " ") + std::string(name);
    cases += "    " + std::string(name) + ")\n      case $previous in\n" + value_cases(each) + "      esac\n";
    cases += "      if [[ $word == -* ]]; then\n        _relent_words \"" + all_flags(each) +
             "\" \"$word\"\n      else\n        " + operands_of(each) + "\n      fi\n      ;;\n";
  }
  std::string text(before);
  replace(text, "SUBCOMMANDS", names);
  return text + cases + "  esac\n" + std::string(after);
}

}  // namespace relent::cli
