// SPDX-License-Identifier: Apache-2.0
// expect: nobody has said what this error type means
// expect: relent::fault relent_fault(const your_error&)
// expect: unclassified_error.cpp:
// An error value whose meaning nobody has said; the message says how to, and where it came up.
#include <relent/retry.hpp>

namespace shop {

struct fetch_error {
  int code = 0;
};

#if defined(CONTROL)
relent::fault relent_fault(const fetch_error&) { return {.kind = relent::fault_kind::unreachable}; }
#endif

struct fetched {
  bool has_value() const { return false; }
  fetch_error error() const { return {}; }
};

}  // namespace shop

shop::fetched fetch() {
  return relent::retry([] { return shop::fetched(); });
}
