// SPDX-License-Identifier: Apache-2.0
// What there is to say about a subcommand, or about a kind of file: said once, in cli/pages. The help is made
// of it here, the man page in man_page.hpp, the completion in completion.hpp. Layer 5.
#pragma once

#include "flags.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// Where a part of a page is shown.
enum class shown : std::uint8_t { everywhere, man_only };

/// Paragraphs under a heading. The markup, of this and of all other texts: an empty line ends a paragraph; a
/// paragraph that begins with two blanks is kept line by line, for examples; one with " :: " in its first
/// line is a list of terms, each "term :: what it means", which a line without " :: " goes on with; `these`
/// marks surround what is typed as it stands, and `relent-run(1)` a man page.
struct page_section {
  std::string heading;  ///< "Exit code"; empty: goes on with what is before it
  std::string text;
  shown where = shown::everywhere;
};

/// All about one subcommand.
struct page {
  std::string_view name;                   ///< "relent-run"
  int section = 1;                         ///< of the manual: 1 a command, 5 a file
  std::string_view summary;                ///< "run a command, again while it fails"; for NAME, no full stop
  std::vector<std::string_view> synopsis;  ///< "relent run [FLAGS] -- COMMAND [ARGUMENT...]"
  std::string lead;                        ///< the first paragraph
  std::string examples;                    ///< markup
  std::string description;                 ///< markup: what follows the usage
  std::string before_flags;                ///< "D is a length of time: …"
  std::vector<flag_group> groups;
  std::vector<page_section> sections;      ///< in the man page after the flags
  std::vector<std::string_view> see_also;  ///< "relent-explain(1)"
  completes operand = completes::nothing;  ///< what the shell offers where no flag stands
  std::string_view operand_words{};        ///< for completes::words
};

/// "run" of relent-run(1); empty for relent(1).
std::string_view subcommand_of(const page& about);

/// The answer to --help: plain text, at most 80 columns.
std::string help_text(const page& about);

}  // namespace relent::cli
