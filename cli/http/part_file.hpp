// SPDX-License-Identifier: Apache-2.0
// A file that is fetched in parts: FILE.relent-part holds what came, FILE.relent-part.state by what the server can
// tell that it is still the same. What the answers mean is in resumed_sink.hpp. Layer 5.
#pragma once

#include "cli/descriptor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relent::cli {

/// Of what the part is one.
struct part_state {
  std::string validator = {};  ///< for If-Range; empty: it cannot be gone on with
  std::optional<std::uint64_t> total = {};

  friend bool operator==(const part_state&, const part_state&) = default;
};

/// As it stands in the file, with the address's digest instead of the address, which may be secret.
std::string to_text(const part_state& state, std::string_view address);
/// Nothing if it is none, or of another address.
std::optional<part_state> parse_part_state(std::string_view text, std::string_view address);

/// In use by one process at a time. At its end a part that can be gone on with is kept, any other one removed.
class part_file {
 public:
  /// For the file at `path`, of this address. Throws std::system_error, with EWOULDBLOCK if another process is
  /// at it.
  part_file(const std::string& path, std::string address);
  ~part_file();
  part_file(const part_file&) = delete;
  part_file& operator=(const part_file&) = delete;

  std::uint64_t size() const noexcept { return size_; }
  const part_state& state() const noexcept { return state_; }
  bool can_go_on() const noexcept { return size_ > 0 && !state_.validator.empty(); }

  /// Empties it; what comes now is of this state. Throws std::system_error, as do the next two.
  void start_over(const part_state& state);
  void append(std::string_view bytes);
  /// It is whole: takes the place of the file.
  void finish();

 private:
  void write_state() const;
  void remove() noexcept;
  std::string part_path() const { return path_ + ".relent-part"; }
  std::string state_path() const { return path_ + ".relent-part.state"; }

  std::string path_;
  std::string address_;
  owned_descriptor file_;
  std::uint64_t size_ = 0;
  part_state state_;
  bool finished_ = false;
};

}  // namespace relent::cli
