// SPDX-License-Identifier: Apache-2.0
// What the engine works on: the state of one call, what calls share, what surrounds a call, and the decision that
// comes out. Plain values; the rules are in engine.hpp. Layer 2.
#pragma once

#include <relent/backoff.hpp>
#include <relent/breaker.hpp>
#include <relent/budget.hpp>
#include <relent/deadline.hpp>
#include <relent/event.hpp>
#include <relent/fault.hpp>
#include <relent/sender_limit.hpp>
#include <relent/time.hpp>

#include <cstdint>
#include <type_traits>

namespace relent::engine {

/// What all calls to one dependency share; any part may be absent.
struct shared_state {
  relent::budget* budget = nullptr;
  relent::breaker* breaker = nullptr;
  relent::sender_limit* sender_limit = nullptr;
  /// Whether there is a hook that renews credentials after an unauthenticated fault.
  bool can_refresh = false;
};

/// What surrounds a call.
struct surroundings {
  /// The enclosing attempt's deadline; no call outlives it.
  time_point outer_deadline = no_deadline;
  /// Whether the call runs inside an attempt of another relent call.
  bool inside_attempt = false;
};

/// What is known about the operation when an attempt of it has failed.
struct operation {
  /// It may be done twice: safe, idempotent, or the caller says so.
  bool repeatable = true;
  /// It carries an idempotency key (which makes it repeatable, and a conflict worth another try).
  bool has_key = false;
};

enum class phase : std::uint8_t { idle, running, waiting, refreshing };

/// The state of one call. Trivially copyable, at most 32 bytes; its members are the engine's.
struct call_state {
  time_point deadline = no_deadline;
  /// The latest instant seen; while waiting, the end of the wait.
  time_point instant = time_point::min();
  backoff_memory backoff = {};
  std::uint32_t attempt = 0;     // the attempt in hand, from 1
  std::uint16_t generation = 0;  // of the breaker's permit
  // One byte for what every attempt writes, one for the rest: a processor stalls when it reads a word of
  // which it has just written a byte.
  std::uint8_t probe : 1 = 0;       // of the breaker's permit
  std::uint8_t has_permit : 1 = 0;  // the breaker's permit is not settled yet
  std::uint8_t has_token : 1 = 0;   // granted by the budget for an attempt that has not started
  std::uint8_t single_attempt : 1 = 0;
  std::uint8_t doing : 2 = 0;      // phase
  std::uint8_t waits_for : 2 = 0;  // wait_source
  std::uint8_t refreshed : 1 = 0;
  std::uint8_t server_error_retries : 3 = 0;
  std::uint8_t last_fault : 4 = 0;  // the kind of fault before the latest retry
};
static_assert(sizeof(call_state) <= 32);
static_assert(std::is_trivially_copyable_v<call_state>);
static_assert(fault_kind_count <= 16);

enum class action : std::uint8_t { attempt, wait, refresh, stop };

/// What the driver must do next.
struct decision {
  engine::action action = engine::action::stop;
  /// For a wait: where it came from.
  wait_source source = wait_source::backoff;
  /// For a stop: why.
  stop_reason reason = stop_reason::permanent;
  /// For a wait: its end.
  time_point until = time_point::min();

  friend constexpr bool operator==(const decision&, const decision&) = default;
};

}  // namespace relent::engine
