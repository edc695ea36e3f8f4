// SPDX-License-Identifier: Apache-2.0
// What a trial of the engine against the reference is made of, chosen by somebody: a random generator or a
// fuzzer. Policies, budgets, breakers and faults, each for both sides. The trial itself is in lockstep.hpp.
#pragma once

#include "model/reference.hpp"

#include <relent/backoff.hpp>
#include <relent/breaker.hpp>
#include <relent/budget.hpp>
#include <relent/fault.hpp>
#include <relent/policy.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace relent::model {

using reference::ns;

/// choose(n) gives a number from 0 to n - 1, of which 0 is the plainest; more() says whether to go on.
template <class T>
concept chooser = requires(T& source) {
  { source.choose(2) } -> std::same_as<int>;
  { source.more() } -> std::same_as<bool>;
};

/// The same rules and the same dependency for both.
struct both {
  reference::rules plain;
  reference::world world;
  policy_options policy;
  budget_options budget = relent::budget::none();
  std::optional<breaker_options> breaker;
};

template <chooser Source>
class choices {
 public:
  explicit choices(Source& source) : source_(source) {}

  int below(int n) { return source_.choose(n); }
  /// Once in n times.
  bool rarely(int n) { return below(n) == n - 1; }
  template <std::size_t Size>
  ns one_of(const ns (&menu)[Size]) {
    return menu[below(static_cast<int>(Size))];
  }
  fault_kind kind() { return static_cast<fault_kind>(below(fault_kind_count)); }

  ns length() {
    return one_of(
        {0, 1, 50 * ms, 100 * ms, 100 * ms + 1, 250 * ms, second, 10 * second, hour, reference::never});
  }
  ns finite_length() {
    return one_of({0, 1, 50 * ms, 100 * ms, 100 * ms + 1, 250 * ms, second, 10 * second, hour});
  }
  ns positive_length() {
    return one_of({1, 50 * ms, 100 * ms, 100 * ms + 1, 250 * ms, second, 10 * second, hour});
  }

  /// Time passes, or a clock steps.
  ns step() {
    return rarely(4) ? one_of({50 * ms, 99 * ms, second, hour, -1, -second, -hour})
                     : one_of({0, 1, 100 * ms});
  }

  relent::fault fault() {
    relent::fault f{.kind = kind()};
    if (rarely(3)) f.server_delay = duration{length()};
    if (rarely(4)) {
      if (const int one = below(3)) f.effect = one == 1 ? effect::none : effect::possible;
      if (const int one = below(3)) f.transient = one == 1;
      f.replayable = below(8) != 0;
      f.vetoed = rarely(3);
      f.local = rarely(3);
    }
    return f;
  }

  both setup() {
    both it;
    set_rules(it.plain, it.policy);
    set_backoff(it.plain, it.policy.backoff);
    if (!rarely(3)) set_budget(it.world.budget, it.budget);
    if (rarely(2)) set_breaker(it.world.breaker, it.breaker.emplace());
    it.world.can_refresh = rarely(2);
    it.world.draws = {below(256), below(256), below(256)};
    return it;
  }

 private:
  static constexpr ns ms = 1'000'000;
  static constexpr ns second = 1000 * ms;
  static constexpr ns hour = 3600 * second;

  void set_rules(reference::rules& plain, policy_options& options) {
    options.max_attempts = plain.max_attempts = 1 + static_cast<std::uint32_t>(below(8));
    options.deadline.reset();
    if (rarely(3))
      options.deadline =
          duration{plain.deadline = one_of({second, 100 * ms, 100 * ms + 1, 10 * second, hour})};
    if (rarely(3)) options.attempt_timeout = duration{plain.attempt_timeout = positive_length()};
    if (rarely(4)) options.least_attempt_time = duration{plain.least_attempt_time = finite_length()};
    if (rarely(4)) options.retry_on = options.retry_on.with(fault_kind::unauthenticated).without(kind());
    if (rarely(4)) options.no_effect_on = options.no_effect_on.with(kind());
    for (int i = 0; i < fault_kind_count; ++i) {
      plain.retried[static_cast<std::size_t>(i)] = options.retry_on.contains(static_cast<fault_kind>(i));
      plain.trusted[static_cast<std::size_t>(i)] = options.no_effect_on.contains(static_cast<fault_kind>(i));
    }
    options.server_error_retries.reset();
    if (const int limit = below(9)) options.server_error_retries = static_cast<std::uint32_t>(limit - 1);
    plain.server_error_retries = options.server_error_retries;
    options.max_server_delay =
        duration{plain.max_server_delay = one_of({hour, 100 * ms, second, reference::never})};
    options.server_delay_spread = static_cast<double>(plain.spread_eighths = below(9)) / 8;
    plain.nested_retries = rarely(3);
    options.nested = plain.nested_retries ? nesting::retry : nesting::single_attempt;
  }

  void set_backoff(reference::rules& plain, backoff_options& options) {
    options.base = duration{plain.base = length()};
    options.cap = duration{plain.cap = std::max(plain.base, length())};
    options.multiplier = static_cast<double>(plain.multiplier = one_of({1, 2, 3, 1000}));
    plain.jitter = rarely(2);
    options.jitter = plain.jitter ? jitter::full : jitter::none;
    if (!rarely(4)) return;
    plain.limited_base = std::min(plain.cap, length());
    options.rate_limited_base = duration{*plain.limited_base};
  }

  void set_budget(reference::budget& plain, budget_options& options) {
    plain.capacity = plain.tokens = 1000 * (1 + below(3)) + below(2) * 500;
    plain.credit = 100 * below(11);
    plain.cost = plain.timeout_cost = plain.limited_cost = 1000;
    if (rarely(3)) plain.timeout_cost = 500 * (1 + below(4));
    if (rarely(3)) plain.limited_cost = 500 * (1 + below(4));
    plain.refunds = rarely(3);
    const auto tokens = [](ns thousandths) { return static_cast<double>(thousandths) / 1000; };
    options = token_budget{.capacity = tokens(*plain.capacity),
                           .success_credit = tokens(plain.credit),
                           .timeout_cost = tokens(plain.timeout_cost),
                           .rate_limited_cost = tokens(plain.limited_cost),
                           .refund_last_cost = plain.refunds};
  }

  void set_breaker(reference::breaker& plain, breaker_options& options) {
    plain.failures_to_open = 1 + below(3);
    plain.first_open_for = positive_length();
    plain.longest_open_for = std::max(plain.first_open_for, positive_length());
    plain.growth = 1 + below(3);
    plain.probes = 1 + below(2);
    plain.successes_to_close = 1 + below(3);
    plain.probe_timeout = positive_length();
    options = {.failures = static_cast<std::uint32_t>(plain.failures_to_open),
               .open_for = duration{plain.first_open_for},
               .open_for_jitter = 0,
               .open_for_multiplier = static_cast<double>(plain.growth),
               .max_open_for = duration{plain.longest_open_for},
               .probes = static_cast<std::uint32_t>(plain.probes),
               .successes_to_close = static_cast<std::uint32_t>(plain.successes_to_close),
               .probe_timeout = duration{plain.probe_timeout}};
  }

  Source& source_;
};

}  // namespace relent::model
