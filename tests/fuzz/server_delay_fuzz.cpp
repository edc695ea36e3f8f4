// SPDX-License-Identifier: Apache-2.0
// Lines of header fields, "name: value": whatever they say, the wait is none or not negative, and a Retry-After
// keeps RateLimit from being asked.
#include <relent/http/rate_limit.hpp>
#include <relent/http/server_delay.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace relent;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  http::header_list response;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) response.add(line.substr(0, colon), line.substr(colon + 1));
  }
  const std::chrono::system_clock::time_point now = std::chrono::sys_days(std::chrono::year(2026) / 12 / 1);
  const auto delay = http::server_delay_in(response, now);
  if (delay && delay->wait < duration::zero()) std::abort();
  if (delay && response.contains("retry-after") && delay->header.find("limit") != std::string_view::npos)
    std::abort();
  if (delay && !response.contains(delay->header)) std::abort();
  return 0;
}
