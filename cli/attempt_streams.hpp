// SPDX-License-Identifier: Apache-2.0
// The files of an attempt that are not simply ours: what the supervisor must watch and move along while the
// attempt runs. What is done with the bytes is said in streams.hpp. Layer 5.
#pragma once

#include "process.hpp"

#include <poll.h>
#include <span>
#include <vector>

namespace relent::cli {

/// One thread. For each attempt, in this order: begin, started or not_started, any number of watch and
/// handle, end.
class attempt_streams {
 public:
  /// Names the files for the command. Returns 0, or the errno that stood against it.
  virtual int begin(command_surroundings& around) = 0;
  /// The command has its files; ours of them are to be closed. Called as well if it could not be started.
  virtual void started() = 0;
  /// Appends what to poll for now.
  virtual void watch(std::vector<pollfd>& set) = 0;
  /// Moves along what can be moved, by the same descriptors with their revents.
  virtual void handle(std::span<const pollfd> ready) = 0;
  /// The attempt is over: takes what it left in its pipes, without waiting, and closes them.
  virtual void end() = 0;
  /// Whether the attempt waits for input that cannot be had any more: it is to be ended.
  virtual bool broken() const = 0;
  /// Whether output is still to be written to our own stdout or stderr, once the attempt is over.
  virtual bool pending() const = 0;

 protected:
  attempt_streams() = default;
  attempt_streams(const attempt_streams&) = default;
  attempt_streams& operator=(const attempt_streams&) = default;
  ~attempt_streams() = default;
};

}  // namespace relent::cli
