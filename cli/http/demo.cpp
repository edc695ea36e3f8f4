// SPDX-License-Identifier: Apache-2.0
// `relent demo`: the same outage twice, without Relent and with it, and what came of it.
#include "demo_plan.hpp"
#include "demo_run.hpp"
#include "demo_story.hpp"
#include "demo_view.hpp"
#include "subcommands_http.hpp"

#include "cli/exit_codes.hpp"
#include "cli/message.hpp"
#include "cli/pages/pages.hpp"
#include "cli/policy_flags.hpp"
#include "cli/signals.hpp"

#include <csignal>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace relent::cli {
namespace {

/// How one of the runs ended: measured, or for what reason not.
struct watched {
  std::optional<demo_result> result = std::nullopt;
  ending end = {};
};

/// The signal that says to end; 0: none did.
int terminating(const signal_set& got) {
  for (const int each : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
    if (got.contains(each)) return each;
  return 0;
}

watched watch(const demo_plan& plan, demo_half half, bool live, signal_inbox& inbox) {
  constexpr duration tick = std::chrono::milliseconds{100};
  if (answer(demo_title(plan, half)) != exit_success) return {.end = {exit_failure}};
  demo_view view(plan, live);
  demo_run run(plan, half);
  while (!run.over() && run.elapsed() < plan.end + plan.patience) {
    const signal_set got = inbox.wait(saturating_add(now(), tick));
    if (const int signal = terminating(got)) return {.end = {exit_success, signal}};
    if (got.contains(SIGTSTP)) inbox.suspend_self();
    if (!view.show(run)) return {.end = {exit_failure}};
  }
  const demo_result result = run.finish();
  if (!view.finish(run)) return {.end = {exit_failure}};
  return {.result = result};
}

ending tell(const demo_plan& plan, bool live) {
  signal_inbox inbox;  // before there are threads, which inherit that signals are blocked
  if (answer(demo_introduction(plan)) != exit_success) return {exit_failure};
  const watched naive = watch(plan, demo_half::naive, live, inbox);
  if (!naive.result) return naive.end;
  const watched with_relent = watch(plan, demo_half::with_relent, live, inbox);
  if (!with_relent.result) return with_relent.end;
  return {answer(demo_table(plan, *naive.result, *with_relent.result) + "\n" +
                 demo_conclusion(plan, *naive.result, *with_relent.result))};
}

}  // namespace

ending demo(std::span<char*> arguments) {
  const page about = demo_page();
  const flag_reader reader(about.groups, operands::allowed);
  const std::vector<std::string> words(arguments.begin(), arguments.end());
  std::vector<std::string> problems;
  const flag_values values = reader.read(words, problems);
  if (values.given("--help")) return {answer(help_text(about))};
  demo_plan plan = values.given("--fast") ? demo_plan::fast() : demo_plan{};
  plan.seed =
      read_number(values, "--seed", std::numeric_limits<std::uint64_t>::max(), problems).value_or(plan.seed);
  for (const std::string& each : values.operands())
    problems.push_back("'" + each + "': takes no arguments, only flags: --help lists them");
  if (!problems.empty()) return {refuse("demo", problems)};
  return tell(plan, !values.given("--plain"));
}

}  // namespace relent::cli
