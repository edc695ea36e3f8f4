// SPDX-License-Identifier: Apache-2.0
// All about `relent run`: its flags, and what they do together.
#include "../policy_flags.hpp"
#include "../policy_source.hpp"
#include "pages.hpp"

namespace relent::cli {
namespace {

constexpr flag failures[] = {
    {"--retry-on",
     "LIST",
     "only these are tried again: exit codes, ranges, signals, timeout, as in 1,75,100-120,SIGSEGV,timeout",
     {},
     completes::signals,
     "signal timeout"},
    {"--stop-on",
     "LIST",
     "these are not tried again; goes before --retry-on",
     {},
     completes::signals,
     "signal timeout"},
    {"--retry-on-output", "REGEX",
     "a failure is tried again only if a line of its output matches (as grep -E); "
     "an attempt that timed out, in any case"},
    {"--output-decides-for",
     "LIST",
     "--retry-on-output is asked of these failures only; others are tried again whatever was written",
     {},
     completes::signals,
     "signal timeout"},
    {"--until-output", "REGEX", "a success only if a line of its output matches"},
    {"--invert", "",
     "exit code 0 is the failure, any other the success; relent then ends with 0 for a success"},
    {"--successes", "N", "so many successes in a row are needed, --base apart [1]"},
};

constexpr flag ending_it[] = {
    {"--kill-after", "D", "from SIGTERM to SIGKILL when time is up [2s]"},
    {"--leave-daemons", "", "after a success, leave running what went into a session of its own"},
};

constexpr flag streams[] = {
    {"--output",
     "MODE",
     "stream: as it comes; last: only the last attempt's stdout; stderr: the same, that of the others to "
     "stderr "
     "[stream]",
     {},
     completes::words,
     "stream last stderr"},
    {"--stdin-limit", "SIZE", "keep so much piped input for further attempts: 10MB, 1GiB [8GiB]"},
};

constexpr flag telling[] = {
    {"--quiet", "", "tell nothing on stderr but errors of relent itself", "-q"},
    {"--log",
     "FILE",
     "append a record of each attempt and of the outcome; - for stderr",
     {},
     completes::file},
    {"--log-format", "F", "text, json or logfmt [text]", {}, completes::words, "text json logfmt"},
    {"--dry-run", "", "explain what would be done, and do nothing"},
    {"--help", "", "this text", "-h"},
};

constexpr flag between[] = {
    {"--on-retry", "COMMAND", "run this by sh -c before each wait, to clean up or to tell somebody"},
    {"--budget", "NAME", "share a retry budget with all `relent run` of this user and host that name it"},
};

}  // namespace

std::span<const flag_group> run_flags() {
  static const flag_group groups[] = {
      {"Ready rules", policy_source_flags},
      {"How often and how long", policy_flags},
      {"Which failures", failures},
      {"Ending an attempt", ending_it},
      {"Input and output", streams},
      {"Between attempts", between},
      {"Telling", telling},
  };
  return groups;
}

page run_page() {
  return {
      .name = "relent-run",
      .summary = "run a command, and run it again while it fails",
      .synopsis = {"relent run [FLAGS] -- COMMAND [ARGUMENT...]"},
      .lead = "Runs a command, and runs it again while it fails.",
      .examples = R"(
  relent run -- curl -fsS https://example.com/health
  relent run --max-attempts 5 --base 1s -- apt-get update
  relent run --attempt-timeout 30s --deadline 5m -- ssh host uptime)",
      .description = R"(
The command gets its arguments unchanged, without a shell; for pipes and variables write `sh -c '...'` as the
command.)",
      .before_flags = "D is a length of time: `250ms`, `10s`, `1.5m`. Defaults are in brackets.",
      .groups = {run_flags().begin(), run_flags().end()},
      .sections =
          {
              {"What counts as a failure", R"(
Any exit code but 0, death by a signal, running into a time limit. A command that is not found (127) or cannot be
executed (126) is not tried again. Before each further attempt relent waits; the limit of the wait starts at
`--base`, grows by `--multiplier` and ends at `--cap`.)"},
              {"When time is up", R"(
The command's whole process group gets SIGTERM, and SIGKILL if that did not end it. Whatever an attempt leaves
behind, be it in a session of its own, is ended before the next one starts, and before relent ends.)"},
              {"Signals", R"(
HUP, INT, QUIT, TERM, USR1, USR2, TSTP, CONT and WINCH are passed on to the command. After one of the first four
no further attempt is made, and relent dies by the same signal.)"},
              {"Input", R"(
Each attempt gets the whole input: a file is wound back; what comes through a pipe is kept, in memory and then in a
file of `TMPDIR`, up to `--stdin-limit`. Beyond that the attempt in hand still gets everything, but there is no
further one. A terminal is passed through.)"},
              {"Exit code", R"(
That of the last attempt (0 for a success; 1 for a failure whose own was 0), and:

128+n :: it died by signal n
124 :: a time limit ended it
125 :: wrong usage, or a failure of relent itself
126, 127 :: the command cannot be executed, or was not found

What relent tells goes to stderr, with `relent:` before it.)"},
              {"Environment", R"(
The command finds:

RELENT_ATTEMPT :: the number of the attempt, from 1
RELENT_MAX_ATTEMPTS :: how many there are at most
RELENT_DEADLINE :: when this attempt is cut, in seconds since 1970; absent without a limit
RELENT_IDEMPOTENCY_KEY :: the same for all attempts, to send along with a request

`--on-retry` finds these of the attempt that failed, and RELENT_EXIT_CODE and RELENT_WAIT, the seconds until the
next attempt.

A relent run inside an attempt of another one makes a single attempt and keeps the deadline of the outer one, so
that attempts do not multiply; `--nested retry` makes it retry all the same.)",
               shown::man_only},
              {"Files", R"(
~/.config/relent/policy.toml :: policies that `--profile` finds by name (XDG_CONFIG_HOME)
~/.local/state/relent/budgets/NAME :: the budget that `--budget NAME` shares (XDG_STATE_HOME))",
               shown::man_only},
          },
      .see_also = {"relent(1)", "relent-explain(1)", "relent-budget(1)", "relent-policy(5)", "timeout(1)"},
      .operand = completes::command,
  };
}

}  // namespace relent::cli
