// SPDX-License-Identifier: Apache-2.0
// From a request to the options of a handle.
#pragma once

#include "exchange.hpp"
#include "handle.hpp"

#include <relent/curl/client.hpp>
#include <relent/curl/request.hpp>

#include <string>

namespace relent::curl::detail {

/// Throws std::invalid_argument naming what cannot be sent: an address of something else, a method or a header that would
/// break the request's lines, a length that is not the body's.
void check(const request& what);
/// The same of headers that a hook has changed.
void check(const http::header_list& prepared, const request& what);
/// The same of what goes with every request.
void check(const client_options& options);

/// The Idempotency-Key that the request's own headers carry; empty: none.
std::string own_key(const request& what);

/// The request's headers and the client's, of which the request's go first.
http::header_list with_defaults(const http::header_list& own, const http::header_list& defaults);

/// Whether it is a GET that needs nothing but its address said.
bool is_plain(const request& what, const http::header_list& headers) noexcept;

/// Sets everything that is not of a single attempt's callbacks and times. `may_expect`: 100-continue may be asked for
/// before a long body. The list must live until the transfer has ended.
void describe(CURL* handle, const request& what, const client_options& options, const body_replay& sent,
              const http::header_list& headers, bool may_expect, string_list& lines);

}  // namespace relent::curl::detail
