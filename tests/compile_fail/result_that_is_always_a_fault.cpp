// SPDX-License-Identifier: Apache-2.0
// expect: makes a fault of every result
// expect: it must return std::optional<relent::fault>
// A result type whose hook was written as for an error type: no result of it could be a success.
#include <relent/retry.hpp>

#include <optional>

namespace shop {

struct response {
  int status = 200;
};

#if defined(CONTROL)
std::optional<relent::fault> relent_fault(const response& got) {
  if (got.status < 500) return std::nullopt;
  return relent::fault{.kind = relent::fault_kind::server_error};
}
#else
relent::fault relent_fault(const response&) { return {.kind = relent::fault_kind::server_error}; }
#endif

}  // namespace shop

shop::response get();

int status_of_page() { return relent::retry(get).status; }
