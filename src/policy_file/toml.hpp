// SPDX-License-Identifier: Apache-2.0
// The TOML reader, compiled into the library: a shared one would cost the tool's start more than reading a file.
// Everybody includes it here, so that all see it with the same switches.
#pragma once

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
// Tables and lists in each other; what a policy needs is six.
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>
