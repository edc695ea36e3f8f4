// SPDX-License-Identifier: Apache-2.0
// Durations as people write them in policy files, flags and reports: 250ms, 10s, 1.5s, 1h30m. A number
// without a unit is no duration, not even 0. Dates and HTTP's delay-seconds are not here. Layer 0.
#pragma once

#include <relent/delay_list.hpp>
#include <relent/optional.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace relent {

/// A duration read from text, or what is wrong with the text. Without a value, `error` is a phrase that
/// goes on from the text's name ("has no unit: write 250ms, 10s or 2m"), a literal, and `position` the
/// offset of the character it speaks of; at the end of the text that is its size.
struct duration_parse {
  optional<duration> value = nullopt;
  std::string_view error = {};
  std::size_t position = 0;
};

/// Reads numbers with the units ns, us, ms, s, m (minutes), h and d (24 hours): one of them, or a sum
/// from large to small as in 1h30m, the last with decimals if need be. No sign, blank or exponent, nothing
/// finer than a nanosecond, nothing beyond max_duration. Thread-safe.
duration_parse parse_duration(std::string_view text) noexcept;

/// The shortest exact text in one unit, which parse_duration reads back as the same length: 2m, 90s, 1.5s,
/// 250ms. Decimals only from seconds down, and never below 1 ("100ms", not "0.1s"); "0s" for zero.
/// A negative length begins with a minus, which parse_duration refuses. Thread-safe.
std::string to_text(duration length);

/// A list of delays read from text, or what is wrong with the text, as in duration_parse.
struct delay_list_parse {
  optional<delay_list> value = nullopt;
  std::string_view error = {};
  std::size_t position = 0;
};

/// Reads durations with commas between them, 1s,2s,5s: at least one, at most delay_list::capacity.
/// Thread-safe.
delay_list_parse parse_delay_list(std::string_view text) noexcept;

/// The delays with commas between them, which parse_delay_list reads back as the same list. Thread-safe.
std::string to_text(const delay_list& delays);

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/duration_text.ipp>  // IWYU pragma: export
#endif
