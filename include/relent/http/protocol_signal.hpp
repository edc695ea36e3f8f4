// SPDX-License-Identifier: Apache-2.0
// What HTTP/2 and HTTP/3 say in place of a response: the codes with which a stream or a connection ends, and
// which requests a GOAWAY leaves out. How a library reports them is its driver's business. Target relent::http.
#pragma once

#include <relent/fault.hpp>
#include <relent/version.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace relent::http {

/// One error code and the fault that a request is which ends with it, unanswered.
struct error_code_row {
  std::uint64_t code;
  std::string_view name;
  fault_kind kind;
  relent::effect effect;          ///< none only where the protocol promises it
  std::optional<bool> transient;  ///< where what the kind says is wrong for this code
  std::string_view note;
};

/// The codes of RST_STREAM and GOAWAY (RFC 9113 section 7), by number. Thread-safe.
std::span<const error_code_row> http2_errors() noexcept;
/// The codes of HTTP/3 and QPACK (RFC 9114 section 8.1, RFC 9204 section 6), by number. Thread-safe.
std::span<const error_code_row> http3_errors() noexcept;

/// The fault of a request whose HTTP/2 stream was reset with this code. An unknown code counts as
/// INTERNAL_ERROR (RFC 9113 section 7). Thread-safe.
fault fault_of_http2_error(std::uint64_t code) noexcept;
/// The fault of a request whose HTTP/3 stream was reset with this code. An unknown code counts as
/// H3_NO_ERROR (RFC 9114 section 9). Thread-safe.
fault fault_of_http3_error(std::uint64_t code) noexcept;

/// Which requests a GOAWAY proves not to have been processed.
struct goaway_row {
  std::string_view protocol;
  bool rejects_its_own_id;  ///< HTTP/3: from the id in it on; HTTP/2: only what lies above
  std::string_view source;
};
/// Both rules, which differ by one. Thread-safe.
std::span<const goaway_row> goaway_rules() noexcept;

/// The fault of a request that was unanswered when its HTTP/2 connection ended. `last_stream_id` is that of the
/// last GOAWAY received, the greatest id at the beginning of a graceful end included; without a GOAWAY any
/// request may have been processed (RFC 9113 section 6.8). Thread-safe.
fault fault_of_http2_close(std::uint32_t stream_id, std::optional<std::uint32_t> last_stream_id) noexcept;
/// The same for HTTP/3, with the id of the last GOAWAY received (RFC 9114 sections 5.2 and 5.4). Thread-safe.
fault fault_of_http3_close(std::uint64_t stream_id, std::optional<std::uint64_t> goaway_id) noexcept;

}  // namespace relent::http
