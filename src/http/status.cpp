// SPDX-License-Identifier: Apache-2.0
// The statuses.
#include <relent/http/status.hpp>

#include <algorithm>
#include <iterator>

namespace relent::http {
namespace {

using enum fault_kind;
using relent::effect;
constexpr std::optional<bool> by_kind = std::nullopt;
constexpr std::optional<bool> permanent = false;

// By number. An effect of `none` stands only where the server turned the request down before acting on it.
constexpr status_row rows[] = {
    {400, rejected, effect::none, by_kind, "the request is wrong"},
    {401, unauthenticated, effect::none, by_kind, "credentials are renewed once, which is no retry"},
    {402, rejected, effect::none, by_kind, "payment required"},
    {403, rejected, effect::none, by_kind,
     "forbidden; some say so of a rate limit, and by their header fields"},
    {404, rejected, effect::none, by_kind, "not found"},
    {405, rejected, effect::none, by_kind, "not with this method"},
    {406, rejected, effect::none, by_kind, "no acceptable form"},
    {407, rejected, effect::none, by_kind, "the proxy's credentials, which no hook renews"},
    {408, timeout, effect::possible, by_kind,
     "RFC 9110 section 15.5.9: incomplete; proxies send it of requests passed on long ago"},
    {409, conflict, effect::possible, by_kind,
     "means what the application says: in progress, or out of date"},
    {410, rejected, effect::none, by_kind, "gone"},
    {411, rejected, effect::none, by_kind, "needs a length"},
    {412, rejected, effect::none, by_kind,
     "a precondition failed; after a retry perhaps because the first attempt did it (RFC 9110 section "
     "13.1.1)"},
    {413, rejected, effect::none, by_kind,
     "too large; temporary only if it has a Retry-After (section 15.5.14)"},
    {414, rejected, effect::none, by_kind, "address too long"},
    {415, rejected, effect::none, by_kind, "unsupported type of content"},
    {416, rejected, effect::none, by_kind, "range outside of the content"},
    {417, rejected, effect::none, by_kind,
     "an expectation; without it the request may be sent again (RFC 9110 section 10.1.1)"},
    {421, not_processed, effect::none, by_kind,
     "wrong server; may be sent over another connection whatever the method (RFC 9110 section 15.5.20)"},
    {422, rejected, effect::none, by_kind, "content makes no sense; the key was used for another request"},
    {423, rejected, effect::none, by_kind, "locked (RFC 4918)"},
    {424, rejected, effect::none, by_kind, "failed with another request (RFC 4918)"},
    {425, not_processed, effect::none, by_kind, "too early; may be sent again, not as early data (RFC 8470)"},
    {426, rejected, effect::none, by_kind, "needs another protocol"},
    {428, rejected, effect::none, by_kind, "needs a precondition (RFC 6585)"},
    {429, rate_limited, effect::possible, by_kind, "RFC 6585 section 4 does not say that nothing was done"},
    {431, rejected, effect::none, by_kind, "header fields too large (RFC 6585)"},
    {451, rejected, effect::none, by_kind, "for legal reasons (RFC 7725)"},
    {498, rejected, effect::possible, by_kind,
     "unregistered; for userver a deadline that passed, and its header field says so"},
    {499, rejected, effect::possible, by_kind, "unregistered; nginx: the client hung up, perhaps too late"},
    {500, server_error, effect::possible, by_kind, "may have done the work and failed afterwards"},
    {501, rejected, effect::none, by_kind, "does not know the method"},
    {502, bad_gateway, effect::possible, by_kind, "the server behind answered wrongly or not at all"},
    {503, overloaded, effect::possible, by_kind,
     "proxies send it of connections lost after the request had been passed on"},
    {504, timeout, effect::possible, by_kind, "the server behind is late, and may still do it"},
    {505, rejected, effect::none, by_kind, "does not speak this version"},
    {506, server_error, effect::possible, permanent, "configured in a circle (RFC 2295)"},
    {507, server_error, effect::possible, permanent, "no room to store it (RFC 4918)"},
    {508, server_error, effect::possible, permanent, "a loop (RFC 5842)"},
    {509, rate_limited, effect::possible, by_kind, "unregistered; bandwidth used up"},
    {510, rejected, effect::possible, by_kind, "needs an extension (RFC 2774)"},
    {511, rejected, effect::possible, by_kind, "the network wants a login (RFC 6585)"},
    {520, bad_gateway, effect::possible, by_kind, "unregistered; Cloudflare: the origin answered oddly"},
    {521, bad_gateway, effect::possible, by_kind, "unregistered; Cloudflare: the origin refused"},
    {522, timeout, effect::possible, by_kind,
     "unregistered; Cloudflare: no connection to the origin in time"},
    {523, bad_gateway, effect::possible, by_kind, "unregistered; Cloudflare: no way to the origin"},
    {524, timeout, effect::possible, by_kind, "unregistered; Cloudflare: no answer of the origin in time"},
    {525, bad_gateway, effect::possible, permanent, "unregistered; Cloudflare: TLS with the origin failed"},
    {526, bad_gateway, effect::possible, permanent, "unregistered; Cloudflare: the origin's certificate"},
    {529, overloaded, effect::possible, by_kind, "unregistered; overloaded"},
    {530, bad_gateway, effect::possible, permanent, "unregistered; Cloudflare: its own text tells what"},
};

constexpr bool before(const status_row& a, const status_row& b) noexcept { return a.status < b.status; }
static_assert(std::is_sorted(std::begin(rows), std::end(rows), before));

constexpr const status_row* find(int status) noexcept {
  const status_row* row = std::lower_bound(std::begin(rows), std::end(rows), status,
                                           [](const status_row& each, int s) { return each.status < s; });
  return row != std::end(rows) && row->status == status ? row : nullptr;
}

constexpr int first_of_class(int status) noexcept { return status >= 400 && status <= 499 ? 400 : 500; }

}  // namespace

std::span<const status_row> statuses() noexcept { return rows; }

std::optional<fault> fault_of_status(int status) noexcept {
  if (status >= 100 && status < 400) return std::nullopt;
  const status_row* row = find(status);
  if (row == nullptr) row = find(first_of_class(status));
  fault f;
  f.kind = row->kind;
  f.effect = row->effect;
  f.transient = row->transient;
  return f;
}

}  // namespace relent::http
