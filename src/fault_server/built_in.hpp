// SPDX-License-Identifier: Apache-2.0
// The paths that the server answers itself.
#pragma once

#include "book.hpp"
#include "performance.hpp"
#include "request_head.hpp"

namespace relent::testing::faults {

/// Whether a request is the server's own business.
bool is_built_in(const request_head& request) noexcept;

/// Does what it asks for.
performance answer_built_in(const request_head& request, book& records, time_point now,
                            const circumstances& around);

}  // namespace relent::testing::faults
