// SPDX-License-Identifier: Apache-2.0
// What `relent run` tells on stderr: a line for each attempt that failed, with what follows and why, and
// one for a success that took more than one. Decides nothing: it hears what the engine decided. Layer 5.
#pragma once

#include "told.hpp"

#include <relent/event.hpp>

namespace relent::cli {

/// Hears one call, from its beginning. One thread.
class story final : public observer {
 public:
  /// The facts must outlive it.
  explicit story(const told& facts) : facts_(facts) {}

  void on_event(const event& what) override;

 private:
  void tell_end(const event& outcome) const;

  const told& facts_;
  bool waiting_ = false;
};

}  // namespace relent::cli
