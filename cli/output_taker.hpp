// SPDX-License-Identifier: Apache-2.0
// What becomes of a command's stdout or stderr: it is ours, or passes through here on its way to ours, or is
// held back until it is known whether it is wanted. Who wants it is decided elsewhere. Layer 5.
#pragma once

#include "descriptor.hpp"
#include "line_watch.hpp"
#include "spool.hpp"

#include <poll.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

enum class output_way : std::uint8_t {
  pass,  ///< the command has our descriptor
  tee,   ///< it comes through here and goes on at once
  hold,  ///< it is kept until release_to or discard
};

/// One thread. For each attempt, in this order: begin_attempt, started, any number of add_to and handle,
/// end_attempt. As long as pending(), add_to and handle are to be called, with or without an attempt.
/// SIGPIPE and SIGXFSZ must be ignored.
class output_taker {
 public:
  /// `own`: our stdout or stderr. `watch` sees all that comes by, begins anew with each attempt, and must
  /// outlive this; null: none. It sees nothing in the way `pass`.
  output_taker(int own, output_way way, line_watch* watch = nullptr);

  /// Whether it is anything but passed.
  bool is_needed() const noexcept { return way_ != output_way::pass; }

  /// Returns 0, or the errno that stood against it.
  int begin_attempt() noexcept;
  /// The command's descriptor until started(); -1: it has ours.
  int child_end() const noexcept { return theirs_.get(); }
  void started() noexcept;
  void add_to(std::vector<pollfd>& set) const;
  /// Moves along at most a mebibyte. `ready` may hold other descriptors too.
  void handle(std::span<const pollfd> ready);
  /// Takes what lies in the pipe by now, without waiting for those who still hold it.
  void end_attempt();

  /// Begins to write what is held to our stdout (1), stderr (2) or whichever, and forgets it.
  void release_to(int descriptor);
  /// Forgets what is held, and what is still to be written of a release.
  void discard() noexcept;
  bool pending() const noexcept { return is_releasing_ || !queue_.empty(); }

  /// Whether held output had to be let out before it was asked for, since it could not be kept: it is final.
  bool committed() const noexcept { return commit_error_ != 0; }
  std::string why_committed() const;

  /// The errno with which our own descriptor refused what came for it; 0 if it did not. From then on the
  /// command's pipe is closed, so that it learns of it as it would from our descriptor.
  int lost() const noexcept { return lost_; }

 private:
  bool goes_on() const noexcept { return way_ == output_way::tee || committed(); }
  ssize_t take(std::size_t most);
  void accept(std::string_view bytes);
  void pump();
  std::size_t pump_piece();
  void lose(int error) noexcept;
  char* buffer();

  int own_;
  output_way way_;
  line_watch* watch_;
  owned_descriptor ours_;    ///< we read
  owned_descriptor theirs_;  ///< the command writes

  shared_descriptor target_;
  spool held_;
  bool is_releasing_ = false;
  std::uint64_t released_ = 0;   ///< of what is held
  std::string queue_;            ///< to be written after that
  std::size_t queue_begin_ = 0;  ///< what of it was written
  std::unique_ptr<char[]> buffer_;

  int commit_error_ = 0;
  int lost_ = 0;
};

}  // namespace relent::cli
