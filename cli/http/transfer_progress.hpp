// SPDX-License-Identifier: Apache-2.0
// On a terminal, a line that shows how far a transfer is, once it takes longer than a second. Layer 5.
#pragma once

#include <relent/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace relent::cli {

/// What is drawn: "[#######-------------] 36% of 27.2MB, 3.1MB/s, 6s left".
struct progress_numbers {
  std::uint64_t done = 0;
  std::optional<std::uint64_t> total = {};  ///< nothing: not known
  duration took = {};
  std::uint64_t began_at = 0;  ///< what was there before
};
std::string progress_text(const progress_numbers& numbers);

/// An amount in three digits: "27.2MB".
std::string short_size(std::uint64_t bytes);

/// To be used only where stderr is a terminal. One thread.
class transfer_progress {
 public:
  /// An attempt begins; so many bytes of the answer are there already.
  void begin(std::uint64_t already);
  /// So many bytes went each way; draws at most ten times a second.
  void advance(std::int64_t down_total, std::int64_t down, std::int64_t up_total, std::int64_t up);
  /// Takes the line away, so that something can be said.
  void clear();

 private:
  time_point began_{};
  time_point drawn_{};
  std::uint64_t already_ = 0;
  bool shown_ = false;
};

}  // namespace relent::cli
