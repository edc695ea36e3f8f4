// SPDX-License-Identifier: Apache-2.0
// How much longer everything may take where a sanitizer watches.
#pragma once

namespace relent::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int patience = 4;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr int patience = 4;
#else
inline constexpr int patience = 1;
#endif
#else
inline constexpr int patience = 1;
#endif

}  // namespace relent::test
