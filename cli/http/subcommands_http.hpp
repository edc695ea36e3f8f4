// SPDX-License-Identifier: Apache-2.0
// The subcommands of relent-http: each takes the words after its name. Layer 5.
#pragma once

#include "cli/subcommands.hpp"

#include <span>

namespace relent::cli {

/// Makes an HTTP request, again when it fails.
ending fetch(std::span<char*> arguments);

/// An HTTP server that misbehaves on request.
ending faults(std::span<char*> arguments);

/// An outage, and what retries do to it.
ending demo(std::span<char*> arguments);

}  // namespace relent::cli
