// SPDX-License-Identifier: Apache-2.0
// The table of libcurl's error codes and the function that reads it.
#include "curl_fault.hpp"

#include <relent/classify.hpp>
#include <relent/http/status.hpp>

#include <cstdint>

namespace relent::curl::detail {
namespace {

/// No code by itself proves that nothing was sent: libcurl may have failed to connect for the repetition of a request
/// that it had sent over another connection before.
enum class effect_rule : std::uint8_t {
  by_phase,  // none as long as nothing was written
  possible,
};

struct code_row {
  CURLcode code;
  fault_kind kind;
  effect_rule effect;
  bool local = false;  // our own side; says nothing about the server
};

using enum fault_kind;

/// Codes of HTTP transfers. What is not here is permanent.
constexpr code_row codes[] = {
    {CURLE_UNSUPPORTED_PROTOCOL, rejected, effect_rule::by_phase, true},
    {CURLE_FAILED_INIT, overloaded, effect_rule::by_phase, true},
    {CURLE_URL_MALFORMAT, rejected, effect_rule::by_phase, true},
    {CURLE_NOT_BUILT_IN, rejected, effect_rule::by_phase, true},
    {CURLE_COULDNT_RESOLVE_PROXY, unreachable, effect_rule::by_phase},
    {CURLE_COULDNT_RESOLVE_HOST, unreachable, effect_rule::by_phase},
    {CURLE_COULDNT_CONNECT, unreachable, effect_rule::by_phase},
    {CURLE_WEIRD_SERVER_REPLY, unknown, effect_rule::by_phase},
    {CURLE_HTTP2, reset, effect_rule::by_phase},
    {CURLE_PARTIAL_FILE, reset, effect_rule::possible},
    {CURLE_WRITE_ERROR, rejected, effect_rule::possible, true},
    {CURLE_UPLOAD_FAILED, rejected, effect_rule::possible},
    {CURLE_READ_ERROR, rejected, effect_rule::by_phase, true},
    {CURLE_OUT_OF_MEMORY, overloaded, effect_rule::by_phase, true},
    {CURLE_OPERATION_TIMEDOUT, timeout, effect_rule::by_phase},
    {CURLE_RANGE_ERROR, rejected, effect_rule::possible},
    {CURLE_SSL_CONNECT_ERROR, unreachable, effect_rule::by_phase},
    {CURLE_BAD_DOWNLOAD_RESUME, rejected, effect_rule::possible},
    {CURLE_ABORTED_BY_CALLBACK, cancelled, effect_rule::by_phase},
    {CURLE_BAD_FUNCTION_ARGUMENT, rejected, effect_rule::by_phase, true},
    {CURLE_INTERFACE_FAILED, rejected, effect_rule::by_phase, true},
    {CURLE_TOO_MANY_REDIRECTS, rejected, effect_rule::possible},
    {CURLE_GOT_NOTHING, reset, effect_rule::by_phase},
    {CURLE_SEND_ERROR, reset, effect_rule::by_phase},
    {CURLE_RECV_ERROR, reset, effect_rule::by_phase},
    {CURLE_SSL_CERTPROBLEM, rejected, effect_rule::by_phase, true},
    {CURLE_SSL_CIPHER, rejected, effect_rule::by_phase, true},
    {CURLE_PEER_FAILED_VERIFICATION, rejected, effect_rule::by_phase},
    {CURLE_BAD_CONTENT_ENCODING, rejected, effect_rule::possible},
    {CURLE_FILESIZE_EXCEEDED, rejected, effect_rule::possible, true},
    {CURLE_SEND_FAIL_REWIND, reset, effect_rule::by_phase},
    {CURLE_LOGIN_DENIED, rejected, effect_rule::by_phase},
    {CURLE_SSL_CACERT_BADFILE, rejected, effect_rule::by_phase, true},
    {CURLE_SSL_SHUTDOWN_FAILED, reset, effect_rule::by_phase},
    {CURLE_SSL_CRL_BADFILE, rejected, effect_rule::by_phase, true},
    {CURLE_SSL_ISSUER_ERROR, rejected, effect_rule::by_phase},
    {CURLE_SSL_PINNEDPUBKEYNOTMATCH, rejected, effect_rule::by_phase},
    {CURLE_SSL_INVALIDCERTSTATUS, rejected, effect_rule::by_phase},
    {CURLE_HTTP2_STREAM, reset, effect_rule::by_phase},
    {CURLE_AUTH_ERROR, rejected, effect_rule::by_phase},
    {CURLE_HTTP3, reset, effect_rule::by_phase},
    {CURLE_QUIC_CONNECT_ERROR, unreachable, effect_rule::by_phase},
    {CURLE_PROXY, unreachable, effect_rule::by_phase},
    {CURLE_SSL_CLIENTCERT, rejected, effect_rule::possible},
};

constexpr effect effect_by(effect_rule rule, phase reached) noexcept {
  return rule == effect_rule::possible ? effect::possible : effect_in(reached);
}

fault fault_of_code(const failed_transfer& transfer) noexcept {
  for (const code_row& row : codes)
    if (row.code == transfer.code)
      return {.kind = row.kind, .effect = effect_by(row.effect, transfer.reached), .local = row.local};
  return {.kind = rejected, .effect = effect_in(transfer.reached)};
}

/// Connecting fails for reasons that only the system knows: a firewall's refusal is permanent.
fault fault_of_connecting(const failed_transfer& transfer) noexcept {
  fault said = classify_errno(transfer.os_errno, phase::connect);
  if (transfer.os_errno == 0 || said.kind == unknown) said = {.kind = unreachable};
  said.effect = effect_in(transfer.reached);
  return said;
}

}  // namespace

fault after_redirect(fault what, bool redirected) noexcept {
  if (redirected) what.effect = effect::possible;
  return what;
}

fault fault_of(const failed_transfer& transfer) noexcept {
  fault found =
      transfer.code == CURLE_COULDNT_CONNECT ? fault_of_connecting(transfer) : fault_of_code(transfer);
  if (transfer.proxy_status >= 400 && transfer.reached <= phase::connected) {
    if (const auto said = http::fault_of_status(transfer.proxy_status)) found = *said;
    found.effect = effect::none;  // the proxy answered, the server was not asked
  }
  if (transfer.code == CURLE_SEND_FAIL_REWIND) found.replayable = false;
  return after_redirect(found, transfer.redirected);
}

}  // namespace relent::curl::detail
