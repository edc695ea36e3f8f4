// SPDX-License-Identifier: Apache-2.0
// Bytes that are kept to be read again: in memory up to a limit, then in a file without a name. Layer 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace relent::cli {

/// One thread.
class kept_bytes {
 public:
  static constexpr std::size_t memory_limit = std::size_t{1} << 20U;

  kept_bytes() = default;
  ~kept_bytes() { clear(); }
  kept_bytes(const kept_bytes&) = delete;
  kept_bytes& operator=(const kept_bytes&) = delete;

  /// Appends all of it and returns 0, or nothing of it and returns the errno that stood against it. What is
  /// kept already stays.
  int append(std::string_view bytes);

  /// Fills `space` with what is kept from `offset` on; how much it was. 0 at the end, -1 with errno set.
  std::ptrdiff_t read_at(std::uint64_t offset, std::span<char> space) const;

  std::uint64_t size() const noexcept { return size_; }

  /// Keeps nothing any more.
  void clear() noexcept;

 private:
  int move_to_file();
  int write_to_file(std::string_view bytes, std::uint64_t offset) const;

  std::string memory_;
  std::uint64_t size_ = 0;
  int file_ = -1;
};

}  // namespace relent::cli
