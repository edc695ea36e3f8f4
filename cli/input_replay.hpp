// SPDX-License-Identifier: Apache-2.0
// Gives every attempt of a command the same stdin from its first byte, also when it comes through a pipe and
// can be read only once. Whether there is a further attempt is not decided here; whether there may be is
// told. Layer 5.
#pragma once

#include "descriptor.hpp"
#include "spool.hpp"

#include <poll.h>
#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// A file is wound back before each attempt. A pipe or a stream socket is kept as it is read and given again
/// through a pipe for each attempt. All else (a terminal, /dev/null, a closed stdin) the command simply has.
///
/// Of a pipe no more is read than the command wants: its first `careful_size` bytes are only shown to the
/// command, and taken once it took them, so that what it leaves is there for the next reader ("while read").
/// After that we are ahead by what fits into a pipe.
///
/// One thread. For each attempt, in this order: begin_attempt, started, any number of add_to and handle,
/// end_attempt. SIGPIPE and SIGXFSZ must be ignored.
class input_replay {
 public:
  static constexpr std::uint64_t careful_size = std::uint64_t{1} << 16U;

  /// `limit`: how many bytes are kept at most.
  explicit input_replay(std::uint64_t limit, int source = 0);

  /// Whether there is anything to be done for attempts.
  bool is_needed() const noexcept { return way_ != way::inherit; }

  /// Makes ready an attempt's stdin. Returns 0, or the errno that stood against it; ENODATA if there are
  /// bytes that an earlier attempt had and that are gone.
  int begin_attempt();
  /// The command's stdin until started(); -1: it has ours.
  int child_end() const noexcept { return theirs_.get(); }
  void started() noexcept { theirs_.close(); }
  void add_to(std::vector<pollfd>& set) const;
  /// Moves along at most a chunk. `ready` may hold other descriptors too.
  void handle(std::span<const pollfd> ready);
  void end_attempt();

  /// Whether another attempt would get all that the earlier ones got.
  bool can_repeat() const noexcept { return !used_up_ && broken_ == 0; }
  /// Why not, as in "the command cannot be repeated: …".
  std::string why_not() const;

  /// The present attempt cannot be given what an earlier one had, since it cannot be read back. It would wait
  /// for ever: end it, with why_not() as the reason.
  bool is_broken() const noexcept { return broken_ != 0; }

  /// What went wrong in reading stdin, which to the command looked like its end; empty if nothing did.
  std::string trouble() const;

 private:
  enum class way : std::uint8_t { inherit, rewind, replay };

  bool is_careful() const noexcept;
  bool owes() const noexcept;
  void give();
  void take();
  bool show();
  void settle();
  void keep(std::string_view bytes);
  void write_on(std::string_view bytes);
  void stop_feeding();
  void reach_end(int error) noexcept;
  std::uint64_t taken() const noexcept { return rest_at_ + rest_size_; }
  char* buffer();

  std::uint64_t limit_;
  shared_descriptor source_;
  way way_ = way::inherit;
  bool was_begun_ = false;
  int file_ = -1;
  off_t origin_ = 0;  ///< where the file stood at first

  owned_descriptor ours_;     ///< we write
  owned_descriptor theirs_;   ///< the command reads
  std::uint64_t given_ = 0;   ///< to the present attempt
  std::size_t shown_ = 0;     ///< in the command's pipe, and still in ours
  bool awaits_room_ = false;  ///< the command's pipe is full, as far as we know
  bool may_show_ = false;
  std::size_t page_ = 0;  ///< how much can be shown at a time

  spool kept_;
  bool keeps_no_more_ = false;
  int keep_error_ = 0;  ///< 0: the limit was reached
  /// What came last and is not kept: rest_size_ bytes, beginning at rest_at_ of the whole.
  std::uint64_t rest_at_ = 0;
  std::size_t rest_size_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::unique_ptr<char[]> rest_;

  bool at_end_ = false;
  bool used_up_ = false;
  bool was_stolen_ = false;
  int broken_ = 0;
  int read_error_ = 0;
};

}  // namespace relent::cli
