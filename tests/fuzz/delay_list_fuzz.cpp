// SPDX-License-Identifier: Apache-2.0
// Any bytes as a list of delays: either a list that reads back as itself, or an error at a place in the text.
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
  const relent::delay_list_parse read = relent::parse_delay_list(text);
  if (read.value) {
    check(read.error.empty());
    check(!read.value->empty() && !read.value->too_long());
    check(relent::parse_delay_list(relent::to_text(*read.value)).value == read.value);
  } else {
    check(!read.error.empty());
    check(read.position <= size);
  }
  return 0;
}
