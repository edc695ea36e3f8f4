// SPDX-License-Identifier: Apache-2.0
// What `relent run` tells on stderr: a line for each attempt that failed, with what follows and why, and
// one for a success that took more than one. Decides nothing: it hears what the engine decided. Layer 5.
#pragma once

#include "supervisor.hpp"

#include <relent/event.hpp>
#include <relent/policy.hpp>

#include <string>
#include <string_view>

namespace relent::cli {

/// Hears one call, from its beginning. One thread.
class story final : public observer {
 public:
  /// All three must outlive it.
  story(const policy& rules, std::string_view command, const supervisor& runner)
      : rules_(rules), command_(command), runner_(runner) {}

  /// To be told of each attempt's end before the engine is, and of the time limit it had.
  void attempt_ended(const attempt_result& result, time_point limit);

  void on_event(const event& what) override;

 private:
  /// How the last attempt ended: "exit code 1", "killed by SIGSEGV (11)", "timed out after 2s".
  std::string what_happened() const;
  std::string beginning(std::uint32_t attempt) const;
  std::string why_stopped(stop_reason reason) const;
  void tell_end(const event& outcome) const;

  const policy& rules_;
  std::string_view command_;
  const supervisor& runner_;
  /// The call begins a moment later, and its deadline with it.
  time_point begin_ = now();
  attempt_result last_{};
  bool cut_by_deadline_ = false;
  bool waiting_ = false;
};

}  // namespace relent::cli
