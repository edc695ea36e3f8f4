// SPDX-License-Identifier: Apache-2.0
// What each cell of the matrix has to come to, by a table and a dozen lines of reasoning that share nothing with the
// library. Cells are run by matrix_cell.hpp.
#pragma once

#include <relent/event.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace relent::test::matrix {

using namespace std::chrono_literals;

enum class method { get, put, post, post_with_key };
enum class body { none, memory, file, rewindable, one_shot };
enum class connection { kept, fresh };

/// A fault, and what follows from it.
struct fault_row {
  const char* name;
  /// Met by the first request of each walk, or (see `ahead`) by whoever comes after the answer to /warm.
  const char* script;
  bool ahead = false;
  /// So many attempts fail before one succeeds; nothing: it depends on the clock.
  std::optional<std::uint32_t> faults = 1;
  /// The server gets the head of a request that fails.
  bool seen = true;
  /// It does the work of it.
  bool executed = false;
  /// The client knows that nothing was done.
  bool proven = false;
  /// Under TLS it hits the handshake, which proves as much.
  bool proven_by_tls = false;
  /// What the client sees of it; 0: no answer.
  int status = 0;
  /// Ends the call at the last of the faults, whatever the method.
  std::optional<stop_reason> ends = {};
  /// A connection that was kept survives it.
  bool connection_lasts = false;
  /// The server reads the body of a request that fails.
  bool reads_body = true;
  /// The attempt ends by its time-out only.
  bool silent = false;
  /// Met only on a connection that was kept.
  bool kept_only = false;
  /// The attempt after it is not counted as one.
  bool free = false;
  std::chrono::milliseconds at_least = 0ms;
};

/// The faulty step is the first of the walk, a good one follows.
inline constexpr fault_row faults[] = {
    {.name = "refused_for_a_time",
     .script = "/warm: 200, refuse(100ms), 200",
     .ahead = true,
     .faults = {},
     .seen = false,
     .proven = true},
    {.name = "refused_for_good",
     .script = "/warm: 200, refuse(1h)",
     .ahead = true,
     .faults = 4,
     .seen = false,
     .proven = true,
     .ends = stop_reason::attempts},
    {.name = "reset_before_the_head",
     .script = "200, reset(before=head), 200",
     .ahead = true,
     .seen = false,
     .proven_by_tls = true},
    {.name = "reset_after_the_request", .script = "/x: reset, 200", .executed = true},
    {.name = "reset_in_the_body",
     .script = "/x: reset(after=100, body=1KB), 200",
     .executed = true,
     .status = 200},
    {.name = "closed_before_the_answer", .script = "/x: close, 200", .executed = true},
    {.name = "closed_before_the_answer_and_then_refused",
     .script = "/x: close, refuse(100ms), 200",
     .faults = {},
     .executed = true},
    {.name = "closed_in_the_body",
     .script = "/x: close(after=100, body=1KB), 200",
     .executed = true,
     .status = 200},
    {.name = "closed_in_a_chunked_body",
     .script = "/x: close(after=100, body=1KB, framing=chunked), 200",
     .executed = true,
     .status = 200},
    {.name = "stalled", .script = "/x: stall, 200", .reads_body = false, .silent = true},
    {.name = "stalled_after_the_work",
     .script = "/x: stall(execute=yes), 200",
     .executed = true,
     .silent = true},
    {.name = "stalled_in_the_body",
     .script = "/x: stall(after=100, body=1KB), 200",
     .executed = true,
     .status = 200,
     .silent = true},
    {.name = "late", .script = "/x: late(1h), 200", .executed = true, .silent = true},
    {.name = "overloaded_503", .script = "/x: 503, 200", .status = 503, .connection_lasts = true},
    {.name = "overloaded_503_with_retry_after",
     .script = "/x: 503(retry-after=1), 200",
     .status = 503,
     .connection_lasts = true,
     .at_least = 1s},
    {.name = "overloaded_503_before_the_body",
     .script = "/x: 503(read=head), 200",
     .status = 503,
     .connection_lasts = true,
     .reads_body = false},
    {.name = "overloaded_503_after_the_work",
     .script = "/x: 503(execute=yes), 200",
     .executed = true,
     .status = 503,
     .connection_lasts = true},
    {.name = "rate_limited_429", .script = "/x: 429, 200", .status = 429, .connection_lasts = true},
    {.name = "server_error_500",
     .script = "/x: 500, 200",
     .executed = true,
     .status = 500,
     .connection_lasts = true},
    {.name = "server_error_500_twice",
     .script = "/x: 500*2, 200",
     .faults = 2,
     .executed = true,
     .status = 500,
     .ends = stop_reason::attempts,
     .connection_lasts = true},
    {.name = "bad_gateway_502",
     .script = "/x: 502, 200",
     .executed = true,
     .status = 502,
     .connection_lasts = true},
    {.name = "gateway_timeout_504",
     .script = "/x: 504, 200",
     .executed = true,
     .status = 504,
     .connection_lasts = true},
    {.name = "too_early_425",
     .script = "/x: 425, 200",
     .proven = true,
     .status = 425,
     .connection_lasts = true},
    {.name = "misdirected_421", .script = "/x: 421, 200", .proven = true, .status = 421},
    {.name = "unauthenticated_401",
     .script = "/x: 401-until-refresh, 200",
     .proven = true,
     .status = 401,
     .connection_lasts = true,
     .free = true},
    {.name = "closed_when_idle",
     .script = "/warm: idle-close, 200",
     .ahead = true,
     .seen = false,
     .kept_only = true},
    {.name = "malformed_status_line",
     .script = "/x: malformed, 200",
     .executed = true,
     .ends = stop_reason::permanent},
    {.name = "not_found_404",
     .script = "/x: 404, 200",
     .proven = true,
     .status = 404,
     .ends = stop_reason::permanent,
     .connection_lasts = true},
    {.name = "no_fault", .script = "/x: 200", .faults = 0},
};

struct cell {
  const fault_row* fault;
  matrix::method method;
  matrix::body body;
  matrix::connection connection;
  bool tls = false;
};

constexpr bool is_proven(const cell& of) { return of.fault->proven || (of.tls && of.fault->proven_by_tls); }

struct expected {
  std::optional<std::uint32_t> attempts = {};  ///< nothing: it depends on the clock
  std::optional<std::uint32_t> transfers = {};
  std::uint64_t requests = 0;
  std::uint64_t whole_bodies = 0;
  std::uint64_t executions = 0;
  int status = 200;
  std::optional<stop_reason> stop = {};
};

/// What has no length beforehand is held back until the server has said 100 Continue. An answer that turns the work
/// down comes in the place of that, or by a server that does not care for the body, and ends the connection.
constexpr bool is_turned_down_unsent(const cell& of) {
  const bool waits = of.body == body::rewindable || of.body == body::one_shot;
  const bool unread = of.body != body::none && !of.fault->reads_body;
  return (waits || unread) && of.fault->status >= 400 && !of.fault->executed;
}

/// `taken`: whether the first attempt took a byte of the body.
constexpr expected expect(const cell& of, bool taken) {
  const fault_row& fault = *of.fault;
  expected out;
  const bool met = fault.faults != 0U && !(fault.kept_only && of.connection == connection::fresh);
  if (!met) return {.attempts = 1, .transfers = 1, .requests = 1, .whole_bodies = 1, .executions = 1};

  const bool again = is_proven(of) || of.method != method::post;
  const bool ends_at_once = fault.faults == 1U && fault.ends;
  if (ends_at_once) {
    out.stop = fault.ends;
  } else if (of.body == body::one_shot && taken) {
    out.stop = stop_reason::not_replayable;
  } else if (!again) {
    out.stop = stop_reason::unsafe;
  }
  const std::uint32_t failed = out.stop ? 1 : fault.faults.value_or(1);
  if (!out.stop) out.stop = fault.ends;

  const std::uint32_t succeeded = out.stop ? 0 : 1;
  if (out.stop || fault.faults) out.attempts = failed + (fault.free ? 0 : succeeded);
  if (out.attempts) out.transfers = failed + succeeded;
  out.requests = (fault.seen ? failed : 0) + succeeded;
  out.whole_bodies = (fault.seen && !is_turned_down_unsent(of) ? failed : 0) + succeeded;
  out.executions = (fault.executed ? failed : 0) + succeeded;
  if (of.method == method::post_with_key && out.executions > 1) out.executions = 1;
  if (out.stop) out.status = fault.status;
  return out;
}

constexpr const char* name_of(method of) {
  constexpr const char* names[] = {"GET", "PUT", "POST", "POST_with_key"};
  return names[static_cast<int>(of)];
}

constexpr const char* name_of(body of) {
  constexpr const char* names[] = {"no_body", "memory", "file", "rewindable", "one_shot"};
  return names[static_cast<int>(of)];
}

constexpr const char* name_of(connection of) { return of == connection::kept ? "kept" : "fresh"; }

inline std::string name_of(const cell& of) {
  return std::string(of.fault->name) + '.' + name_of(of.method) + '.' + name_of(of.body) + '.' +
         name_of(of.connection);
}

}  // namespace relent::test::matrix
