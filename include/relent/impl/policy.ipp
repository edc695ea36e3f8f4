// SPDX-License-Identifier: Apache-2.0
// How a policy refuses impossible options.
#pragma once

#include <relent/policy.hpp>

namespace relent::detail {

RELENT_INLINE void throw_problems(const problem_list& found) { throw options_error(found); }

}  // namespace relent::detail
