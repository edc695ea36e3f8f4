// SPDX-License-Identifier: Apache-2.0
// expect gcc: 'relent::call_options' has no non-static data member named 'deadlin'
// expect clang: did you mean 'deadline'?
// In a function's argument the compiler says only that no retry() fits; with the type's name before the
// brace it says which option is wrong.
#include <relent/retry.hpp>

using namespace std::chrono_literals;

int fetch();

int fetched() {
#if defined(CONTROL)
  return relent::retry(fetch, relent::call_options{.deadline = 5s});
#else
  return relent::retry(fetch, relent::call_options{.deadlin = 5s});
#endif
}
