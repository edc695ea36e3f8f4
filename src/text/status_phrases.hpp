// SPDX-License-Identifier: Apache-2.0
// The words that go with a status of HTTP. What it means for a retry is in relent/http/status.hpp.
#pragma once

#include <string_view>

namespace relent::text {

/// "Service Unavailable" for 503, as the registry has it (RFC 9110 section 15); empty for a status without words.
std::string_view status_phrase(int status) noexcept;

}  // namespace relent::text
