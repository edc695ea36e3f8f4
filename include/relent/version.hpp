// SPDX-License-Identifier: Apache-2.0
// The version of the library and the switch between its two modes.
// Header-only is the default: every body is inline. With RELENT_COMPILED defined the bodies are
// compiled once, in src/relent.cpp, and the headers only declare them. Layer 0: includes nothing.
#pragma once

#define RELENT_VERSION_MAJOR 0
#define RELENT_VERSION_MINOR 1
#define RELENT_VERSION_PATCH 0
#define RELENT_VERSION "0.1.0"

#if defined(RELENT_COMPILED)
#define RELENT_INLINE
#else
#define RELENT_INLINE inline
#endif
