// SPDX-License-Identifier: Apache-2.0
// One case for each flag with a value, one for each subcommand's flags.
#include "completion.hpp"

#include <string_view>

namespace relent::cli {
namespace {

constexpr std::string_view before =
    R"sh(# bash completion for relent; made by `relent generate completion bash`

_relent_words() {
  COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_relent_files() {
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}

# What stands behind "--" is a command of its own.
_relent_command() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
  else
    _relent_files "${COMP_WORDS[COMP_CWORD]}"
  fi
}

_relent() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} subcommand=${COMP_WORDS[1]-} i
  COMPREPLY=()
  for ((i = 2; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      [[ $subcommand == run ]] && _relent_command $((i + 1))
      return
    fi
  done
  if ((COMP_CWORD == 1)); then
    _relent_words "SUBCOMMANDS --help --version" "$word"
    return
  fi
  if [[ $word == = ]]; then word=; fi
  if [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
)sh";

constexpr std::string_view after = R"(}

complete -F _relent relent
)";

void replace(std::string& text, std::string_view what, std::string_view by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

/// The names of signals, as bash knows them, with the words that stand beside them.
std::string signal_words(std::string_view others) {
  std::string text = "$(compgen -A signal | grep '^SIG')";
  return others.empty() ? text : text + " " + std::string(others);
}

/// What completes a value; empty if nothing does.
std::string action_for(const flag& each) {
  switch (each.completion) {
    case completes::nothing: return {};
    case completes::file: return R"(_relent_files "$word")";
    case completes::words:
      if (each.words == "@profiles")
        return R"sh(_relent_words "$("${COMP_WORDS[0]}" generate profiles 2>/dev/null)" "$word")sh";
      return "_relent_words \"" + std::string(each.words) + "\" \"$word\"";
    case completes::signals: return "_relent_words \"" + signal_words(each.words) + "\" \"$word\"";
    case completes::command: return R"sh(COMPREPLY=($(compgen -c -- "$word")))sh";
  }
  return {};
}

/// After a flag that wants a value only that is offered, be it nothing.
std::string value_cases(const page& about) {
  std::string text;
  for (const flag_group& group : about.groups)
    for (const flag& each : group.flags) {
      if (each.value_name.empty()) continue;
      const std::string action = action_for(each);
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

std::string operands_of(const page& about) {
  switch (about.operand) {
    case completes::file: return R"(_relent_files "$word")";
    case completes::words: return "_relent_words \"" + std::string(about.operand_words) + "\" \"$word\"";
    case completes::command: return R"(_relent_words "--" "$word")";
    case completes::nothing:
    case completes::signals: break;
  }
  return ":";
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
