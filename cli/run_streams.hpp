// SPDX-License-Identifier: Apache-2.0
// stdin, stdout and stderr of the attempts of `relent run`, as the order wants them. Layer 5.
#pragma once

#include "attempt_streams.hpp"
#include "input_replay.hpp"
#include "line_watch.hpp"
#include "output_taker.hpp"
#include "run_order.hpp"
#include "verdict.hpp"

#include <optional>
#include <string>

namespace relent::cli {

/// One thread.
class run_streams final : public attempt_streams {
 public:
  run_streams(output_mode output, std::uint64_t stdin_limit, const command_rules& rules);

  /// Whether anything is to be done; if not, the attempts' files are simply ours.
  bool needed() const noexcept { return in_.is_needed() || out_.is_needed() || err_.is_needed(); }

  int begin(command_surroundings& around) override;
  void started() override;
  void watch(std::vector<pollfd>& set) override;
  void handle(std::span<const pollfd> ready) override;
  void end() override;
  bool broken() const override { return in_.is_broken(); }
  bool pending() const override { return out_.pending() || err_.pending(); }

  /// Which patterns the latest attempt's output matched.
  output_matches found() const noexcept;
  /// Why there must be no further attempt; empty if there may be. `broken_pipe`: the latest one died of that.
  std::string objection(bool broken_pipe) const;

  /// What becomes of held output: the attempt is followed by another one, is one of several successes, or
  /// was the last. To be followed by supervisor::flush.
  void attempt_failed();
  void drop_held() { out_.discard(); }
  void release_held() { out_.release_to(1); }

  /// What could not be written to our own descriptors; empty if all was.
  std::string lost_output() const;
  /// What went wrong with our stdin; empty if nothing did.
  std::string input_failure() const { return in_.is_broken() ? in_.why_not() : in_.trouble(); }

 private:
  bool has_found(const std::optional<std::size_t>& pattern) const noexcept;

  output_mode output_;
  std::optional<std::size_t> retry_on_;  // its number in both watches
  std::optional<std::size_t> until_;
  line_watch out_watch_;
  line_watch err_watch_;
  input_replay in_;
  output_taker out_;
  output_taker err_;
};

/// Streams of a command that must not touch ours: nothing to read, and what it writes goes to stderr.
class aside_streams final : public attempt_streams {
 public:
  int begin(command_surroundings& around) override;
  void started() override;
  void watch(std::vector<pollfd>&) override {}
  void handle(std::span<const pollfd>) override {}
  void end() override {}
  bool broken() const override { return false; }
  bool pending() const override { return false; }

 private:
  int nothing_ = -1;
};

}  // namespace relent::cli
