// SPDX-License-Identifier: Apache-2.0
// What comes through a pipe as the body of a request: kept as it is read, so that every attempt sends all of it.
// Layer 5.
#pragma once

#include "cli/descriptor.hpp"
#include "cli/spool.hpp"

#include <relent/curl/body.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace relent::cli {

/// Reads a pipe, or whatever else can be read once. One thread.
class piped_body final : public curl::body_source {
 public:
  /// Keeps up to `limit` bytes. `check` is called while there is nothing to read, some ten times a second, and
  /// throws to end the reading.
  piped_body(owned_descriptor source, std::uint64_t limit, std::function<void()> check);
  /// stdin.
  piped_body(std::uint64_t limit, std::function<void()> check);

  /// Reads up to the end, so that the size is known, or to the limit.
  void read_first();

  std::optional<std::uint64_t> size() const override;
  std::size_t read(char* to, std::size_t most) override;
  bool can_rewind() const override { return !lost_; }
  bool rewind() override;

  /// Why it cannot be sent again; empty if it can.
  std::string why_not() const;

 private:
  std::size_t take(char* to, std::size_t most);
  void keep(const char* bytes, std::size_t size);
  void wait() const;

  owned_descriptor owned_;
  int source_;
  std::uint64_t limit_;
  std::function<void()> check_;
  spool kept_;
  std::uint64_t place_ = 0;  ///< of the attempt in hand, among what is kept
  bool at_end_ = false;
  bool lost_ = false;   ///< bytes were handed over that are not kept
  int keep_error_ = 0;  ///< why not; 0: the limit
};

}  // namespace relent::cli
