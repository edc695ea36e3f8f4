// SPDX-License-Identifier: Apache-2.0
// Any text as a RateLimit of one line or several, and as a reset of the older families: what is found is bounded, and
// nothing is found in what is malformed.
#include <relent/http/rate_limit.hpp>
#include <relent/http/structured_field.hpp>

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

/// A line of the field for each line of the text.
header_list lines_of(std::string_view text) {
  header_list response;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    response.add("RateLimit", line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return response;
}

void check_limit(const std::optional<rate_limit>& found) {
  if (!found) return;
  check(!found->header.empty());
  if (found->reset) check(*found->reset >= relent::duration::zero());
}

/// Whether a policy of the list has nothing left.
bool is_used_up(const sf_list& list) {
  return std::any_of(list.begin(), list.end(), [](const sf_member& member) {
    const auto* const item = std::get_if<sf_item>(&member);
    if (item == nullptr) return false;
    const bool named =
        std::holds_alternative<std::string>(item->value) || std::holds_alternative<sf_token>(item->value);
    const sf_value* const remaining = find(item->parameters, "r");
    return named && remaining != nullptr && *remaining == sf_value(std::int64_t{0});
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::chrono::system_clock::time_point now = std::chrono::sys_days(std::chrono::year(2026) / 12 / 1);

  const header_list response = lines_of(text);
  const auto found = rate_limit_in(response, now);
  check_limit(found);
  const auto whole = response.joined("RateLimit").value_or("");
  const auto list = parse_sf_list(whole);
  if (found) check(list.has_value() || parse_sf_dictionary(whole).has_value());
  if (found) check(found->header == "ratelimit");
  if (list && is_used_up(*list)) check(found && found->remaining == 0);

  const std::string reset(text);
  for (const char* name : {"RateLimit-Reset", "X-RateLimit-Reset", "X-RateLimit-Reset-After"}) {
    const header_list fields{{"RateLimit-Remaining", "0"}, {"X-RateLimit-Remaining", "0"}, {name, reset}};
    check_limit(rate_limit_in(fields, now));
    check_limit(x_rate_limit_in(fields, now));
  }
  return 0;
}
