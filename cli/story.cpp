// SPDX-License-Identifier: Apache-2.0
// From events to lines.
#include "story.hpp"

#include "message.hpp"
#include "rounded.hpp"

#include <fmt/format.h>

namespace relent::cli {

void story::on_event(const event& what) {
  switch (what.kind) {
    case event_kind::attempt:
      if (!what.fault && what.attempt > 1)
        say(fmt::format("{}: {} (elapsed {})", attempt_name(facts_, what.attempt), success_text(facts_),
                        rounded(what.elapsed)));
      waiting_ = false;
      break;
    case event_kind::retry:
      say(fmt::format("{}: {}; retrying in {} ({})", attempt_name(facts_, what.attempt),
                      what_happened(facts_), rounded(what.wait), to_string(what.source)));
      waiting_ = true;
      break;
    case event_kind::held_back: break;  // only of dependencies with a sender limit; a command has none
    case event_kind::outcome:
      if (what.stop) tell_end(what);
      break;
  }
}

void story::tell_end(const event& outcome) const {
  const std::string why = why_stopped(facts_, *outcome.stop, waiting_);
  if (waiting_ || outcome.attempt == 0)
    say(fmt::format("no further attempt: {} (elapsed {})", why, rounded(outcome.elapsed)));
  else
    say(fmt::format("{}: {}; giving up: {} (elapsed {})", attempt_name(facts_, outcome.attempt),
                    what_happened(facts_), why, rounded(outcome.elapsed)));
}

}  // namespace relent::cli
