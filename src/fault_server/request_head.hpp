// SPDX-License-Identifier: Apache-2.0
// The head of a request as the walks need it: who it is (its key), and what its answer depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relent::testing::faults {

struct request_head {
  std::string method;
  std::string target;
  bool keep_alive = true;
  std::vector<std::pair<std::string, std::string>> headers = {};

  /// The value of the first header of that name, whatever the case of its letters; nothing if there is none.
  std::optional<std::string_view> header(std::string_view name) const noexcept;
  /// The target without its query, also where it is a whole URL.
  std::string_view path() const noexcept;
  /// The Idempotency-Key without quotes; nothing if there is none, or an empty one.
  std::optional<std::string> idempotency_key() const;
  /// The Idempotency-Key, else the query's `key` (decoded), else the path.
  std::string key() const;
};

/// A range of bytes of a body: [first, end).
struct byte_range {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

/// What a Range header asks for (RFC 9110 section 14.2).
struct range_request {
  enum class verdict : std::uint8_t {
    whole,          ///< no Range, one that is not understood, or several
    part,           ///< `range`
    unsatisfiable,  ///< it begins behind the end
  };
  verdict what = verdict::whole;
  byte_range range = {};
};

/// Reads `bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-COUNT` against a body of that size.
range_request read_range(std::string_view text, std::uint64_t size) noexcept;

/// FNV-1a over bytes that come in pieces: tells whether two bodies are the same, not a defence against anybody.
class fingerprint {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace relent::testing::faults
