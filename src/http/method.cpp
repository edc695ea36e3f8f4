// SPDX-License-Identifier: Apache-2.0
// The methods.
#include <relent/http/method.hpp>

namespace relent::http {
namespace {

constexpr method_row rows[] = {
    {"GET", true, true},     {"HEAD", true, true},      {"OPTIONS", true, true}, {"TRACE", true, true},
    {"QUERY", true, true},   {"PUT", false, true},      {"DELETE", false, true}, {"POST", false, false},
    {"PATCH", false, false}, {"CONNECT", false, false},
};

constexpr method_row promises_of(std::string_view method) noexcept {
  for (const method_row& row : rows)
    if (row.name == method) return row;
  return {method, false, false};
}

}  // namespace

std::span<const method_row> methods() noexcept { return rows; }
bool is_safe(std::string_view method) noexcept { return promises_of(method).safe; }
bool is_idempotent(std::string_view method) noexcept { return promises_of(method).idempotent; }

}  // namespace relent::http
