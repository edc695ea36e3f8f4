// SPDX-License-Identifier: Apache-2.0
// Looks for patterns in the lines of a stream as they come. Layer 5.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// A POSIX extended regular expression, and whether it was found. One thread.
class pattern {
 public:
  /// `expression` must compile (regex_error_in).
  explicit pattern(const std::string& expression);
  ~pattern();
  pattern(const pattern&) = delete;
  pattern& operator=(const pattern&) = delete;

  void look_at(std::string_view line);
  bool found() const noexcept { return found_; }
  void forget() noexcept { found_ = false; }

 private:
  struct compiled;
  std::unique_ptr<compiled> compiled_;
  bool found_ = false;
};

/// Cuts a stream into lines for patterns. A line longer than 1 MiB is looked at in pieces that overlap by
/// 4 KiB. One thread; the patterns may be shared with the watch of another stream.
class line_watch {
 public:
  explicit line_watch(std::vector<pattern*> patterns) : patterns_(std::move(patterns)) {}

  void take(std::string_view bytes);
  /// What came last counts as a line though nothing ended it.
  void end();

 private:
  bool all_found() const noexcept;
  void look_at(std::string_view line);
  void keep(std::string_view part);

  std::vector<pattern*> patterns_;
  std::string begun_;  // a line whose end has not come yet
};

}  // namespace relent::cli
