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

// toml++ 3.3 asserts that a table's header begins with the letter of a key before it has looked, so that [@a] would
// end the program, or with clang and NDEBUG be undefined. Where the assertion is left out, the very next lines
// find the wrong letter and report it as they should.
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT
#define TOML_ASSERT(expr) static_assert(true)
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expr) static_assert(true)
#include <toml++/toml.h>
