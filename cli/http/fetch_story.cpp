// SPDX-License-Identifier: Apache-2.0
// From events to lines.
#include "fetch_story.hpp"

#include "cli/message.hpp"
#include "cli/rounded.hpp"

#include <fmt/format.h>

namespace relent::cli {

void fetch_story::on_event(const event& what) {
  if (progress_ != nullptr) progress_->clear();
  switch (what.kind) {
    case event_kind::attempt: ended(what); break;
    case event_kind::retry: retried(what); break;
    case event_kind::held_back: break;  // only of dependencies with a sender limit; there is none
    case event_kind::outcome:
      if (log_ != nullptr && attempt_) log_->attempt(*attempt_, made(), nullptr);
      attempt_.reset();
      outcome_ = what;
      break;
  }
}

void fetch_story::ended(const event& what) {
  attempt_ = what;
  waiting_ = false;
  if (made_ && made_->number != what.attempt) made_.reset();
  if (!what.fault && what.attempt > 1 && !quiet_)
    say(fmt::format("{}: succeeded (elapsed {})", attempt_name(facts_, what.attempt), rounded(what.elapsed)));
}

void fetch_story::retried(const event& what) {
  if (!quiet_)
    say(fmt::format("{}: {}; retrying in {} ({})", attempt_name(facts_, what.attempt),
                    made_ ? what_happened(*made_) : "failed", rounded(what.wait), wait_origin(what, made())));
  if (log_ != nullptr && attempt_) log_->attempt(*attempt_, made(), &what);
  attempt_.reset();
  waiting_ = true;
}

void fetch_story::tell_end(bool loud) const {
  if ((quiet_ && !loud) || !outcome_ || !outcome_->stop) return;
  const bool made_none = waiting_ || outcome_->attempt == 0;
  const std::string why = why_stopped(facts_, *outcome_->stop, outcome_->attempt == 0 ? nullptr : made());
  if (made_none)
    say(fmt::format("no further attempt: {} (elapsed {})", why, rounded(outcome_->elapsed)));
  else
    say(fmt::format("{}: {}; giving up: {} (elapsed {})", attempt_name(facts_, outcome_->attempt),
                    made_ ? what_happened(*made_) : "failed", why, rounded(outcome_->elapsed)));
}

void fetch_story::end(int exit_code) {
  if (log_ != nullptr && outcome_) log_->end(*outcome_, exit_code);
}

}  // namespace relent::cli
