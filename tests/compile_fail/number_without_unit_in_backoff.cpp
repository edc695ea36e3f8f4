// SPDX-License-Identifier: Apache-2.0
// expect gcc: could not convert '100' from 'int' to 'relent::duration'
// expect clang: no viable conversion from 'int' to 'relent::duration'
// The same, one level deeper.
#include <relent/policy.hpp>

using namespace std::chrono_literals;

const relent::policy patient{{
#if defined(CONTROL)
    .backoff = {.base = 100ms},
#else
    .backoff = {.base = 100},
#endif
}};
