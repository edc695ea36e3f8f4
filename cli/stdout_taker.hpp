// SPDX-License-Identifier: Apache-2.0
// Takes what attempts write to stdout or stderr, where it cannot simply be ours: because patterns are looked
// for in it, or because it is held back until it is known whether the attempt was the last. Layer 5.
#pragma once

#include "kept_bytes.hpp"
#include "line_patterns.hpp"

#include <poll.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

enum class taking : std::uint8_t {
  nothing,     ///< the attempt's stream is ours
  and_passes,  ///< it goes on to ours at once
  and_holds,   ///< it is kept until released or dropped
};

/// One stream. One thread. For each attempt: begin, started, any number of watch and handle, end. Our own
/// descriptors are shared with others, so they never become non-blocking: they are written only when poll
/// says so, and then no more than is sure not to block.
class stdout_taker {
 public:
  stdout_taker(int target, taking how, std::vector<pattern*> patterns)
      : own_(target), target_(target), how_(how), watch_(std::move(patterns)) {}
  ~stdout_taker() { end(); }
  stdout_taker(const stdout_taker&) = delete;
  stdout_taker& operator=(const stdout_taker&) = delete;

  bool takes() const noexcept { return how_ != taking::nothing; }

  /// Returns 0, with the attempt's end in `descriptor` (-1: ours), or errno.
  int begin(int& descriptor);
  void started();
  void watch(std::vector<pollfd>& set) const;
  void handle(const pollfd& ready);
  /// Takes what is in the pipe, without waiting for those that may still hold it, and closes it.
  void end();

  /// Lets what is held go to a descriptor, and what comes behind it too, until the next begin.
  void release_to(int target);
  /// Forgets what is held.
  void drop() noexcept;
  /// Whether something is still to be written.
  bool pending() const noexcept;

  /// Why what an attempt wrote could not be held back; empty if it could.
  std::string objection() const;
  /// Why something could not be written to our own descriptor; empty if all was.
  std::string loss() const;

 private:
  void read_more();
  std::size_t read_piece(std::span<char> space);
  void take(std::string_view bytes);
  void write_more();
  void lose(int error);
  bool passes_on() const noexcept { return how_ == taking::and_passes || released_; }

  int own_;     // ours that corresponds to it
  int target_;  // where it goes for now
  taking how_;
  line_watch watch_;

  kept_bytes held_;
  std::uint64_t written_ = 0;  // of what is held
  bool released_ = false;
  std::string passing_;  // goes behind what is held
  int not_held_error_ = 0;
  int loss_error_ = 0;

  int source_ = -1;  // our end of the pipe
  int sink_ = -1;    // the attempt's end, until it has it
};

}  // namespace relent::cli
