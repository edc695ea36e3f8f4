// SPDX-License-Identifier: Apache-2.0
// expect: max_attempts
// expect: must be at least 1: it counts the first attempt too
// max_attempts counts tries, not retries; zero of them would be no call at all.
#include <relent/policy.hpp>

#if defined(CONTROL)
constexpr relent::policy gentle{{.max_attempts = 1}};
#else
constexpr relent::policy gentle{{.max_attempts = 0}};
#endif
