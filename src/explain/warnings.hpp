// SPDX-License-Identifier: Apache-2.0
// The warnings; explained in explanation.hpp.
#pragma once

#include <relent/explain/explanation.hpp>

#include <vector>

namespace relent::detail {

/// All that there is to warn of, the gravest first.
std::vector<warning> warnings_of(const explain_options& options, const explanation& facts);

}  // namespace relent::detail
