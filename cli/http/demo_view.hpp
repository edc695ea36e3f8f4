// SPDX-License-Identifier: Apache-2.0
// A run of `relent demo` as it is watched: on a terminal a chart that grows in its place, elsewhere a line now and
// then. Layer 5.
#pragma once

#include "demo_plan.hpp"
#include "demo_run.hpp"

#include <cstddef>
#include <string>

namespace relent::cli {

/// One run on stdout. One thread.
class demo_view {
 public:
  /// `live`: as a chart, if stdout is a terminal that can have one.
  demo_view(const demo_plan& plan, bool live);
  /// Leaves the terminal as it was, what it shows included.
  ~demo_view();
  demo_view(const demo_view&) = delete;
  demo_view& operator=(const demo_view&) = delete;

  /// To be called ten times a second. False if stdout takes nothing any more.
  bool show(const demo_run& run);
  /// After the last show: what has not been told yet.
  bool finish(const demo_run& run);

 private:
  bool draw(const demo_run& run);
  bool tell(const load& history);

  demo_plan plan_;
  bool live_;
  std::size_t drawn_ = 0;  ///< lines of the chart that stand on the terminal
  std::size_t told_ = 0;   ///< tenths of a second that lines have told
};

}  // namespace relent::cli
