// SPDX-License-Identifier: Apache-2.0
// What a request sends: bytes that can be read again for every attempt, or can not. Target relent::curl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace relent::curl {

/// A request's body. Serves one call at a time.
class body_source {
 public:
  body_source() = default;
  body_source(const body_source&) = delete;
  body_source& operator=(const body_source&) = delete;
  virtual ~body_source() = default;

  /// How many bytes it has in all; nothing if that is not known before its end (it is then sent in chunks).
  virtual std::optional<std::uint64_t> size() const = 0;
  /// Up to `most` further bytes, at least one; 0 at the end. What it throws ends the call, which throws it. While it
  /// blocks, neither deadline nor stop token are felt.
  virtual std::size_t read(char* to, std::size_t most) = 0;
  /// Whether rewind() can work. If not, the call is not retried once a byte was taken.
  virtual bool can_rewind() const = 0;
  /// Goes back to the first byte; false if that is not possible (any more).
  virtual bool rewind() = 0;
};

using body = std::shared_ptr<body_source>;

/// The bytes themselves.
body memory_body(std::string bytes);
/// Bytes that somebody else keeps, who must outlive the call.
body borrowed_body(std::string_view bytes);
/// A file, read anew for each attempt, as long as it was when opened; one that became shorter ends the call. A
/// pipe or device cannot be rewound. Throws std::system_error if it cannot be opened.
body file_body(const std::string& path);
/// A descriptor, not closed; as file_body, from where it stands.
body descriptor_body(int descriptor);
/// Whatever `read` yields (see body_source::read); `rewind`, if given, goes back to the first byte.
body stream_body(std::function<std::size_t(char* to, std::size_t most)> read,
                 std::function<bool()> rewind = {}, std::optional<std::uint64_t> size = std::nullopt);

}  // namespace relent::curl
