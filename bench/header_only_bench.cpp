// SPDX-License-Identifier: Apache-2.0
// Whole calls through the header-only library. The program is linked with the compiled one; so that both have
// a place in it, this file sees the library under another name.
#undef RELENT_COMPILED
#define relent relent_header_only
#include <relent/retry.hpp>

#define RELENT_BENCH_MODE "header_only"
#include "calls.ipp"
