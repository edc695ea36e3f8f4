// SPDX-License-Identifier: Apache-2.0
// Lending.
#include "handle_pool.hpp"

namespace relent::curl::detail {

std::unique_ptr<connected_handle> handle_pool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<connected_handle> handle = std::move(idle_.back());
      idle_.pop_back();
      return handle;
    }
    idle_.reserve(most_idle_);  // so that giving back allocates nothing
  }
  auto handle = std::make_unique<connected_handle>();
  if (stoppable_) handle->connections = make_multi();
  return handle;
}

void handle_pool::give_back(std::unique_ptr<connected_handle> handle) noexcept {
  if (!handle->is_plain) handle->forget_options();
  const std::lock_guard lock(mutex_);
  if (idle_.size() < most_idle_) idle_.push_back(std::move(handle));
}

}  // namespace relent::curl::detail
