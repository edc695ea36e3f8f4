// SPDX-License-Identifier: Apache-2.0
// expect: backoff.cap
// expect: must not be below base
// A constant that breaks a rule does not compile, and the notes name the option and the rule.
#include <relent/policy.hpp>

using namespace std::chrono_literals;

#if defined(CONTROL)
constexpr auto cap = 2s;
#else
constexpr auto cap = 10ms;
#endif

constexpr relent::policy gentle{{.backoff = {.base = 50ms, .cap = cap}}};
