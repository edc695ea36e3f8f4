// SPDX-License-Identifier: Apache-2.0
// Bytes kept to be read again, from the front or from anywhere: in memory up to a limit, from there on in a
// file that has no name. Whose bytes they are is not known here. Layer 5.
#pragma once

#include "descriptor.hpp"

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace relent::cli {

/// The folder for temporary files: TMPDIR, or /tmp.
std::string temporary_folder();

/// One thread.
class spool {
 public:
  static constexpr std::size_t default_memory = std::size_t{1} << 20U;

  /// `memory`: how many bytes it holds before it makes a file.
  explicit spool(std::size_t memory = default_memory) noexcept : memory_limit_(memory) {}

  /// Adds all of the bytes, or none, with errno telling why; then it stays as it was and can be gone on with.
  bool append(std::string_view bytes) noexcept;

  /// Reads from an offset as many bytes as there are and fit. Returns how many; -1 with errno if the file
  /// cannot be read.
  ssize_t read_at(std::uint64_t offset, std::span<char> bytes) const noexcept;

  std::uint64_t size() const noexcept { return size_; }

  /// Forgets all of it and gives the disk's room back.
  void clear() noexcept;

 private:
  bool append_to_file(std::string_view bytes, std::uint64_t offset) noexcept;

  std::size_t memory_limit_;
  std::uint64_t size_ = 0;
  std::unique_ptr<char[]> memory_;  ///< the first memory_limit_ bytes
  owned_descriptor file_;           ///< what follows them
};

}  // namespace relent::cli
