// SPDX-License-Identifier: Apache-2.0
// The HTTP statuses that a policy may name in the place of a kind of fault. Which fault a response is in full is
// not said here.
#pragma once

#include <relent/fault.hpp>

namespace relent::detail {

struct status_kind {
  int status;
  fault_kind kind;
};

/// Those that can be worth another try.
inline constexpr status_kind retryable_statuses[] = {
    {401, fault_kind::unauthenticated}, {408, fault_kind::timeout},       {409, fault_kind::conflict},
    {421, fault_kind::not_processed},   {425, fault_kind::not_processed}, {429, fault_kind::rate_limited},
    {500, fault_kind::server_error},    {502, fault_kind::bad_gateway},   {503, fault_kind::overloaded},
    {504, fault_kind::timeout},
};

}  // namespace relent::detail
