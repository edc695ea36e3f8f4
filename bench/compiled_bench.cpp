// SPDX-License-Identifier: Apache-2.0
// Whole calls through the compiled library.
#include <relent/retry.hpp>

#define RELENT_BENCH_MODE "compiled"
#include "calls.ipp"
