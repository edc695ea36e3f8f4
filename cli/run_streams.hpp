// SPDX-License-Identifier: Apache-2.0
// stdin, stdout and stderr of the attempts of `relent run`, as the order wants them. Layer 5.
#pragma once

#include "attempt_streams.hpp"
#include "run_order.hpp"
#include "stdin_feeder.hpp"
#include "stdout_taker.hpp"
#include "verdict.hpp"

#include <optional>
#include <string>

namespace relent::cli {

/// One thread.
class run_streams final : public attempt_streams {
 public:
  run_streams(output_mode output, std::uint64_t stdin_limit, const command_rules& rules);

  /// Whether anything is to be done; if not, the attempts' files are simply ours.
  bool needed() const noexcept { return in_.feeds() || in_.rewinds() || out_.takes() || err_.takes(); }

  int begin(command_surroundings& around) override;
  void started() override;
  void watch(std::vector<pollfd>& set) override;
  void handle(std::span<const pollfd> ready) override;
  void end() override;
  bool pending() const override { return out_.pending() || err_.pending(); }

  /// Which patterns the latest attempt's output matched.
  output_matches found() const noexcept;
  /// Why there must be no further attempt; empty if there may be. `broken_pipe`: the latest one died of that.
  std::string objection(bool broken_pipe) const;

  /// What becomes of held output: the attempt is followed by another one, is one of several successes, or
  /// was the last. To be followed by supervisor::flush.
  void attempt_failed();
  void drop_held() { out_.drop(); }
  void release_held() { out_.release_to(1); }

  /// What could not be written to our own descriptors; empty if all was.
  std::string lost_output() const;
  /// What went wrong with our stdin; empty if nothing did.
  std::string input_failure() const { return in_.failure(); }

 private:
  output_mode output_;
  std::optional<pattern> retry_on_;
  std::optional<pattern> until_;
  stdin_feeder in_;
  stdout_taker out_;
  stdout_taker err_;
};

/// Streams of a command that must not touch ours: nothing to read, and what it writes goes to stderr.
class aside_streams final : public attempt_streams {
 public:
  int begin(command_surroundings& around) override;
  void started() override;
  void watch(std::vector<pollfd>&) override {}
  void handle(std::span<const pollfd>) override {}
  void end() override {}
  bool pending() const override { return false; }

 private:
  int nothing_ = -1;
};

}  // namespace relent::cli
