// SPDX-License-Identifier: Apache-2.0
// Cursor up, and each line anew.
#include "demo_view.hpp"

#include "demo_chart.hpp"

#include "cli/message.hpp"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace relent::cli {
namespace {

constexpr std::size_t least_width = 40;
constexpr std::size_t narrowest = 30;  ///< that it can become while it is drawn
constexpr std::size_t most_width = 120;
constexpr std::size_t least_height = 16;

/// Of an environment variable that is absent: empty.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value != nullptr ? value : "";
}

winsize terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

bool can_draw() {
  const winsize size = terminal_size();
  const std::string_view kind = variable("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && !kind.empty() && kind != "dumb" && size.ws_col >= least_width &&
         size.ws_row >= least_height;
}

bool shows_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string_view value = variable(name); !value.empty())
      return value.find("UTF-8") != std::string_view::npos || value.find("utf8") != std::string_view::npos;
  return false;
}

chart_style style_now() {
  const winsize size = terminal_size();
  return {.width = std::clamp<std::size_t>(size.ws_col, narrowest, most_width),
          .colour = variable("NO_COLOR").empty(),
          .unicode = shows_unicode()};
}

std::string state_line(const demo_run& run, const load& history, const demo_plan& plan) {
  const auto window = static_cast<std::size_t>(plan.window / std::chrono::milliseconds{100});
  const std::size_t first = history.size() - std::min(history.size(), window);
  const order_counts orders = run.orders();
  const auto rate = [&](auto count) { return rate_in(history, count, first, plan.window); };
  return fmt::format("{:>6.0f} requests/s, {:.0f} served   orders: {} confirmed, {} failed, {} under way",
                     rate(&testing::load_bucket::arrived), rate(&testing::load_bucket::served),
                     orders.confirmed, orders.failed, orders.under_way());
}

/// How often lines are told where there is no chart, in tenths of a second.
std::size_t line_interval(const demo_plan& plan) {
  return static_cast<std::size_t>(plan.window / std::chrono::milliseconds{100});
}

}  // namespace

demo_view::demo_view(const demo_plan& plan, bool live) : plan_(plan), live_(live && can_draw()) {}

demo_view::~demo_view() {
  if (drawn_ > 0) write_all(STDOUT_FILENO, "\x1b[?25h");
}

bool demo_view::show(const demo_run& run) { return live_ ? draw(run) : tell(run.history()); }

bool demo_view::finish(const demo_run& run) { return show(run) && answer("\n") == 0; }

bool demo_view::draw(const demo_run& run) {
  const load history = run.history();
  const chart_style style = style_now();
  std::vector<std::string> lines = chart_lines(history, plan_, style);
  lines.insert(lines.begin(), chart_legend(style));
  lines.push_back(state_line(run, history, plan_).substr(0, style.width - 1));
  std::string text = drawn_ > 0 ? fmt::format("\x1b[{}A", drawn_) : "\x1b[?25l";
  for (const std::string& line : lines) text.append("\r").append(line).append("\x1b[K\n");
  drawn_ = lines.size();
  return write_all(STDOUT_FILENO, text);
}

bool demo_view::tell(const load& history) {
  std::string text;
  if (told_ == 0 && !history.empty()) text = "    time  requests/s  served/s\n";
  const std::size_t interval = line_interval(plan_);
  bool first = told_ == 0;
  for (; told_ + interval <= history.size(); told_ += interval) {
    const duration end = (told_ + interval) * duration{std::chrono::milliseconds{100}};
    const auto rate = [&](auto count) { return rate_in(history, count, told_, plan_.window); };
    text += fmt::format("{:>7.1f}s  {:>10.0f}  {:>8.0f}{}\n", std::chrono::duration<double>(end).count(),
                        rate(&testing::load_bucket::arrived), rate(&testing::load_bucket::served),
                        end > plan_.outage_from && end <= plan_.outage_to ? "  down" : "");
    first = false;
  }
  if (first) return true;  // the heading goes with the first line
  return write_all(STDOUT_FILENO, text);
}

}  // namespace relent::cli
