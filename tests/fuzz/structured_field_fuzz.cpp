// SPDX-License-Identifier: Apache-2.0
// Structured fields: an item is a list of one and stays itself with blanks around it.
#include <relent/http/structured_field.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace relent::http;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto item = parse_sf_item(text);
  const auto list = parse_sf_list(text);
  const auto dictionary = parse_sf_dictionary(text);
  if (item) {
    if (!list || list->size() != 1) std::abort();
    const auto again = parse_sf_item(" " + std::string(text) + " ");
    if (!again || !(*again == *item)) std::abort();
  }
  if (dictionary)
    for (const auto& [key, member] : *dictionary)
      if (find(*dictionary, key) != &member) std::abort();
  return 0;
}
