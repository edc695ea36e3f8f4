// SPDX-License-Identifier: Apache-2.0
// Gives the whole of our stdin to each attempt. A file is wound back; a pipe or socket is read as far as
// attempts take it, kept, and given again through a pipe of the attempt's own. A terminal or device is
// passed through. Layer 5.
#pragma once

#include "kept_bytes.hpp"
#include "process.hpp"

#include <poll.h>
#include <sys/types.h>
#include <cstdint>
#include <string>
#include <vector>

namespace relent::cli {

/// One thread. For each attempt: begin, started, any number of watch and handle, end.
class stdin_feeder {
 public:
  /// Keeps no more than `limit` bytes.
  explicit stdin_feeder(std::uint64_t limit);
  ~stdin_feeder() { end(); }
  stdin_feeder(const stdin_feeder&) = delete;
  stdin_feeder& operator=(const stdin_feeder&) = delete;

  /// Whether it has something to do while attempts run.
  bool feeds() const noexcept { return kind_ == kind::stream; }

  /// Whether it is a file, which each attempt has to find as the first one did.
  bool rewinds() const noexcept { return kind_ == kind::file; }

  /// Returns 0, with the attempt's stdin in `descriptor` (-1: ours), or errno.
  int begin(int& descriptor);
  void started();
  void watch(std::vector<pollfd>& set) const;
  void handle(const pollfd& ready);
  void end();

  /// Why no further attempt can get what this one got; empty if it can.
  std::string objection() const;

  /// Our stdin failed, in so many words; empty if it did not.
  std::string failure() const;

 private:
  enum class kind : std::uint8_t { passed_on, file, stream };

  bool everything_given() const noexcept { return given_ == kept_.size() && direct_.empty(); }
  void read_more();
  void give_more();
  void stop_giving();

  kind kind_ = kind::passed_on;
  off_t beginning_ = 0;
  std::uint64_t limit_;

  kept_bytes kept_;
  std::string direct_;  // read, but not kept: to be given to this attempt and no other
  bool direct_given_ = false;
  int not_kept_error_ = 0;  // why it was not kept; 0: the limit
  bool at_end_ = false;
  int read_error_ = 0;

  int source_ = -1;          // the attempt's end of its pipe, until it has it
  int sink_ = -1;            // our end
  std::uint64_t given_ = 0;  // of what is kept, to this attempt
};

}  // namespace relent::cli
