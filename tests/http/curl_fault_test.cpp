// SPDX-License-Identifier: Apache-2.0
// What libcurl's error codes mean, row by row.
#include "src/curl/curl_fault.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <ostream>
#include <string>

namespace {

using namespace relent;
using curl::detail::fault_of;

struct row {
  const char* name;
  CURLcode code;
  fault_kind kind;
  effect before;  ///< nothing was written yet
  effect after;   ///< the request was written
  bool local = false;
  friend void PrintTo(const row& one, std::ostream* to) { *to << one.name; }
};

using enum fault_kind;
constexpr effect none = effect::none;
constexpr effect possible = effect::possible;

constexpr row rows[] = {
    {"unsupported_protocol", CURLE_UNSUPPORTED_PROTOCOL, rejected, none, possible, true},
    {"malformed_address", CURLE_URL_MALFORMAT, rejected, none, possible, true},
    {"proxy_not_resolved", CURLE_COULDNT_RESOLVE_PROXY, unreachable, none, possible},
    {"host_not_resolved", CURLE_COULDNT_RESOLVE_HOST, unreachable, none, possible},
    {"not_connected", CURLE_COULDNT_CONNECT, unreachable, none, possible},
    {"weird_reply", CURLE_WEIRD_SERVER_REPLY, unknown, none, possible},
    {"http2_framing", CURLE_HTTP2, reset, none, possible},
    {"partial_file", CURLE_PARTIAL_FILE, reset, possible, possible},
    {"write_error", CURLE_WRITE_ERROR, rejected, possible, possible, true},
    {"read_error", CURLE_READ_ERROR, rejected, none, possible, true},
    {"out_of_memory", CURLE_OUT_OF_MEMORY, overloaded, none, possible, true},
    {"timed_out", CURLE_OPERATION_TIMEDOUT, timeout, none, possible},
    {"handshake", CURLE_SSL_CONNECT_ERROR, unreachable, none, possible},
    {"aborted", CURLE_ABORTED_BY_CALLBACK, cancelled, none, possible},
    {"too_many_redirects", CURLE_TOO_MANY_REDIRECTS, rejected, possible, possible},
    {"got_nothing", CURLE_GOT_NOTHING, reset, none, possible},
    {"send_error", CURLE_SEND_ERROR, reset, none, possible},
    {"receive_error", CURLE_RECV_ERROR, reset, none, possible},
    {"certificate_of_ours", CURLE_SSL_CERTPROBLEM, rejected, none, possible, true},
    {"certificate_of_the_peer", CURLE_PEER_FAILED_VERIFICATION, rejected, none, possible},
    {"pinned_key", CURLE_SSL_PINNEDPUBKEYNOTMATCH, rejected, none, possible},
    {"content_encoding", CURLE_BAD_CONTENT_ENCODING, rejected, possible, possible},
    {"too_large", CURLE_FILESIZE_EXCEEDED, rejected, possible, possible, true},
    {"rewinding", CURLE_SEND_FAIL_REWIND, reset, none, possible},
    {"http2_stream", CURLE_HTTP2_STREAM, reset, none, possible},
    {"http3", CURLE_HTTP3, reset, none, possible},
    {"quic_connect", CURLE_QUIC_CONNECT_ERROR, unreachable, none, possible},
    {"proxy", CURLE_PROXY, unreachable, none, possible},
    {"any_other", CURLE_FTP_WEIRD_PASS_REPLY, rejected, none, possible},
};

class curl_code : public ::testing::TestWithParam<row> {};

TEST_P(curl_code, means) {
  const row& one = GetParam();
  const fault early = fault_of({.code = one.code, .reached = phase::connected});
  const fault late = fault_of({.code = one.code, .reached = phase::request_written});
  EXPECT_EQ(early.kind, one.kind);
  EXPECT_EQ(late.kind, one.kind);
  EXPECT_EQ(effect_of(early), one.before);
  EXPECT_EQ(effect_of(late), one.after);
  EXPECT_EQ(early.local, one.local);
}

INSTANTIATE_TEST_SUITE_P(table, curl_code, ::testing::ValuesIn(rows),
                         [](const auto& with) { return std::string(with.param.name); });

TEST(curl_fault, of_connecting_is_permanent_where_the_system_forbids_it) {
  EXPECT_EQ(fault_of({.code = CURLE_COULDNT_CONNECT, .os_errno = ECONNREFUSED}).kind, unreachable);
  EXPECT_EQ(fault_of({.code = CURLE_COULDNT_CONNECT, .os_errno = EACCES}).kind, rejected);
  EXPECT_TRUE(fault_of({.code = CURLE_COULDNT_CONNECT, .os_errno = EMFILE}).local);
}

TEST(curl_fault, after_a_redirect_never_proves_that_nothing_was_done) {
  const fault found = fault_of({.code = CURLE_COULDNT_CONNECT, .os_errno = ECONNREFUSED, .redirected = true});
  EXPECT_EQ(found.kind, unreachable);
  EXPECT_EQ(effect_of(found), possible);
}

TEST(curl_fault, of_a_proxy_that_refuses_the_tunnel_is_by_its_status_and_without_effect) {
  const fault found = fault_of({.code = CURLE_RECV_ERROR, .reached = phase::connect, .proxy_status = 503});
  EXPECT_EQ(found.kind, overloaded);
  EXPECT_EQ(effect_of(found), none);
  EXPECT_EQ(fault_of({.code = CURLE_RECV_ERROR, .reached = phase::connect, .proxy_status = 403}).kind,
            rejected);
}

TEST(curl_fault, of_a_body_that_cannot_be_rewound_is_not_replayable) {
  EXPECT_FALSE(fault_of({.code = CURLE_SEND_FAIL_REWIND, .reached = phase::request_partial}).replayable);
}

}  // namespace
