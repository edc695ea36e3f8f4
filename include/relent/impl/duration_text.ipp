// SPDX-License-Identifier: Apache-2.0
// The reader and the writer of durations. Both work on integers: no rounding, no locale. Layer 0.
#pragma once

#include <relent/duration_text.hpp>

#include <cstdint>

namespace relent {
namespace detail {

struct duration_unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};

/// From large to small; a sum must follow this order.
inline constexpr duration_unit duration_units[] = {
    {"d", 86'400'000'000'000},
    {"h", 3'600'000'000'000},
    {"m", 60'000'000'000},
    {"s", 1'000'000'000},
    {"ms", 1'000'000},
    {"us", 1'000},
    {"ns", 1},
};
inline constexpr std::size_t duration_unit_count = sizeof duration_units / sizeof duration_units[0];
inline constexpr std::size_t first_decimal_unit = 3;  // seconds: written with decimals from here on

namespace duration_errors {
inline constexpr std::string_view empty = "is empty: write 250ms, 10s or 2m";
inline constexpr std::string_view no_number = "does not begin with a number: write 250ms, 10s or 2m";
inline constexpr std::string_view no_unit = "has no unit: write 250ms, 10s or 2m";
inline constexpr std::string_view unknown_unit = "has an unknown unit: use ns, us, ms, s, m, h or d";
inline constexpr std::string_view order = "has units out of order: write the larger first, as in 1h30m";
inline constexpr std::string_view sign = "has a sign: write the length alone, as in 10s";
inline constexpr std::string_view blank = "has a blank: write it in one piece, as in 1h30m";
inline constexpr std::string_view comma = "has a comma: write decimals with a point, as in 1.5s";
inline constexpr std::string_view exponent = "has an exponent: write the number out, as in 1000s";
inline constexpr std::string_view point = "needs a digit before and after the point, as in 0.5s";
inline constexpr std::string_view decimals = "has decimals before the last unit: write 1h30m or 1.5h";
inline constexpr std::string_view too_fine = "is finer than a nanosecond: leave out the last decimals";
inline constexpr std::string_view too_long = "is too long: at most 106751d, about 292 years";
inline constexpr std::string_view list_empty = "is empty: write the delays as 1s,2s,5s";
inline constexpr std::string_view list_gap = "has an empty place: write the delays as 1s,2s,5s";
inline constexpr std::string_view list_blank = "has a blank: write the delays as 1s,2s,5s";
inline constexpr std::string_view list_too_long = "has too many delays: write at most 16; the last repeats";
}  // namespace duration_errors

/// Reads one text from left to right; stops at the first error.
class duration_reader {
 public:
  constexpr explicit duration_reader(std::string_view text) noexcept : text_(text) {}

  constexpr duration_parse read() noexcept {
    if (text_.empty()) return {nullopt, duration_errors::empty, 0};
    while (ok() && at_ < text_.size()) read_part();
    if (!ok()) return {nullopt, error_, error_at_};
    return {duration{static_cast<duration::rep>(total_)}, {}, 0};
  }

 private:
  static constexpr std::uint64_t limit = static_cast<std::uint64_t>(max_duration.count());

  static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  static constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  static constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static constexpr std::uint64_t value_of(char digit) noexcept {
    return static_cast<std::uint64_t>(digit - '0');
  }

  constexpr bool ok() const noexcept { return error_.empty(); }
  constexpr bool at_end() const noexcept { return at_ == text_.size(); }
  constexpr void fail(std::string_view error, std::size_t at) noexcept {
    error_ = error;
    error_at_ = at;
  }

  /// One number and its unit.
  constexpr void read_part() noexcept {
    if (!decimals_.empty()) return fail(duration_errors::decimals, decimals_at_ - 1);
    const std::size_t start = at_;
    const std::string_view whole = digits();
    if (!at_end() && text_[at_] == '.') read_decimals(whole);
    if (ok() && whole.empty()) fail(unexpected(duration_errors::no_number), at_);
    const std::size_t unit = ok() ? read_unit() : 0;
    if (ok()) add_whole(whole, duration_units[unit].nanoseconds, start);
    if (ok()) add_decimals(duration_units[unit].nanoseconds, start);
  }

  constexpr std::string_view digits() noexcept {
    const std::size_t start = at_;
    while (!at_end() && is_digit(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  constexpr void read_decimals(std::string_view whole) noexcept {
    const std::size_t point = at_++;
    decimals_at_ = at_;
    decimals_ = digits();
    if (whole.empty() || decimals_.empty()) fail(duration_errors::point, point);
  }

  /// The index of the unit that stands here.
  constexpr std::size_t read_unit() noexcept {
    const std::size_t start = at_;
    while (!at_end() && is_letter(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    for (std::size_t i = 0; i < duration_unit_count; ++i) {
      if (duration_units[i].name != name) continue;
      if (i < next_unit_) fail(duration_errors::order, start);
      next_unit_ = i + 1;
      return i;
    }
    if (name.empty())
      fail(at_end() ? duration_errors::no_unit : unexpected(duration_errors::unknown_unit), start);
    else
      fail(looks_like_exponent(name) ? duration_errors::exponent : duration_errors::unknown_unit, start);
    return 0;
  }

  constexpr bool looks_like_exponent(std::string_view name) const noexcept {
    if (name != "e" && name != "E") return false;
    return !at_end() && (is_digit(text_[at_]) || text_[at_] == '+' || text_[at_] == '-');
  }

  /// The error for the character that stands here, `otherwise` if there is none better.
  constexpr std::string_view unexpected(std::string_view otherwise) const noexcept {
    if (at_end()) return otherwise;
    const char c = text_[at_];
    if (is_blank(c)) return duration_errors::blank;
    if (c == '+' || c == '-') return duration_errors::sign;
    if (c == ',') return duration_errors::comma;
    return otherwise;
  }

  constexpr void add_whole(std::string_view whole, std::uint64_t unit, std::size_t start) noexcept {
    const std::uint64_t most = limit / unit;
    std::uint64_t count = 0;
    for (const char c : whole) {
      if (count > most / 10) return fail(duration_errors::too_long, start);
      count = count * 10 + value_of(c);
    }
    if (count > most) return fail(duration_errors::too_long, start);
    add(count * unit, start);
  }

  /// From the last decimal to the first, each step a tenth of the sum so far: if one of them is not whole,
  /// then neither is the result.
  constexpr void add_decimals(std::uint64_t unit, std::size_t start) noexcept {
    std::uint64_t part = 0;
    for (std::size_t i = decimals_.size(); i > 0; --i) {
      part += value_of(decimals_[i - 1]) * unit;
      if (part % 10 != 0) return fail(duration_errors::too_fine, decimals_at_);
      part /= 10;
    }
    add(part, start);
  }

  constexpr void add(std::uint64_t nanoseconds, std::size_t start) noexcept {
    if (nanoseconds > limit - total_) return fail(duration_errors::too_long, start);
    total_ += nanoseconds;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t next_unit_ = 0;  // the largest unit that may still come
  std::string_view decimals_;  // of the last number read
  std::size_t decimals_at_ = 0;
  std::uint64_t total_ = 0;
  std::string_view error_;
  std::size_t error_at_ = 0;
};

/// The unit in which to_text writes a count of nanoseconds above zero.
constexpr duration_unit unit_for_text(std::uint64_t count) noexcept {
  for (std::size_t i = 0; i < first_decimal_unit; ++i)
    if (count % duration_units[i].nanoseconds == 0) return duration_units[i];
  for (std::size_t i = first_decimal_unit; i < duration_unit_count; ++i)
    if (count >= duration_units[i].nanoseconds) return duration_units[i];
  return duration_units[duration_unit_count - 1];
}

constexpr delay_list_parse wrong_list(std::string_view error, std::size_t position) noexcept {
  return {nullopt, error, position};
}

}  // namespace detail

RELENT_INLINE duration_parse parse_duration(std::string_view text) noexcept {
  return detail::duration_reader{text}.read();
}

RELENT_INLINE std::string to_text(duration length) {
  if (length == duration::zero()) return "0s";
  const bool negative = length < duration::zero();
  const auto bits = static_cast<std::uint64_t>(length.count());
  const std::uint64_t count = negative ? std::uint64_t{0} - bits : bits;
  const detail::duration_unit unit = detail::unit_for_text(count);
  std::string text = negative ? "-" : "";
  text += std::to_string(count / unit.nanoseconds);
  std::uint64_t rest = count % unit.nanoseconds;
  if (rest != 0) text += '.';
  for (std::uint64_t place = unit.nanoseconds / 10; rest != 0; place /= 10) {
    text += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return text.append(unit.name);
}

RELENT_INLINE delay_list_parse parse_delay_list(std::string_view text) noexcept {
  namespace errors = detail::duration_errors;
  if (text.empty()) return detail::wrong_list(errors::list_empty, 0);
  delay_list delays;
  for (std::size_t at = 0; at <= text.size();) {
    const std::string_view item = text.substr(at, text.find(',', at) - at);
    if (item.empty()) return detail::wrong_list(errors::list_gap, at);
    const duration_parse read = parse_duration(item);
    if (!read.value)
      return detail::wrong_list(read.error == errors::blank ? errors::list_blank : read.error,
                                at + read.position);
    if (!delays.add(*read.value)) return detail::wrong_list(errors::list_too_long, at);
    at += item.size() + 1;
  }
  return {delays, {}, 0};
}

RELENT_INLINE std::string to_text(const delay_list& delays) {
  std::string text;
  for (const duration delay : delays) {
    if (!text.empty()) text += ',';
    text += to_text(delay);
  }
  return text;
}

}  // namespace relent
