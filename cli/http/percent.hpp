// SPDX-License-Identifier: Apache-2.0
// Writing text so that an address or a form can hold it, and bytes so that a header can. Layer 5.
#pragma once

#include <string>
#include <string_view>

namespace relent::cli {

/// All but letters, digits and -._~ as %XX (RFC 3986 section 2.1).
std::string percent_encoded(std::string_view text);

/// RFC 4648 section 4.
std::string base64(std::string_view bytes);

}  // namespace relent::cli
