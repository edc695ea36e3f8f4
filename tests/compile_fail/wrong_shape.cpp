// SPDX-License-Identifier: Apache-2.0
// expect: the operation must be callable without arguments, or with a relent::attempt
// expect: wrong_shape.cpp:
// An operation that wants arguments of its own: bind them in a lambda.
#include <relent/retry.hpp>

int fetch(int id);

#if defined(CONTROL)
int fetched() {
  return relent::retry([] { return fetch(42); });
}
#else
int fetched() { return relent::retry(fetch); }
#endif
