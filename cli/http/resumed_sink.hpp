// SPDX-License-Identifier: Apache-2.0
// Fetches a file in parts: asks for what is missing, on the condition that it is still the same file, and adds the
// answer only if it fits. Layer 5.
#pragma once

#include "part_file.hpp"

#include <relent/curl/sink.hpp>
#include <relent/http/header_list.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace relent::cli {

/// The answer brought no wrong bytes, but the file is not whole either: the request has to be made anew. What for
/// is in what().
class ask_again : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One thread.
class resumed_sink final : public curl::body_sink {
 public:
  /// The part must outlive it.
  explicit resumed_sink(part_file& part) : part_(part) {}

  /// Adds Range and If-Range for what is missing, if there is a part to go on with.
  void ask_for_rest(http::header_list& headers);
  /// From which byte on was asked; nothing: for all of it.
  std::optional<std::uint64_t> asked_from() const noexcept { return asked_from_; }

  /// The server has none of the bytes asked for (416): whether the part was whole, and is the file now. Otherwise
  /// the part is dropped.
  bool was_whole(const http::header_list& headers);

  /// Throws ask_again if the answer does not fit; the part is then dropped.
  void begin(int status, const http::header_list& headers) override;
  void write(std::string_view bytes) override;
  /// Throws ask_again if the answer was less than was asked for.
  void complete() override;

 private:
  bool fits(const http::header_list& headers) const;

  part_file& part_;
  std::optional<std::uint64_t> asked_from_;
};

}  // namespace relent::cli
