// SPDX-License-Identifier: Apache-2.0
// The engine in a loop of one's own: it says what to do, and does nothing itself. Here one thread runs two
// calls at once, with a list of timers and a clock that jumps from one to the next.
#include <relent/engine.hpp>

#include <chrono>
#include <iostream>
#include <map>

namespace {

using namespace std::chrono_literals;
namespace engine = relent::engine;

constexpr relent::policy rules{{.backoff = {.base = 100ms, .jitter = relent::jitter::none}}};

struct call {
  char name;
  int failures_to_come;
  engine::call_state state = {};
};

}  // namespace

int main() {
  engine::shared_state nothing_shared;
  relent::random_stream random(1);
  relent::time_point now{1h};
  std::multimap<relent::time_point, call*> timers;

  // Does what the engine says until the call waits or is over.
  const auto run = [&](call& c, engine::decision next) {
    while (next.action == engine::action::attempt) {
      std::cout << (now - relent::time_point{1h}) / 1ms << " ms: " << c.name << '\n';
      if (c.failures_to_come-- == 0) return engine::succeeded(c.state, nothing_shared, now);
      const relent::fault what{.kind = relent::fault_kind::unreachable};
      next = engine::failed(c.state, rules, nothing_shared, what, {}, now, random);
    }
    if (next.action == engine::action::wait) timers.emplace(next.until, &c);
    if (next.action == engine::action::stop)
      std::cout << c.name << " stops: " << to_string(next.reason) << '\n';
  };

  call a{'a', 1}, b{'b', 9};
  for (call* c : {&a, &b}) run(*c, engine::begin(c->state, rules, nothing_shared, {}, now));
  while (!timers.empty()) {
    const auto timer = timers.extract(timers.begin());
    now = timer.key();
    run(*timer.mapped(), engine::woke(timer.mapped()->state, rules, nothing_shared, now));
  }
}
// prints: 0 ms: a
// prints: 0 ms: b
// prints: 100 ms: a
// prints: 100 ms: b
// prints: 300 ms: b
// prints: b stops: attempts
