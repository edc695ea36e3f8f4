// SPDX-License-Identifier: Apache-2.0
// expect gcc: could not convert '5' from 'int' to 'relent::optional<std::chrono::duration
// expect clang: no viable conversion from 'int' to 'optional<relent::duration>'
// Five of what?
#include <relent/policy.hpp>

using namespace std::chrono_literals;

const relent::policy patient{{
#if defined(CONTROL)
    .deadline = 5s,
#else
    .deadline = 5,
#endif
}};
