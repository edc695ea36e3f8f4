// SPDX-License-Identifier: Apache-2.0
// Descriptors: owned ones, pipes, and those that other processes use as well, which are read and written
// here without waiting and without touching their flags. What the bytes are for is not known here. Layer 5.
#pragma once

#include <poll.h>
#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace relent::cli {

/// Owns a descriptor and closes it at its end.
class owned_descriptor {
 public:
  owned_descriptor() = default;
  explicit owned_descriptor(int number) noexcept : number_(number) {}
  owned_descriptor(owned_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  owned_descriptor& operator=(owned_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~owned_descriptor() { close(); }

  bool is_open() const noexcept { return number_ >= 0; }
  int get() const noexcept { return number_; }  ///< -1 if closed
  void close() noexcept;

 private:
  int number_ = -1;
};

/// The end that this process keeps; the other end is a command's, and waits as pipes do.
enum class our_end : std::uint8_t { read, write };

/// Makes a pipe that no command inherits by itself. Reading from our end, or writing to it, never waits.
/// Returns 0, or an errno with nothing opened.
int make_pipe(our_end which, owned_descriptor& ours, owned_descriptor& theirs) noexcept;

/// How many bytes lie unread in a pipe, by either of its ends.
std::size_t unread_in(int pipe) noexcept;

/// What poll said of a descriptor; 0 if it was not asked.
short events_of(std::span<const pollfd> polled, int number) noexcept;

/// A descriptor that other processes use as well, so that O_NONBLOCK on it would reach them. To be polled by
/// its own number. One thread.
class shared_descriptor {
 public:
  /// For reading or for writing, not both. -1: none.
  shared_descriptor(int number, our_end which) noexcept;

  int number() const noexcept { return number_; }
  /// Whether it is a pipe, named or not.
  bool is_pipe() const noexcept { return is_pipe_; }

  /// As read(2), with EAGAIN where it would wait. To be called after poll said that it is readable: where
  /// nothing better is at hand that is what is relied on.
  ssize_t read(std::span<char> bytes) noexcept;
  /// As write(2), with EAGAIN where it would wait; it often takes a part only. A file on disk is waited for.
  ssize_t write(std::string_view bytes) noexcept;

 private:
  enum class way : std::uint8_t {
    plain,   ///< a file or a device that does not make one wait
    socket,  ///< it has calls that do not wait
    own,     ///< through a second opening of it, which is ours alone
    pieces,  ///< so little at a time that there is room for it once poll says so
  };

  int number_;
  way way_ = way::plain;
  bool is_pipe_ = false;
  std::size_t piece_ = 0;
  owned_descriptor own_;
};

}  // namespace relent::cli
