// SPDX-License-Identifier: Apache-2.0
// The load on a server as a chart of characters: what it served, what it did not, its capacity, its outage. Layer 5.
#pragma once

#include "demo_plan.hpp"
#include "demo_run.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace relent::cli {

/// How it may look.
struct chart_style {
  std::size_t width = 80;  ///< columns of the terminal, at least 30
  std::size_t height = 8;  ///< lines of the chart itself
  bool colour = true;
  bool unicode = true;
};

/// What its characters mean, in one line.
std::string chart_legend(const chart_style& style);

/// Height + 2 lines, none wider than the style says: time goes from left to right and ends with the plan, whatever
/// part of it has passed; the scale ends where every order is sent as often as the naive loop does it.
std::vector<std::string> chart_lines(const load& history, const demo_plan& plan, const chart_style& style);

}  // namespace relent::cli
