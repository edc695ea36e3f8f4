// SPDX-License-Identifier: Apache-2.0
// All about `relent budget`.
#include "pages.hpp"

namespace relent::cli {
namespace {

constexpr flag changing[] = {
    {"--capacity", "N", "tokens when full, from 0.001 to 1000000; makes the budget if it is absent [10]"},
    {"--success-credit", "X", "what a success gives back: 0, or from 0.001 to 1000000 [0.1]"},
    {"--reset", "", "start anew with a full budget; also where the file is damaged"},
};

constexpr flag telling[] = {
    {"--json", "", "the same for programs, on one line"},
    {"--help", "", "this text", "-h"},
};

constexpr flag_group groups[] = {{"Changing it", changing}, {"Others", telling}};

}  // namespace

page budget_page() {
  return {
      .name = "relent-budget",
      .summary = "show or change the retry budgets that processes share",
      .synopsis = {"relent budget [--json]", "relent budget NAME [FLAGS]"},
      .lead =
          "Shows the retry budgets that `relent run --budget NAME` shares between processes, or one of them.",
      .examples = R"(
  relent budget
  relent budget deploy
  relent budget deploy --capacity 20)",
      .description = R"(
A budget is a number of tokens, full at first. Each retry of any `relent run` that names it takes one; without a
token there is no retry. Each command that succeeds gives a tenth of one back. All processes of one user on one
host share it, while they run and afterwards.)",
      .before_flags = "Defaults are in brackets.",
      .groups = {groups[0], groups[1]},
      .sections =
          {
              {"Settings", R"(
A budget keeps the settings it was made with, whatever a later `relent run` asks for. `--capacity` and
`--success-credit` put a new one in its place, filled to the same fraction. Processes that are running go on with
the old one until they end.)"},
              {"Names", R"(
1 to 100 letters, digits, or `. _ -`, with no dot first.)"},
              {"Files", R"(
`$XDG_STATE_HOME/relent/budgets/NAME`, with `~/.local/state` where that is unset. A budget that is not wanted any
more is a file to remove. The folder must be on a local file system: NFS does not share memory between hosts.)"},
              {"Exit code", R"(
0 :: it was shown or changed
125 :: wrong usage, no such budget, or a file that cannot be used)"},
          },
      .see_also = {"relent(1)", "relent-run(1)"},
  };
}

}  // namespace relent::cli
