// SPDX-License-Identifier: Apache-2.0
// libFuzzer against the engine: the bytes choose a policy, a dependency and what happens to its calls; the
// reference model must come to the same decisions (model/lockstep.hpp).
#include "model/lockstep.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

/// One byte is one choice. Past the end everything is as plain as it can be, and nothing more happens.
struct chosen_by_bytes {
  const std::uint8_t* next;
  const std::uint8_t* end;

  int choose(int n) { return next == end ? 0 : *next++ % n; }
  bool more() const { return next != end; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen_by_bytes source{data, data + size};
  if (relent::model::trial(source, false).disagreement().empty()) return 0;
  chosen_by_bytes again{data, data + size};
  const std::string story = relent::model::trial(again).disagreement();
  std::fprintf(stderr, "the engine and the reference disagree:%s\n", story.c_str());
  std::abort();
}
