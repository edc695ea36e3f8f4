// SPDX-License-Identifier: Apache-2.0
// Commands between the tool's own streams, for tests: what the supervisor does with them, without signals
// and time limits.
#pragma once

#include "cli/input_replay.hpp"
#include "cli/output_taker.hpp"

#include <sys/types.h>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace relent::test {

/// A pipe, or a pair of connected sockets, both ends ours.
struct channel {
  static channel of_pipe();
  static channel of_sockets();
  cli::owned_descriptor read;
  cli::owned_descriptor write;
};

/// Runs `sh -c script` with the streams, null for none, until it ended. Returns its exit code, 128+n if it
/// died by signal n, -1 if it could not be run in time. `meanwhile` is called after each round.
int run_with(cli::input_replay* input, cli::output_taker* output, const std::string& script,
             const std::function<void()>& meanwhile = {});

/// Moves along what is pending, until nothing is. False if that takes too long.
bool flush(cli::output_taker& output);

/// Writes to a descriptor in pieces of random sizes, closes it, and can be waited for.
class background_writer {
 public:
  background_writer(cli::owned_descriptor to, std::string_view bytes, unsigned seed, std::size_t largest);
  ~background_writer();
  background_writer(const background_writer&) = delete;
  background_writer& operator=(const background_writer&) = delete;

 private:
  std::thread thread_;
};

/// Reads a descriptor to its end.
class consumer {
 public:
  explicit consumer(cli::owned_descriptor from);
  ~consumer();
  consumer(const consumer&) = delete;
  consumer& operator=(const consumer&) = delete;
  /// All that came. Waits for the end.
  const std::string& text();

 private:
  std::string text_;
  std::thread thread_;
};

std::string random_bytes(std::size_t size, unsigned seed);
std::size_t open_descriptors();

/// Runs in a process of its own, for it changes what a process has one of. Returns whether all was well.
bool apart(const std::function<bool()>& check);

}  // namespace relent::test
