// SPDX-License-Identifier: Apache-2.0
// Columns of blocks. Where the terminal has colours, what was served and what was not meet within a character.
#include "demo_chart.hpp"

#include <relent/duration_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace relent::cli {
namespace {

constexpr std::size_t margin = 6;  ///< columns left of the chart
constexpr int steps = 8;           ///< that a character is high

/// What one column of the chart shows, in requests a second.
struct pillar {
  double served = 0;
  double arrived = 0;
};

class drawing {
 public:
  drawing(const load& history, const demo_plan& plan, const chart_style& style)
      : plan_(plan),
        style_(style),
        columns_(style.width - margin - 1),
        top_(plan.orders_per_second * plan.naive_attempts) {
    for (std::size_t column = 0; column < columns_; ++column) pillars_.push_back(pillar_at(history, column));
  }

  std::string line(std::size_t row) const;
  std::string axis() const;
  std::string times() const;

 private:
  pillar pillar_at(const load& history, std::size_t column) const;
  /// The first column that shows nothing from before that time.
  std::size_t column_of(duration time) const {
    const auto columns = static_cast<std::int64_t>(columns_);
    return static_cast<std::size_t>((columns * time.count() + plan_.end.count() - 1) / plan_.end.count());
  }
  /// How many steps of the row, counted from below, a rate fills.
  int filled(double rate, std::size_t row) const {
    const double rows = rate / top_ * static_cast<double>(style_.height);
    return static_cast<int>(
        std::clamp(std::ceil((rows - static_cast<double>(row)) * steps), 0.0, 1.0 * steps));
  }
  std::size_t capacity_row() const {
    return std::min(style_.height - 1,
                    static_cast<std::size_t>(plan_.capacity / top_ * static_cast<double>(style_.height)));
  }
  std::string cell(const pillar& each, std::size_t row) const;
  std::string coloured_cell(int served, int arrived) const;

  const demo_plan& plan_;
  const chart_style& style_;
  std::size_t columns_;
  double top_;
  std::vector<pillar> pillars_;
};

/// A column stands for at least one tenth of a second, which is then shown by several columns.
pillar drawing::pillar_at(const load& history, std::size_t column) const {
  const auto buckets = static_cast<std::size_t>(plan_.end / std::chrono::milliseconds{100});
  const std::size_t first = column * buckets / columns_;
  const std::size_t end = std::max(first + 1, (column + 1) * buckets / columns_);
  if (end > history.size()) return {};
  pillar sum;
  for (std::size_t i = first; i < end; ++i) {
    sum.served += history[i].served;
    sum.arrived += history[i].arrived;
  }
  const double seconds = static_cast<double>(end - first) / 10;
  return {sum.served / seconds, sum.arrived / seconds};
}

constexpr std::array<std::string_view, steps + 1> blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view green_on_red = "\x1b[32;41m";
constexpr std::string_view dim = "\x1b[2m";
constexpr std::string_view plain = "\x1b[0m";

std::string painted(std::string_view colour, std::string_view text) {
  return fmt::format("{}{}{}", colour, text, plain);
}

std::string drawing::coloured_cell(int served, int arrived) const {
  if (served >= arrived) return painted(green, blocks[static_cast<std::size_t>(served)]);
  if (served == 0) return painted(red, blocks[static_cast<std::size_t>(arrived)]);
  // Three colours do not go into one character: above the upper end there is no more than a sliver.
  return painted(green_on_red, blocks[static_cast<std::size_t>(served)]);
}

std::string drawing::cell(const pillar& each, std::size_t row) const {
  const int served = filled(each.served, row);
  const int arrived = std::max(served, filled(each.arrived, row));
  if (arrived == 0) {
    const std::string_view line = row != capacity_row() ? " " : style_.unicode ? "╌" : "-";
    return style_.colour && row == capacity_row() ? painted(dim, line) : std::string(line);
  }
  if (!style_.unicode) return served * 2 >= arrived ? "#" : ":";
  if (style_.colour) return coloured_cell(served, arrived);
  return served * 2 >= arrived ? std::string(blocks[static_cast<std::size_t>(arrived)]) : "░";
}

std::string drawing::line(std::size_t row) const {
  std::string label;
  if (row == capacity_row())
    label = fmt::format("{}", plan_.capacity);
  else if (row + 1 == style_.height)
    label = fmt::format("{}", top_);
  std::string text = fmt::format("{:>{}} {}", label, margin - 2, style_.unicode ? "│" : "|");
  for (const pillar& each : pillars_) text += cell(each, row);
  return text;
}

std::string drawing::axis() const {
  const std::size_t from = column_of(plan_.outage_from);
  const std::size_t to = column_of(plan_.outage_to);
  constexpr std::string_view word = " down ";
  const std::size_t begin = from + (to - from - std::min(word.size(), to - from)) / 2;
  std::string text = fmt::format("{:>{}} {}", 0, margin - 2, style_.unicode ? "└" : "+");
  for (std::size_t i = 0; i < columns_; ++i) {
    const bool down = i >= from && i < to;
    if (down && to - from >= word.size() + 2 && i >= begin && i < begin + word.size())
      text += word[i - begin];
    else
      text += down ? (style_.unicode ? "━" : "=") : (style_.unicode ? "─" : "-");
  }
  return text;
}

std::string drawing::times() const {
  std::string text(margin + columns_, ' ');
  const auto put = [&text](std::size_t at, const std::string& word) {
    at = std::min(at, text.size() - word.size());
    text.replace(at, word.size(), word);
  };
  put(margin, "0s");
  put(margin + column_of(plan_.outage_from), to_text(plan_.outage_from));
  put(margin + column_of(plan_.outage_to), to_text(plan_.outage_to));
  put(margin + columns_, to_text(plan_.end));
  return text;
}

}  // namespace

std::string chart_legend(const chart_style& style) {
  const auto sign = [&style](std::string_view colour, std::string_view unicode, std::string_view ascii) {
    if (!style.unicode) return std::string(ascii);
    return style.colour ? painted(colour, unicode) : std::string(unicode);
  };
  return fmt::format("{:>{}} {} served, {} not, {} limit", "requests/s:", margin + 5, sign(green, "█", "#"),
                     sign(red, style.colour ? "█" : "░", ":"), sign(dim, "╌", "-"));
}

std::vector<std::string> chart_lines(const load& history, const demo_plan& plan, const chart_style& style) {
  const drawing picture(history, plan, style);
  std::vector<std::string> lines;
  for (std::size_t row = style.height; row-- > 0;) lines.push_back(picture.line(row));
  lines.push_back(picture.axis());
  lines.push_back(picture.times());
  return lines;
}

}  // namespace relent::cli
