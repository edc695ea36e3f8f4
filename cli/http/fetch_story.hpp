// SPDX-License-Identifier: Apache-2.0
// Hears a call of `relent fetch` and tells of it, on stderr and in the log: what the engine decided after each
// attempt, together with what is known of its transfer. Layer 5.
#pragma once

#include "fetch_log.hpp"
#include "fetch_told.hpp"
#include "transfer_progress.hpp"

#include <relent/event.hpp>

#include <optional>
#include <string>

namespace relent::cli {

/// One thread.
class fetch_story final : public observer {
 public:
  /// The facts must outlive it, and so must the others; no progress, no log: null. `quiet`: nothing is told.
  fetch_story(const fetch_told& facts, bool quiet, transfer_progress* progress)
      : facts_(facts), quiet_(quiet), progress_(progress) {}

  void log_to(fetch_log* log) { log_ = log; }
  /// What is known of the attempt whose event comes next.
  void transferred(const curl::transfer_record& made) { made_ = made; }

  void on_event(const event& what) override;

  /// The call failed. `loud`: told even if quiet.
  void tell_end(bool loud) const;
  /// To the log; a call that never began has no outcome.
  void end(int exit_code);

 private:
  const curl::transfer_record* made() const { return made_ ? &*made_ : nullptr; }
  void ended(const event& what);
  void retried(const event& what);

  const fetch_told& facts_;
  bool quiet_;
  transfer_progress* progress_;
  fetch_log* log_ = nullptr;
  std::optional<curl::transfer_record> made_;
  std::optional<event> attempt_;  ///< ended, and not logged yet
  std::optional<event> outcome_;
  bool waiting_ = false;
};

}  // namespace relent::cli
