// SPDX-License-Identifier: Apache-2.0
// Numbers, and when to draw them.
#include "transfer_progress.hpp"

#include "cli/message.hpp"
#include "cli/rounded.hpp"
#include "cli/signals.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace relent::cli {
namespace {

constexpr duration before_first = std::chrono::seconds{1};
constexpr duration between = std::chrono::milliseconds{100};

std::string bar_of(double ratio) {
  constexpr std::size_t width = 20;
  const auto full = static_cast<std::size_t>(ratio * width);
  return "[" + std::string(full, '#') + std::string(width - full, '-') + "]";
}

std::uint64_t size_of(std::int64_t number) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, number));
}

}  // namespace

std::string short_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units{"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{}B", bytes);
  double amount = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (amount >= 999.5 && unit + 1 < units.size()) {
    amount /= 1000;
    ++unit;
  }
  const int decimals = amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", amount, decimals, units[unit]);
}

std::string progress_text(const progress_numbers& numbers) {
  const double seconds = std::max(0.001, std::chrono::duration<double>(numbers.took).count());
  const double rate = static_cast<double>(numbers.done - std::min(numbers.done, numbers.began_at)) / seconds;
  const std::string speed = short_size(static_cast<std::uint64_t>(rate)) + "/s";
  if (!numbers.total || *numbers.total < numbers.done || *numbers.total == 0)
    return fmt::format("{}, {}", short_size(numbers.done), speed);
  const double ratio = static_cast<double>(numbers.done) / static_cast<double>(*numbers.total);
  std::string text = fmt::format("{} {}% of {}, {}", bar_of(ratio), static_cast<int>(100 * ratio),
                                 short_size(*numbers.total), speed);
  constexpr double longest = 360'000;
  const double left = rate > 0 ? static_cast<double>(*numbers.total - numbers.done) / rate : longest;
  if (left >= longest || left <= 0) return text;
  const duration rest = std::chrono::seconds{static_cast<std::int64_t>(std::ceil(left))};
  return text + ", " + rounded(rest) + " left";
}

void transfer_progress::begin(std::uint64_t already) {
  began_ = now();
  drawn_ = {};
  already_ = already;
}

void transfer_progress::advance(std::int64_t down_total, std::int64_t down, std::int64_t up_total,
                                std::int64_t up) {
  const time_point present = now();
  if (time_between(began_, present) < before_first || time_between(drawn_, present) < between) return;
  drawn_ = present;
  const bool uploads = down == 0 && up > 0;
  progress_numbers numbers{.took = time_between(began_, present)};
  const std::int64_t total = uploads ? up_total : down_total;
  numbers.began_at = uploads ? 0 : already_;
  numbers.done = size_of(uploads ? up : down) + numbers.began_at;
  if (total > 0) numbers.total = size_of(total) + numbers.began_at;
  write_all(STDERR_FILENO, fmt::format("\r{}{}\x1b[K", message_prefix(), progress_text(numbers)));
  shown_ = true;
}

void transfer_progress::clear() {
  if (shown_) write_all(STDERR_FILENO, "\r\x1b[K");
  shown_ = false;
}

}  // namespace relent::cli
