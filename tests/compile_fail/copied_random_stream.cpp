// SPDX-License-Identifier: Apache-2.0
// expect gcc: use of deleted function 'relent::random_stream::random_stream(const relent::random_stream&)'
// expect clang: call to deleted constructor of 'relent::random_stream'
// A copy would draw the same series: two callers would wait in step.
#include <relent/random.hpp>

relent::random_stream first{1};
#if defined(CONTROL)
relent::random_stream second = first.split();
#else
relent::random_stream second = first;
#endif
