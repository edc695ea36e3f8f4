// SPDX-License-Identifier: Apache-2.0
// A flaky operation for tests: its outcomes are written down.
#pragma once

#include <relent/fault.hpp>
#include <relent/testing/manual_clock.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace relent::testing {

/// What a scripted attempt does: nothing means success.
using scripted_outcome = std::optional<fault>;

/// An outcome that succeeds.
inline constexpr std::nullopt_t succeeds = std::nullopt;

/// The result of a scripted operation: like std::expected<int, fault>, with the attempt's number as its value.
class scripted_result {
 public:
  explicit scripted_result(int attempt) : attempt_(attempt) {}
  explicit scripted_result(const fault& error) : error_(error) {}

  bool has_value() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  int value() const { return attempt_; }
  const fault& error() const { return *error_; }

 private:
  int attempt_ = 0;
  std::optional<fault> error_;
};

/// Fails and succeeds as written, the last outcome for ever; takes the time it is told to take. Counts its
/// calls. One thread at a time.
///     scripted_operation flaky{{{.kind = fault_kind::overloaded}, succeeds}};
///     relent::retry(policy, std::ref(flaky), …);
class scripted_operation {
 public:
  scripted_operation(std::initializer_list<scripted_outcome> outcomes) : outcomes_(outcomes) {}
  scripted_operation(manual_clock& clock, duration takes, std::initializer_list<scripted_outcome> outcomes)
      : outcomes_(outcomes), clock_(&clock), takes_(takes) {}

  scripted_result operator()() {
    ++calls_;
    if (clock_ != nullptr) clock_->advance(takes_);
    if (outcomes_.empty()) return scripted_result(calls_);
    const std::size_t last = outcomes_.size() - 1;
    const auto which = static_cast<std::size_t>(calls_ - 1);
    const scripted_outcome& outcome = outcomes_[which < last ? which : last];
    return outcome ? scripted_result(*outcome) : scripted_result(calls_);
  }

  int calls() const noexcept { return calls_; }

 private:
  std::vector<scripted_outcome> outcomes_;
  manual_clock* clock_ = nullptr;
  duration takes_ = duration::zero();
  int calls_ = 0;
};

}  // namespace relent::testing
