// SPDX-License-Identifier: Apache-2.0
// The records of a call, kept small however long it is.
#pragma once

#include <relent/curl/response.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace relent::curl::detail {

inline constexpr std::size_t most_records = 33;

/// Keeps the first ones and the latest.
inline void keep_record(std::vector<transfer_record>& records, transfer_record record) {
  if (records.size() == most_records) records.pop_back();
  records.push_back(std::move(record));
}

}  // namespace relent::curl::detail
