// SPDX-License-Identifier: Apache-2.0
// The rules of retrying written down a second time, as plainly as they can be said, so that the engine can be
// compared with them. It shares the words (fault, stop_reason) with the engine and no code: instants are plain
// nanoseconds, tokens thousandths, jitter is full or none, the breaker counts consecutive failures.
#pragma once

#include <relent/event.hpp>
#include <relent/fault.hpp>

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace relent::reference {

using ns = std::int64_t;
using kinds = std::bitset<16>;
inline constexpr ns never = std::numeric_limits<ns>::max();

inline bool has(const kinds& set, fault_kind kind) { return set[static_cast<std::size_t>(kind)]; }
inline ns plus(ns at, ns length) { return length > never - at ? never : at + length; }

struct rules {
  std::uint32_t max_attempts = 3;
  ns deadline = never, attempt_timeout = never, least_attempt_time = 0;
  ns base = 0, cap = never, multiplier = 2;
  std::optional<ns> limited_base;
  bool jitter = false;
  kinds retried, trusted;
  std::optional<std::uint32_t> server_error_retries;
  ns max_server_delay = never, spread_eighths = 0;
  bool nested_retries = false;
};

struct budget {
  std::optional<ns> capacity;  // nothing: there is no budget
  ns credit = 100, cost = 1000, timeout_cost = 1000, limited_cost = 1000;
  bool refunds = false;
  ns tokens = 0;

  ns price(fault_kind after) const {
    if (after == fault_kind::timeout) return timeout_cost;
    return after == fault_kind::rate_limited || after == fault_kind::overloaded ? limited_cost : cost;
  }
  void give(ns amount) { tokens = std::min(capacity.value_or(0), tokens + amount); }
};

/// A result counts only in the state that admitted it. Time must not run backwards for this one.
struct breaker {
  struct permit {
    int in_state = 0, probe = 0;
  };
  enum { closed, open, half_open } state = closed;
  int failures_to_open = 0;  // 0: there is no breaker
  ns first_open_for = 1, longest_open_for = 1, growth = 1, probe_timeout = 1;
  int probes = 1, successes_to_close = 1;
  int in_state = 0, last_probe = 0, failures = 0, successes = 0;
  ns until = 0, open_for = 0;
  std::vector<std::pair<int, ns>> in_flight = {};

  bool full(ns now) const {
    const auto flying =
        std::count_if(in_flight.begin(), in_flight.end(), [&](auto& p) { return p.second > now; });
    return flying >= std::min(32, probes << std::min(successes, 5));
  }
  bool admits(ns now) const { return state == closed || (state == open ? now >= until : !full(now)); }
  std::optional<permit> admit(ns now) {
    if (state == closed) return permit{in_state, 0};
    if (state == open && now >= until) become(half_open);
    if (state == open || full(now)) return std::nullopt;
    in_flight.emplace_back(++last_probe, plus(now, probe_timeout));
    return permit{in_state, last_probe};
  }
  void become(decltype(state) next) {
    state = next;
    ++in_state;
    failures = successes = 0;
    in_flight.clear();
  }
  void settle(permit p, std::optional<bool> healthy, ns now) {
    if (p.in_state != in_state) return;
    std::erase_if(in_flight, [&](auto& probe) { return probe.first == p.probe; });
    if (!healthy) return;
    if (*healthy) {
      failures = 0;
      if (state == half_open && ++successes == successes_to_close) become(closed);
      return;
    }
    if (state == closed && ++failures < failures_to_open) return;
    const ns length = std::min(state == closed ? first_open_for : open_for, longest_open_for);
    open_for = length > longest_open_for / growth ? longest_open_for : length * growth;
    until = plus(now, length);
    become(open);
  }
};

struct world {
  reference::budget budget;
  reference::breaker breaker;
  bool can_refresh = false;
  std::vector<ns> draws = {0};  // in 256ths, again and again
  std::size_t drawn = 0;

  ns draw_below(ns ceiling) {
    const ns draw = draws[drawn++ % draws.size()];
    return ceiling / 256 * draw + ceiling % 256 * draw / 256;
  }
};

struct answer {
  enum what { attempt, wait, refresh, stop } what = stop;
  std::uint32_t number = 0;  // of an attempt
  ns until = 0;              // of a wait
  bool servers = false;      // of a wait: the server asked for it
  stop_reason reason = stop_reason::permanent;
};

class call {
 public:
  call(const rules& r, world& w) : r_(r), w_(w) {}

  answer begin(ns now, bool inside, ns outer_deadline, bool cancelled) {
    latest_ = now;
    nested_ = inside && !r_.nested_retries;
    deadline_ = std::min(plus(now, r_.deadline), outer_deadline);
    return start(1, cancelled);
  }

  answer failed(const fault& f, bool repeatable, bool has_key, ns now, bool cancelled) {
    latest_ = std::max(latest_, now);
    settle(health(f));
    if (cancelled || f.kind == fault_kind::cancelled) return stop(stop_reason::cancelled);
    if (f.vetoed) return stop(stop_reason::vetoed);
    if (f.kind == fault_kind::unauthenticated && w_.can_refresh && !std::exchange(refreshed_, true))
      return {.what = answer::refresh};
    const bool conflict_in_flight = f.kind != fault_kind::conflict || has_key;
    if (!conflict_in_flight || !f.transient.value_or(has(r_.retried, f.kind)))
      return stop(stop_reason::permanent);
    if (!f.replayable) return stop(stop_reason::not_replayable);
    if (!repeatable && !has_key && !harmless(f)) return stop(stop_reason::unsafe);
    if (nested_ && r_.max_attempts > 1) return stop(stop_reason::nested);
    if (attempt_ == r_.max_attempts) return stop(stop_reason::attempts);
    if (f.kind == fault_kind::server_error && r_.server_error_retries &&
        server_errors_ >= *r_.server_error_retries)
      return stop(stop_reason::attempts);
    if (f.server_delay && f.server_delay->count() > r_.max_server_delay)
      return stop(stop_reason::server_delay);

    ns length = backoff(f.kind);
    const bool servers = f.server_delay && f.server_delay->count() > length;
    if (servers) length = f.server_delay->count();
    const ns widest = length / 8 * r_.spread_eighths + length % 8 * r_.spread_eighths / 8;
    if (servers && widest > 0) length = plus(length, w_.draw_below(widest));
    const ns until = plus(latest_, length);
    if (!fits(until)) return stop(stop_reason::deadline);
    if (w_.breaker.failures_to_open > 0 && !w_.breaker.admits(until)) return stop(stop_reason::breaker);
    if (w_.budget.capacity) {
      if (w_.budget.tokens < w_.budget.price(f.kind)) return stop(stop_reason::budget);
      w_.budget.tokens -= (unspent_ = w_.budget.price(f.kind));
    }
    if (f.kind == fault_kind::server_error) ++server_errors_;
    last_price_ = w_.budget.price(f.kind);
    return waiting_ = {.what = answer::wait, .until = until, .servers = servers};
  }

  answer woke(ns now, bool cancelled) {
    if (!cancelled && now < waiting_.until) return waiting_;
    latest_ = std::max(now, waiting_.until);
    return start(attempt_ + 1, cancelled);
  }

  answer refreshed(bool renewed, ns now, bool cancelled) {
    latest_ = std::max(latest_, now);
    return renewed || cancelled ? start(attempt_, cancelled) : stop(stop_reason::permanent);
  }

  void succeeded() {
    settle(true);
    if (w_.budget.capacity)
      w_.budget.give(attempt_ > 1 && w_.budget.refunds ? last_price_ : w_.budget.credit);
  }

  void abandon() {
    settle(std::nullopt);
    stop(stop_reason::cancelled);
  }

  ns attempt_ends(ns now) const { return std::min(plus(now, r_.attempt_timeout), deadline_); }

 private:
  answer start(std::uint32_t number, bool cancelled) {
    if (cancelled) return stop(stop_reason::cancelled);
    if (!fits(latest_)) return stop(stop_reason::deadline);
    if (w_.breaker.failures_to_open > 0 && !(permit_ = w_.breaker.admit(latest_)))
      return stop(stop_reason::breaker);
    unspent_ = 0;
    return {.what = answer::attempt, .number = attempt_ = number};
  }

  answer stop(stop_reason why) {
    w_.budget.give(std::exchange(unspent_, 0));
    return {.what = answer::stop, .reason = why};
  }

  void settle(std::optional<bool> healthy) {
    if (permit_) w_.breaker.settle(*permit_, healthy, latest_);
    permit_.reset();
  }

  bool fits(ns from) const {
    return deadline_ == never || plus(from, std::max<ns>(r_.least_attempt_time, 1)) <= deadline_;
  }

  ns backoff(fault_kind after) {
    const bool limited = after == fault_kind::rate_limited || after == fault_kind::overloaded;
    ns ceiling = limited && r_.limited_base ? *r_.limited_base : r_.base;
    for (std::uint32_t i = 1; i < attempt_; ++i)
      ceiling = ceiling > r_.cap / r_.multiplier ? r_.cap : ceiling * r_.multiplier;
    ceiling = std::min(ceiling, r_.cap);
    return r_.jitter ? w_.draw_below(ceiling) : ceiling;
  }

  bool harmless(const fault& f) const {
    using enum fault_kind;
    if (has(r_.trusted, f.kind)) return true;
    if (f.effect) return *f.effect == effect::none;
    return f.kind == unreachable || f.kind == not_processed || f.kind == aborted ||
           f.kind == unauthenticated || f.kind == rejected;
  }

  /// What the fault says about the dependency; a shortage of our own, or throttling, says nothing.
  static std::optional<bool> health(const fault& f) {
    using enum fault_kind;
    if (f.local) return std::nullopt;
    switch (f.kind) {
      case unreachable:
      case reset:
      case timeout:
      case overloaded:
      case bad_gateway:
      case server_error: return false;
      case rejected:
      case unauthenticated:
      case conflict:
      case aborted: return true;
      case not_processed:
      case rate_limited:
      case cancelled:
      case unknown: return std::nullopt;
    }
    return std::nullopt;
  }

  const rules& r_;
  world& w_;
  ns latest_ = 0, deadline_ = never, unspent_ = 0, last_price_ = 0;
  std::uint32_t attempt_ = 0, server_errors_ = 0;
  bool nested_ = false, refreshed_ = false;
  std::optional<reference::breaker::permit> permit_;
  answer waiting_;
};

}  // namespace relent::reference
