// SPDX-License-Identifier: Apache-2.0
// Looks for patterns in the lines of a stream that comes in pieces of any size. What a find means is not
// known here. Layer 5.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// POSIX extended regular expressions, searched for within each line, on bytes. '\n' ends a line, and a '\r'
/// before it does not belong to it. Of a line longer than `longest_piece`, pieces are looked at that overlap
/// by `overlap`: a find longer than that may be missed there. One thread.
class line_watch {
 public:
  static constexpr std::size_t longest_piece = std::size_t{1} << 20U;
  static constexpr std::size_t overlap = std::size_t{1} << 16U;

  line_watch();
  ~line_watch();
  line_watch(const line_watch&) = delete;
  line_watch& operator=(const line_watch&) = delete;

  /// Adds a pattern; they are numbered from 0. Returns what is wrong with it, empty if nothing is; one that
  /// is wrong is not added.
  std::string add(const std::string& pattern);

  /// The next bytes of the stream.
  void feed(std::string_view bytes);
  /// The stream has ended: looks at a last line that no '\n' ended.
  void finish();
  /// Forgets what was found and begins a new stream.
  void reset();

  bool matched(std::size_t pattern) const noexcept { return found_[pattern]; }
  /// Whether any pattern was found.
  bool matched() const noexcept { return left_ < patterns_.size(); }

 private:
  struct watched;

  void take_piece(std::string_view& bytes);
  void look(std::string_view text, bool first, bool last);

  std::vector<std::unique_ptr<watched>> patterns_;
  std::vector<bool> found_;
  std::size_t left_ = 0;    ///< patterns not yet found
  std::string line_;        ///< the present line, as far as it came
  bool continued_ = false;  ///< line_ is not the beginning of it
};

}  // namespace relent::cli
