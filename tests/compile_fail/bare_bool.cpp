// SPDX-License-Identifier: Apache-2.0
// expect: a bare bool does not say what went wrong
// expect: relent::classified(operation, judge)
// expect: bare_bool.cpp:
// False says that it failed, but not whether another try can help.
#include <relent/retry.hpp>

#include <optional>

bool save();

#if defined(CONTROL)
bool save_with_retries() {
  return relent::retry(relent::classified(save, [](bool saved) {
    return saved ? std::nullopt : std::optional(relent::fault{.kind = relent::fault_kind::unreachable});
  }));
}
#else
bool save_with_retries() { return relent::retry(save); }
#endif
