// SPDX-License-Identifier: Apache-2.0
// expect gcc: 'relent::policy_options' has no non-static data member named 'max_atempts'
// expect clang: did you mean 'max_attempts'?
// A misspelt option is named, not merely "no matching constructor".
#include <relent/policy.hpp>

const relent::policy patient{{
#if defined(CONTROL)
    .max_attempts = 5,
#else
    .max_atempts = 5,
#endif
}};
