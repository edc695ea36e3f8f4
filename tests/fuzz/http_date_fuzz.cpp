// SPDX-License-Identifier: Apache-2.0
// Dates: what is read to the letter is read leniently too, and what is written reads back.
#include <relent/http/date.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace relent::http;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::chrono::system_clock::time_point now = std::chrono::sys_days(std::chrono::year(2026) / 12 / 1);
  const auto strict = parse_date(text, now);
  const auto lenient = parse_date(text, now, date_forms::lenient);
  if (strict && strict != lenient) std::abort();
  if (strict && parse_date(format_date(*strict), now) != strict) std::abort();
  return 0;
}
