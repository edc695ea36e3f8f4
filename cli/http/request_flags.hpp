// SPDX-License-Identifier: Apache-2.0
// The flags of `relent fetch` that describe the request and the connection. Layer 5.
#pragma once

#include "fetch_order.hpp"

#include <string>
#include <vector>

namespace relent::cli {

/// The address, the method, the headers, what is sent and whether that may be repeated. What is wrong is added to
/// `problems`, without what may be secret. Throws content_error.
fetch_request read_request(const flag_values& values, std::vector<std::string>& problems);

/// How the server is reached.
fetch_connection read_connection(const flag_values& values, std::vector<std::string>& problems);

}  // namespace relent::cli
