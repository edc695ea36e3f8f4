// SPDX-License-Identifier: Apache-2.0
// The error codes of HTTP/2 and HTTP/3, and what GOAWAY leaves out.
#include <relent/http/protocol_signal.hpp>

namespace relent::http {
namespace {

using enum fault_kind;
using relent::effect;
constexpr std::optional<bool> by_kind = std::nullopt;
constexpr std::optional<bool> permanent = false;

constexpr std::string_view broken = "one side breaks the protocol, and will again";
constexpr std::string_view peers_own = "the peer's own failure";
constexpr std::string_view stopped = "no longer wanted, which proves nothing";
constexpr std::string_view rejects = "promised: nothing of it was processed";
constexpr std::string_view too_much = "we are too much for the peer";
constexpr std::string_view tunnel = "the connection of a CONNECT was lost";
constexpr std::string_view no_longer = "an orderly end, yet without an answer";

constexpr error_code_row http2[] = {
    {0x00, "NO_ERROR", reset, effect::possible, by_kind, no_longer},
    {0x01, "PROTOCOL_ERROR", reset, effect::possible, permanent, broken},
    {0x02, "INTERNAL_ERROR", reset, effect::possible, by_kind, peers_own},
    {0x03, "FLOW_CONTROL_ERROR", reset, effect::possible, permanent, broken},
    {0x04, "SETTINGS_TIMEOUT", reset, effect::possible, by_kind, "a settings frame was not acknowledged"},
    {0x05, "STREAM_CLOSED", reset, effect::possible, by_kind, "a frame came after the end"},
    {0x06, "FRAME_SIZE_ERROR", reset, effect::possible, permanent, broken},
    {0x07, "REFUSED_STREAM", not_processed, effect::none, by_kind, rejects},
    {0x08, "CANCEL", reset, effect::possible, by_kind, stopped},
    {0x09, "COMPRESSION_ERROR", reset, effect::possible, permanent, broken},
    {0x0a, "CONNECT_ERROR", reset, effect::possible, by_kind, tunnel},
    {0x0b, "ENHANCE_YOUR_CALM", rate_limited, effect::possible, by_kind, too_much},
    {0x0c, "INADEQUATE_SECURITY", rejected, effect::possible, by_kind, "wants better TLS"},
    {0x0d, "HTTP_1_1_REQUIRED", reset, effect::possible, by_kind,
     "wants HTTP/1.1; that nothing was done is not promised"},
};

constexpr error_code_row http3[] = {
    {0x0100, "H3_NO_ERROR", reset, effect::possible, by_kind, no_longer},
    {0x0101, "H3_GENERAL_PROTOCOL_ERROR", reset, effect::possible, permanent, broken},
    {0x0102, "H3_INTERNAL_ERROR", reset, effect::possible, by_kind, peers_own},
    {0x0103, "H3_STREAM_CREATION_ERROR", reset, effect::possible, permanent, broken},
    {0x0104, "H3_CLOSED_CRITICAL_STREAM", reset, effect::possible, permanent, broken},
    {0x0105, "H3_FRAME_UNEXPECTED", reset, effect::possible, permanent, broken},
    {0x0106, "H3_FRAME_ERROR", reset, effect::possible, permanent, broken},
    {0x0107, "H3_EXCESSIVE_LOAD", rate_limited, effect::possible, by_kind, too_much},
    {0x0108, "H3_ID_ERROR", reset, effect::possible, permanent, broken},
    {0x0109, "H3_SETTINGS_ERROR", reset, effect::possible, permanent, broken},
    {0x010a, "H3_MISSING_SETTINGS", reset, effect::possible, permanent, broken},
    {0x010b, "H3_REQUEST_REJECTED", not_processed, effect::none, by_kind, rejects},
    {0x010c, "H3_REQUEST_CANCELLED", reset, effect::possible, by_kind, stopped},
    {0x010d, "H3_REQUEST_INCOMPLETE", reset, effect::possible, by_kind, "the request was cut short"},
    {0x010e, "H3_MESSAGE_ERROR", reset, effect::possible, permanent, broken},
    {0x010f, "H3_CONNECT_ERROR", reset, effect::possible, by_kind, tunnel},
    {0x0110, "H3_VERSION_FALLBACK", reset, effect::possible, by_kind,
     "wants HTTP/1.1; that nothing was done is not promised"},
    {0x0200, "QPACK_DECOMPRESSION_FAILED", reset, effect::possible, permanent, broken},
    {0x0201, "QPACK_ENCODER_STREAM_ERROR", reset, effect::possible, permanent, broken},
    {0x0202, "QPACK_DECODER_STREAM_ERROR", reset, effect::possible, permanent, broken},
};

// What an unknown code counts as.
constexpr const error_code_row& http2_unknown = http2[2];
constexpr const error_code_row& http3_unknown = http3[0];
static_assert(http2_unknown.name == "INTERNAL_ERROR" && http3_unknown.name == "H3_NO_ERROR");

constexpr goaway_row goaways[] = {
    {"HTTP/2", false, "RFC 9113 sections 6.8 and 8.7: streams above the last stream id"},
    {"HTTP/3", true, "RFC 9114 section 5.2: streams from the id on"},
};

fault fault_of(const error_code_row& row) noexcept {
  fault f;
  f.kind = row.kind;
  f.effect = row.effect;
  f.transient = row.transient;
  return f;
}

fault fault_of(std::span<const error_code_row> rows, std::uint64_t code,
               const error_code_row& unknown) noexcept {
  for (const error_code_row& row : rows)
    if (row.code == code) return fault_of(row);
  return fault_of(unknown);
}

fault fault_of_close(bool proven_not_processed) noexcept {
  fault f;
  f.kind = proven_not_processed ? not_processed : reset;
  f.effect = proven_not_processed ? effect::none : effect::possible;
  return f;
}

bool is_rejected(const goaway_row& rule, std::uint64_t stream, std::uint64_t named) noexcept {
  return rule.rejects_its_own_id ? stream >= named : stream > named;
}

}  // namespace

std::span<const error_code_row> http2_errors() noexcept { return http2; }
std::span<const error_code_row> http3_errors() noexcept { return http3; }
std::span<const goaway_row> goaway_rules() noexcept { return goaways; }

fault fault_of_http2_error(std::uint64_t code) noexcept { return fault_of(http2, code, http2_unknown); }

fault fault_of_http3_error(std::uint64_t code) noexcept { return fault_of(http3, code, http3_unknown); }

fault fault_of_http2_close(std::uint32_t stream_id, std::optional<std::uint32_t> last_stream_id) noexcept {
  constexpr std::uint32_t id_bits = 0x7fff'ffff;  // the bit above them is reserved and ignored
  return fault_of_close(last_stream_id && is_rejected(goaways[0], stream_id, *last_stream_id & id_bits));
}

fault fault_of_http3_close(std::uint64_t stream_id, std::optional<std::uint64_t> goaway_id) noexcept {
  return fault_of_close(goaway_id && is_rejected(goaways[1], stream_id, *goaway_id));
}

}  // namespace relent::http
