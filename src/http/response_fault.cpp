// SPDX-License-Identifier: Apache-2.0
// A response's status, what the server says besides, and the wait it asks for, put together.
#include <relent/http/response_fault.hpp>

#include <relent/http/status.hpp>

namespace relent::http {
namespace {

fault of_kind(const fault& f, fault_kind kind, effect done) {
  fault other = f;
  other.kind = kind;
  other.effect = done;
  if (other.transient && !*other.transient) other.transient = relent::nullopt;  // an invitation stands
  return other;
}

/// The fault as the row has it. What was vetoed stays so.
fault amended(fault f, pushback_says says) {
  switch (says) {
    case pushback_says::do_not_retry: f.vetoed = true; return f;
    case pushback_says::retry: f.transient = true; return f;
    case pushback_says::not_processed: return of_kind(f, fault_kind::not_processed, effect::none);
    case pushback_says::rate_limited: return of_kind(f, fault_kind::rate_limited, effect_of(f));
    case pushback_says::overloaded: return of_kind(f, fault_kind::overloaded, effect_of(f));
    case pushback_says::timed_out: return of_kind(f, fault_kind::timeout, effect::possible);
    case pushback_says::wait: return f;
  }
  return f;
}

void apply(const pushback_row& row, const header_list& headers, response_meaning& meaning) {
  if (row.says == pushback_says::wait)
    meaning.delay =
        server_delay{std::chrono::milliseconds(grpc_pushback_ms(headers).value_or(0)), row.header};
  fault& f = *meaning.fault;
  const fault before = f;
  f = amended(f, row.says);
  const bool vetoes = f.vetoed && !before.vetoed;
  if (vetoes || (f != before && meaning.decided_by.empty())) meaning.decided_by = row.header;
}

}  // namespace

response_meaning meaning_of_response(int status, const header_list& headers,
                                     std::chrono::system_clock::time_point wall_now,
                                     const response_rules& rules) {
  response_meaning meaning;
  meaning.fault = fault_of_status(status);
  const bool redirects = status >= 300 && status <= 399;
  if (!meaning.fault && !redirects) return meaning;
  meaning.delay = server_delay_in(headers, wall_now, rules.delays);
  if (!meaning.fault) return meaning;
  for (const pushback_row& row : pushbacks())
    if (rules.pushbacks.contains(row.entry) && applies(row, status, headers)) apply(row, headers, meaning);
  if (meaning.delay) meaning.fault->server_delay = meaning.delay->wait;
  return meaning;
}

}  // namespace relent::http
