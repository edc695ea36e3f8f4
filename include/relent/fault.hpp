// SPDX-License-Identifier: Apache-2.0
// What went wrong in an attempt: its kind, whether the work may have been done, what the server asked for.
// How an error becomes a fault is in classify.hpp; what follows from a fault is in engine.hpp. Layer 0.
#pragma once

#include <relent/optional.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace relent {

/// What went wrong, as far as retrying is concerned.
enum class fault_kind : std::uint8_t {
  unreachable,      ///< refused, no route, name not resolved for now, TLS handshake failed
  not_processed,    ///< the server proved that it did nothing: REFUSED_STREAM, GOAWAY, 425, 421, a nack
  reset,            ///< connection lost after bytes were handed over
  timeout,          ///< attempt time-out, 408, 504
  rate_limited,     ///< 429
  overloaded,       ///< 503
  bad_gateway,      ///< 502
  server_error,     ///< 500
  conflict,         ///< 409
  aborted,          ///< serialization failure, deadlock, gRPC ABORTED: retry the whole unit of work
  unauthenticated,  ///< 401
  rejected,         ///< 400 403 404 405 410 422: the same request will fail again
  cancelled,        ///< our own stop
  unknown,          ///< nobody classified it
};
inline constexpr int fault_kind_count = 14;

/// Whether the attempt's work may have been done.
enum class effect : std::uint8_t {
  none,      ///< proven not to have happened
  possible,  ///< cannot be excluded
};

/// How far an attempt got. Up to `connected` nothing of the request had left (RFC 9110 section 9.2.2,
/// RFC 9113 section 8.7): such a failure has no effect whatever the operation was.
enum class phase : std::uint8_t {
  resolve,
  connect,
  handshake,
  connected,        ///< nothing of the request was written yet
  request_partial,  ///< some of it was; a server may act on a prefix
  request_written,
  response_head,
  response_body,
};

/// What a failure in this phase says about the work.
constexpr effect effect_in(phase reached) noexcept {
  return reached <= phase::connected ? effect::none : effect::possible;
}

/// What a fault of this kind says about the work when nothing better is known.
constexpr effect default_effect(fault_kind kind) noexcept {
  switch (kind) {
    case fault_kind::unreachable:
    case fault_kind::not_processed:
    case fault_kind::aborted:
    case fault_kind::unauthenticated:
    case fault_kind::rejected: return effect::none;
    case fault_kind::reset:
    case fault_kind::timeout:
    case fault_kind::rate_limited:
    case fault_kind::overloaded:
    case fault_kind::bad_gateway:
    case fault_kind::server_error:
    case fault_kind::conflict:
    case fault_kind::cancelled:
    case fault_kind::unknown: return effect::possible;
  }
  return effect::possible;
}

/// One attempt's failure, classified. A plain value; the fields beyond `kind` refine it.
struct fault {
  fault_kind kind = fault_kind::unknown;
  /// Whether the work may have been done; without a value, what the kind says (default_effect).
  optional<relent::effect> effect = nullopt;
  /// The wait that the server asked for (Retry-After and its relatives).
  optional<duration> server_delay = nullopt;
  /// Overrides the policy's retry_on for this one fault: true is transient, false is permanent.
  optional<bool> transient = nullopt;
  /// The server said not to retry (negative pushback, should-retry: false, a non-retryable nack).
  bool vetoed = false;
  /// Our own side ran short (descriptors, memory, ports): says nothing about the dependency's health.
  bool local = false;
  /// False: what an attempt needs (a body from a pipe, an input) was used up by this one and cannot be had again.
  bool replayable = true;

  friend constexpr bool operator==(const fault&, const fault&) = default;
};

/// Whether the work may have been done, the kind's default applied.
constexpr effect effect_of(const fault& f) noexcept { return f.effect ? *f.effect : default_effect(f.kind); }

/// Whether the fault speaks about the dependency's health. Only such faults count in a breaker: a 404
/// does not, nor does a shortage of our own.
constexpr bool concerns_health(const fault& f) noexcept {
  switch (f.kind) {
    case fault_kind::unreachable:
    case fault_kind::reset:
    case fault_kind::timeout:
    case fault_kind::overloaded:
    case fault_kind::bad_gateway:
    case fault_kind::server_error: return !f.local;
    case fault_kind::not_processed:
    case fault_kind::rate_limited:
    case fault_kind::conflict:
    case fault_kind::aborted:
    case fault_kind::unauthenticated:
    case fault_kind::rejected:
    case fault_kind::cancelled:
    case fault_kind::unknown: return false;
  }
  return false;
}

/// The kind's name as it stands in policy files, logs and reports: "rate_limited".
constexpr std::string_view to_string(fault_kind kind) noexcept {
  switch (kind) {
    case fault_kind::unreachable: return "unreachable";
    case fault_kind::not_processed: return "not_processed";
    case fault_kind::reset: return "reset";
    case fault_kind::timeout: return "timeout";
    case fault_kind::rate_limited: return "rate_limited";
    case fault_kind::overloaded: return "overloaded";
    case fault_kind::bad_gateway: return "bad_gateway";
    case fault_kind::server_error: return "server_error";
    case fault_kind::conflict: return "conflict";
    case fault_kind::aborted: return "aborted";
    case fault_kind::unauthenticated: return "unauthenticated";
    case fault_kind::rejected: return "rejected";
    case fault_kind::cancelled: return "cancelled";
    case fault_kind::unknown: return "unknown";
  }
  return "unknown";
}

/// "none" or "possible".
constexpr std::string_view to_string(effect value) noexcept {
  return value == effect::none ? "none" : "possible";
}

/// The kind of that name, or nothing. Thread-safe.
optional<fault_kind> fault_kind_from(std::string_view name) noexcept;

/// A set of fault kinds.
class fault_set {
 public:
  constexpr fault_set() noexcept = default;
  constexpr fault_set(std::initializer_list<fault_kind> kinds) noexcept {
    for (const fault_kind kind : kinds) bits_ |= bit(kind);
  }

  constexpr bool contains(fault_kind kind) const noexcept { return (bits_ & bit(kind)) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }

  /// This set with one kind more, or one less.
  constexpr fault_set with(fault_kind kind) const noexcept { return fault_set{bits_ | bit(kind)}; }
  constexpr fault_set without(fault_kind kind) const noexcept { return fault_set{bits_ & ~bit(kind)}; }

  friend constexpr bool operator==(fault_set, fault_set) noexcept = default;

 private:
  constexpr explicit fault_set(std::uint32_t bits) noexcept : bits_(bits) {}
  static constexpr std::uint32_t bit(fault_kind kind) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(kind);
  }
  std::uint32_t bits_ = 0;
};

/// What a policy retries unless told otherwise. conflict is in it, but needs an idempotency key;
/// server_error is in it, but has a limit of its own (policy_options::server_error_retries).
inline constexpr fault_set default_retry_on{
    fault_kind::unreachable,  fault_kind::not_processed, fault_kind::reset,       fault_kind::timeout,
    fault_kind::rate_limited, fault_kind::overloaded,    fault_kind::bad_gateway, fault_kind::server_error,
    fault_kind::conflict,     fault_kind::aborted,
};

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/fault.ipp>  // IWYU pragma: export
#endif
