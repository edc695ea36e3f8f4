// SPDX-License-Identifier: Apache-2.0
// An expected type of one's own as small as can be, an error type and a response that carries its status:
// what outcome_test.cpp and its neighbours let operations return.
#pragma once

#include <relent/fault.hpp>

#include <optional>
#include <string>
#include <system_error>
#include <variant>

namespace shop {

struct fetch_error {
  int status = 0;
};

inline relent::fault relent_fault(const fetch_error& error) {
  return {.kind = error.status == 503 ? relent::fault_kind::overloaded : relent::fault_kind::rejected};
}

inline std::string relent_text(const fetch_error& error) { return "status " + std::to_string(error.status); }

// Nothing but the two functions by which an expected type is known.
template <class T, class E>
class result {
 public:
  result(T value) : content_(std::in_place_index<0>, value) {}
  result(E error) : content_(std::in_place_index<1>, error) {}
  bool has_value() const { return content_.index() == 0; }
  const T& value() const { return std::get<0>(content_); }
  const E& error() const { return std::get<1>(content_); }

 private:
  std::variant<T, E> content_;
};

// A value that carries a status: never an error of C++, not always a success.
struct response {
  int status = 200;
};

inline std::optional<relent::fault> relent_fault(const response& got) {
  if (got.status < 400) return std::nullopt;
  return relent::fault{.kind =
                           got.status == 503 ? relent::fault_kind::overloaded : relent::fault_kind::rejected};
}

}  // namespace shop
