// SPDX-License-Identifier: Apache-2.0
// Any bytes as a duration: either a length that reads back as itself, or an error at a place in the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <relent/duration_text.hpp>
#include <string_view>

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const relent::duration_parse read = relent::parse_duration(text);
  if (read.value) {
    check(read.error.empty());
    check(*read.value >= relent::duration::zero());
    check(relent::parse_duration(relent::to_text(*read.value)).value == read.value);
  } else {
    check(!read.error.empty());
    check(read.position <= size);
  }
  return 0;
}
