// SPDX-License-Identifier: Apache-2.0
// All about `relent explain`.
#include "../policy_flags.hpp"
#include "../policy_source.hpp"
#include "pages.hpp"

namespace relent::cli {
namespace {

constexpr flag wanted[] = {
    {"--layers", "N", "so many layers above each other retry, each by this policy [1]"},
    {"--json", "", "print one JSON object"},
    {"--strict", "", "exit code 1 if there is a warning, for checks before a change goes out"},
    {"--help", "", "this text", "-h"},
};

}  // namespace

std::span<const flag_group> explain_flags() {
  static const flag_group groups[] = {
      {"Ready rules", policy_source_flags},
      {"How often and how long", policy_flags},
      {"What is wanted", wanted},
  };
  return groups;
}

page explain_page() {
  return {
      .name = "relent-explain",
      .summary = "print what a retry policy does, and what of it hurts",
      .synopsis = {"relent explain [FILE[:NAME]] [FLAGS]"},
      .lead =
          "Prints when a policy retries, how long a call can take, what it does to the load, and what of it "
          "hurts.",
      .examples = R"(
  relent explain policies.toml:payments
  relent explain --max-attempts 5 --base 1s --jitter none
  relent explain --profile apt
  relent explain --strict policies.toml:payments || exit)",
      .description = R"(
A policy of a file is taken to be for the calls of a program, unless it has rules for commands. Without a file the
policy is what `relent run` would go by with the same flags.)",
      .before_flags = "D is a length of time: `250ms`, `10s`, `1.5m`. Defaults are in brackets.",
      .groups = {explain_flags().begin(), explain_flags().end()},
      .sections =
          {
              {"Warnings", R"(
A legal policy is never refused. What hurts is warned of, each with the numbers that show it and the change that
mends it: no jitter, no deadline, waits or time-outs that cannot fit before the deadline, layers that multiply,
calls without a budget, retries of faults that nobody classified, and the like.)"},
              {"Exit code", R"(
0 :: done
1 :: there is a warning, and `--strict`
125 :: wrong usage, or a file with mistakes: each is told with its line and column)"},
          },
      .see_also = {"relent(1)", "relent-run(1)", "relent-policy(5)"},
      .operand = completes::file,
  };
}

}  // namespace relent::cli
