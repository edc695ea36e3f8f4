// SPDX-License-Identifier: Apache-2.0
// Any text as a Retry-After: digits are seconds whatever the clock, anything else is a date or nothing, by the server's
// clock alone if it has one.
#include <relent/http/date.hpp>
#include <relent/http/server_delay.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace relent::http;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::chrono::system_clock::time_point now = std::chrono::sys_days(std::chrono::year(2026) / 12 / 1);
  const header_list dated{{"Date", "Tue, 01 Dec 2026 00:00:00 GMT"}};

  const auto lenient = parse_retry_after(text, {}, now);
  const auto strict = parse_retry_after(text, {}, now, false);
  if (strict) check(lenient == strict);
  if (lenient) check(*lenient >= relent::duration::zero());

  const std::string_view value = trimmed(text);
  if (is_number(value)) {
    check(strict.has_value());
    check(*strict == relent::max_duration || *strict % std::chrono::seconds(1) == relent::duration::zero());
    check(parse_retry_after(text, {}, now + std::chrono::hours(1)) == strict);
  } else {
    check(lenient.has_value() == parse_date(value, now, date_forms::lenient).has_value());
  }
  check(parse_retry_after(text, dated, now - std::chrono::hours(24 * 9000)) == lenient);
  check(parse_retry_after("\t " + std::string(text) + " ", {}, now) == lenient);

  const auto delay = server_delay_in({{"Retry-After", std::string(text)}}, now);
  check(delay.has_value() == lenient.has_value());
  if (delay) check(delay->wait == *lenient && delay->header == "retry-after");
  return 0;
}
