// SPDX-License-Identifier: Apache-2.0
// The shapes in which servers tell of their limits.
#include <relent/http/rate_limit.hpp>

#include <relent/http/structured_field.hpp>

#include "number.hpp"

#include <array>

namespace relent::http {
namespace {

std::optional<std::uint64_t> natural(const sf_value* value) noexcept {
  const auto* const number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<duration> seconds(std::optional<std::uint64_t> count) noexcept {
  if (!count) return std::nullopt;
  return detail::seconds_of(*count);
}

std::optional<rate_limit> policy_of(const sf_item& item) {
  // A string by the draft; a token in its own examples.
  if (!std::holds_alternative<std::string>(item.value) && !std::holds_alternative<sf_token>(item.value))
    return std::nullopt;
  const auto remaining = natural(find(item.parameters, "r"));
  if (!remaining) return std::nullopt;
  return rate_limit{*remaining, seconds(natural(find(item.parameters, "t"))), "ratelimit"};
}

/// Whether the limit `a` matters more than `b`: nothing is left of it, and for longer.
bool binds_more(const rate_limit& a, const rate_limit& b) noexcept {
  if ((a.remaining == 0) != (b.remaining == 0)) return a.remaining == 0;
  return a.remaining == 0 && a.reset.value_or(duration::zero()) > b.reset.value_or(duration::zero());
}

std::optional<rate_limit> in_list(std::string_view text) {
  const std::optional<sf_list> list = parse_sf_list(text);
  std::optional<rate_limit> found;
  if (!list) return found;
  for (const sf_member& member : *list) {
    const auto* const item = std::get_if<sf_item>(&member);
    const std::optional<rate_limit> one = item == nullptr ? std::nullopt : policy_of(*item);
    if (one && (!found || binds_more(*one, *found))) found = one;
  }
  return found;
}

std::optional<std::uint64_t> natural_in(const sf_dictionary& dictionary, std::string_view name) noexcept {
  const sf_member* const member = find(dictionary, name);
  const auto* const item = member == nullptr ? nullptr : std::get_if<sf_item>(member);
  return item == nullptr ? std::nullopt : natural(&item->value);
}

std::optional<rate_limit> in_dictionary(std::string_view text) {
  const std::optional<sf_dictionary> dictionary = parse_sf_dictionary(text);
  if (!dictionary) return std::nullopt;
  const auto remaining = natural_in(*dictionary, "remaining");
  if (!remaining) return std::nullopt;
  return rate_limit{*remaining, seconds(natural_in(*dictionary, "reset")), "ratelimit"};
}

/// An integer of a field of its own: its first line, up to a comma or parameter.
std::optional<std::uint64_t> natural_of(const header_list& response, std::string_view name) {
  const std::optional<std::string_view> value = response.first(name);
  if (!value) return std::nullopt;
  return detail::natural_number(trimmed(value->substr(0, value->find_first_of(",;"))));
}

constexpr duration from_now(double seconds) noexcept { return detail::seconds_of(seconds); }

/// A reset in a field of its own, by its size.
duration reset_from(double value, std::chrono::system_clock::time_point now) noexcept {
  constexpr double milliseconds_since_1970 = 1e12;
  constexpr double seconds_since_1970 = 1e9;
  if (value < seconds_since_1970) return from_now(value);
  if (value >= milliseconds_since_1970) value /= 1000;
  // Whole seconds first: they are exact.
  const auto today = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  return detail::from(now, from_now(value - static_cast<double>(today)));
}

/// The reset that a field of its own tells, if it does.
std::optional<duration> reset_of(const header_list& response, std::string_view name,
                                 std::chrono::system_clock::time_point now) noexcept {
  const std::optional<std::string_view> text = response.first(name);
  const auto value = text ? detail::decimal_number(*text) : std::nullopt;
  if (!value) return std::nullopt;
  return reset_from(*value, now);
}

struct spelling {
  std::string_view remaining;
  std::string_view reset;
  std::string_view reset_after;
};

constexpr std::array<spelling, 2> spellings{{
    {"x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-reset-after"},
    {"x-rate-limit-remaining", "x-rate-limit-reset", "x-rate-limit-reset-after"},
}};

}  // namespace

std::optional<rate_limit> rate_limit_in(const header_list& response,
                                        std::chrono::system_clock::time_point now) {
  if (const std::optional<std::string> text = response.joined("ratelimit")) {
    if (const auto found = in_list(*text)) return found;
    if (const auto found = in_dictionary(*text)) return found;
  }
  const auto remaining = natural_of(response, "ratelimit-remaining");
  if (!remaining) return std::nullopt;
  rate_limit limit{*remaining, std::nullopt, "ratelimit-reset"};
  if (const auto reset = natural_of(response, limit.header))
    limit.reset = reset_from(static_cast<double>(*reset), now);
  return limit;
}

std::optional<rate_limit> x_rate_limit_in(const header_list& response,
                                          std::chrono::system_clock::time_point now) {
  for (const spelling& names : spellings) {
    const auto remaining = natural_of(response, names.remaining);
    if (!remaining) continue;
    rate_limit limit{*remaining, std::nullopt, names.reset};
    if (const auto after = response.first(names.reset_after); after && detail::decimal_number(*after)) {
      limit.reset = from_now(*detail::decimal_number(*after));
      limit.header = names.reset_after;
    } else {
      limit.reset = reset_of(response, names.reset, now);
    }
    return limit;
  }
  return std::nullopt;
}

}  // namespace relent::http
