// SPDX-License-Identifier: Apache-2.0
// The forms of an HTTP date.
#include <relent/http/date.hpp>

#include "scan.hpp"

#include <algorithm>
#include <array>

namespace relent::http {
namespace {

using detail::scanner;
using std::chrono::sys_seconds;

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> days{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                               "Thursday", "Friday", "Saturday"};

struct parts {
  std::int64_t year = 0;
  std::int64_t month = 0;  // from 1
  std::int64_t day = 0;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::chrono::minutes offset{0};  // of the zone, to the east
};

bool same_word(std::string_view a, std::string_view b, date_forms forms) noexcept {
  if (forms == date_forms::strict) return a == b;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return detail::small(x) == detail::small(y); });
}

/// One of the words, each cut to `size`, at the scanner's place; its number from 0.
template <std::size_t N>
std::optional<std::int64_t> word(scanner& text, const std::array<std::string_view, N>& words,
                                 std::size_t size, date_forms forms) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    const std::string_view due = words.at(i).substr(0, size);
    if (!same_word(text.rest().substr(0, due.size()), due, forms)) continue;
    text.skip(due.size());
    return static_cast<std::int64_t>(i);
  }
  return std::nullopt;
}

template <class Value>
bool into(std::int64_t& to, const Value& value) noexcept {
  if (value) to = *value;
  return value.has_value();
}

bool read_month(scanner& text, parts& p, date_forms forms) noexcept {
  const bool found = into(p.month, word(text, months, 3, forms));
  ++p.month;
  return found;
}

bool read_time(scanner& text, parts& p) noexcept {
  return into(p.hour, text.digits(2, 2)) && text.take(':') && into(p.minute, text.digits(2, 2)) &&
         text.take(':') && into(p.second, text.digits(2, 2));
}

/// "+0130", "-05:00".
bool read_offset(scanner& text, parts& p) noexcept {
  const bool west = text.peek() == '-';
  if (!text.take('+') && !text.take('-')) return false;
  const auto hours = text.digits(2, 2);
  text.take(':');
  const auto minutes = text.digits(2, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return false;
  p.offset = std::chrono::minutes((west ? -1 : 1) * (*hours * 60 + *minutes));
  return true;
}

bool read_zone(scanner& text, parts& p, date_forms forms) noexcept {
  if (text.take("GMT")) return true;
  if (forms == date_forms::strict) return false;
  constexpr std::array<std::string_view, 3> zones{"GMT", "UTC", "Z"};
  return word(text, zones, 3, forms).has_value() || read_offset(text, p);
}

/// "Sun, 06 Nov 1994 08:49:37 GMT", from the day on.
bool read_imf(scanner& text, parts& p, date_forms forms) noexcept {
  const std::size_t least = forms == date_forms::strict ? 2 : 1;
  return into(p.day, text.digits(least, 2)) && text.take(' ') && read_month(text, p, forms) &&
         text.take(' ') && into(p.year, text.digits(4, 4)) && text.take(' ') && read_time(text, p) &&
         text.take(' ') && read_zone(text, p, forms);
}

/// The century of a two-digit year: the latest that is not more than 50 years ahead.
std::int64_t full_year(std::int64_t two_digits, const parts& p,
                       std::chrono::system_clock::time_point now) noexcept {
  const std::chrono::year_month_day today(std::chrono::floor<std::chrono::days>(now));
  const auto this_year = static_cast<std::int64_t>(static_cast<int>(today.year()));
  std::int64_t year = this_year / 100 * 100 + 100 + two_digits;
  const auto in_year = [](std::int64_t month, std::int64_t day, std::int64_t second_of_day) {
    return (month * 31 + day) * 86400 + second_of_day;
  };
  const auto since_midnight =
      std::chrono::duration_cast<std::chrono::seconds>(now - std::chrono::floor<std::chrono::days>(now))
          .count();
  const std::int64_t here =
      in_year(static_cast<std::int64_t>(static_cast<unsigned>(today.month())),
              static_cast<std::int64_t>(static_cast<unsigned>(today.day())), since_midnight);
  const std::int64_t there = in_year(p.month, p.day, p.hour * 3600 + p.minute * 60 + p.second);
  while (year - this_year > 50 || (year - this_year == 50 && there > here)) year -= 100;
  return year;
}

/// "Sunday, 06-Nov-94 08:49:37 GMT", from the day on.
bool read_rfc850(scanner& text, parts& p, std::chrono::system_clock::time_point now,
                 date_forms forms) noexcept {
  std::int64_t year = 0;
  if (!(into(p.day, text.digits(2, 2)) && text.take('-') && read_month(text, p, forms) && text.take('-') &&
        into(year, text.digits(2, 2)) && text.take(' ') && read_time(text, p) && text.take(' ') &&
        read_zone(text, p, forms)))
    return false;
  p.year = full_year(year, p, now);
  return true;
}

/// "Sun Nov  6 08:49:37 1994", from the month on.
bool read_asctime(scanner& text, parts& p, date_forms forms) noexcept {
  if (!read_month(text, p, forms) || !text.take(' ')) return false;
  const bool one_digit = text.take(' ');
  return into(p.day, one_digit ? text.digits(1, 1) : text.digits(2, 2)) && text.take(' ') &&
         read_time(text, p) && text.take(' ') && into(p.year, text.digits(4, 4));
}

/// "2026-12-01T08:00:00Z", with a fraction that is dropped.
bool read_iso8601(scanner& text, parts& p) noexcept {
  if (!(into(p.year, text.digits(4, 4)) && text.take('-') && into(p.month, text.digits(2, 2)) &&
        text.take('-') && into(p.day, text.digits(2, 2)) &&
        (text.take('T') || text.take('t') || text.take(' ')) && read_time(text, p)))
    return false;
  if (text.take('.') && text.while_of(detail::is_digit).empty()) return false;
  return read_zone(text, p, date_forms::lenient);
}

std::optional<sys_seconds> instant_of(const parts& p) noexcept {
  if (p.hour > 23 || p.minute > 59 || p.second > 60) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(p.year)),
                                         std::chrono::month(static_cast<unsigned>(p.month)),
                                         std::chrono::day(static_cast<unsigned>(p.day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(p.hour) + std::chrono::minutes(p.minute) +
         std::chrono::seconds(p.second) - p.offset;
}

bool read(scanner& text, parts& p, std::chrono::system_clock::time_point now, date_forms forms) noexcept {
  if (detail::is_digit(text.peek())) {
    if (forms == date_forms::strict) return false;
    scanner iso = text;
    if (read_iso8601(iso, p)) {
      text = iso;
      return true;
    }
    p = {};
    return read_imf(text, p, forms);  // its weekday left out
  }
  scanner full = text;
  if (word(full, days, std::string_view::npos, forms) && full.take(", ")) {
    text = full;
    return read_rfc850(text, p, now, forms);
  }
  if (!word(text, days, 3, forms)) return false;
  if (text.take(", ")) return read_imf(text, p, forms);
  return text.take(' ') && read_asctime(text, p, forms);
}

void append_number(std::string& text, std::int64_t value, int digits) {
  std::string number(static_cast<std::size_t>(digits), '0');
  for (auto place = number.rbegin(); place != number.rend(); ++place, value /= 10)
    *place = static_cast<char>('0' + value % 10);
  text += number;
}

}  // namespace

std::optional<sys_seconds> parse_date(std::string_view text, std::chrono::system_clock::time_point now,
                                      date_forms forms) noexcept {
  scanner place(text);
  parts p;
  if (!read(place, p, now, forms) || !place.at_end()) return std::nullopt;
  return instant_of(p);
}

std::string format_date(sys_seconds instant) {
  using std::chrono::sys_days;
  constexpr sys_seconds first = sys_days(std::chrono::year(0) / 1 / 1);
  constexpr sys_seconds last = sys_days(std::chrono::year(10000) / 1 / 1) - std::chrono::seconds(1);
  instant = std::clamp(instant, first, last);
  const sys_days day = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(day);
  const std::int64_t seconds = (instant - day).count();
  std::string text(days.at(std::chrono::weekday(day).c_encoding()).substr(0, 3));
  text += ", ";
  append_number(text, static_cast<unsigned>(date.day()), 2);
  text.append(" ").append(months.at(static_cast<unsigned>(date.month()) - 1)).append(" ");
  append_number(text, static_cast<int>(date.year()), 4);
  text += ' ';
  append_number(text, seconds / 3600, 2);
  text += ':';
  append_number(text, seconds / 60 % 60, 2);
  text += ':';
  append_number(text, seconds % 60, 2);
  return text + " GMT";
}

}  // namespace relent::http
