// SPDX-License-Identifier: Apache-2.0
// The light markup of the pages (see page.hpp), cut into blocks; and plain text made of it. Layer 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// A term and what it means.
struct definition {
  std::string term;
  std::string meaning;
};

/// One block of a text.
struct block {
  enum class kind : std::uint8_t { paragraph, literal, definitions };
  kind is = kind::paragraph;
  std::string text;               ///< a paragraph on one line; a literal block as it stands, less two blanks
  std::vector<definition> terms;  ///< of a list
};

std::vector<block> blocks_of(std::string_view markup);

/// A part of a line: typed as it stands, or prose.
struct span_of_text {
  bool typed = false;
  std::string_view text;
};

/// A paragraph cut at its `marks`.
std::vector<span_of_text> spans_of(std::string_view paragraph);

/// Without its `marks`.
std::string without_marks(std::string_view paragraph);

/// Words filled into lines of at most `width` columns, each after the first begun by `indent` blanks and ended
/// by a newline. The first is taken to begin at column `column`.
std::string filled(std::string_view words, std::size_t column, std::size_t indent, std::size_t width = 80);

/// The markup as plain text, with an empty line between blocks and a newline at the end.
std::string plain_text(std::string_view markup);

}  // namespace relent::cli
