// SPDX-License-Identifier: Apache-2.0
// relent(1): the tool as a whole.
#include "pages.hpp"

namespace relent::cli {

page relent_page() {
  return {
      .name = "relent",
      .summary = "retry what fails, in a way that makes an outage shorter",
      .synopsis = {"relent SUBCOMMAND [ARGUMENT...]", "relent --help", "relent --version"},
      .lead = "Retries what fails, waits longer each time, and knows when to stop.",
      .examples = R"(
  relent run -- curl -fsS https://example.com/health
  relent run --profile apt -- apt-get update
  relent fetch --resume -O https://example.com/big.iso
  relent explain --max-attempts 5 --base 1s)",
      .description = {},
      .before_flags = {},
      .groups = {},
      .sections =
          {
              {"Subcommands", R"(
run :: run a command, and run it again while it fails: `relent-run(1)`
fetch :: make an HTTP request, and make it again while it fails: `relent-fetch(1)`
explain :: print what a retry policy does, and what of it hurts: `relent-explain(1)`
budget :: show or change the retry budgets that runs share: `relent-budget(1)`
faults :: an HTTP server that misbehaves on request, to test clients: `relent-faults(1)`
demo :: watch retries make an outage longer, and shorter: `relent-demo(1)`

Each has `--help`.)"},
              {"Exit code", R"(
That of the subcommand, and for all of them:

125 :: wrong usage, or a failure of relent itself; a line on stderr says what, where, and what would be right)"},
              {"Environment", R"(
TMPDIR :: where input and output are kept that do not fit into memory [/tmp]
XDG_CONFIG_HOME :: where `relent/policy.toml` is looked for [~/.config]
XDG_STATE_HOME :: where the shared budgets are [~/.local/state]
NO_COLOR :: if set, nothing is dimmed on a terminal)"},
              {"Files", R"(
~/.config/relent/policy.toml :: policies that `--profile` finds by name: `relent-policy(5)`
~/.local/state/relent/budgets/ :: shared budgets, a file each)"},
          },
      .see_also = {"relent-run(1)", "relent-fetch(1)", "relent-explain(1)", "relent-budget(1)",
                   "relent-faults(1)", "relent-demo(1)", "relent-policy(5)", "timeout(1)"},
  };
}

std::vector<page> all_pages() {
  return {relent_page(), run_page(),    fetch_page(), explain_page(),
          budget_page(), faults_page(), demo_page(),  policy_page()};
}

}  // namespace relent::cli
