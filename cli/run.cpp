// SPDX-License-Identifier: Apache-2.0
// `relent run`: from words to a policy and a command, from the engine's decisions to an exit code.
#include "exit_codes.hpp"
#include "flags.hpp"
#include "message.hpp"
#include "policy_flags.hpp"
#include "story.hpp"
#include "subcommands.hpp"
#include "supervisor.hpp"

#include <relent/retry.hpp>

#include <fmt/format.h>

namespace relent::cli {
namespace {

constexpr duration default_grace = std::chrono::seconds{2};

std::vector<flag> all_flags() {
  std::vector<flag> flags = policy_flags;
  flags.push_back({"--kill-after", "D", "from SIGTERM to SIGKILL when time is up [2s]"});
  flags.push_back({"--help", "", "this text"});
  return flags;
}

std::string help_text(const flag_reader& flags) {
  return fmt::format(R"(Runs a command, and runs it again while it fails.

  relent run -- curl -fsS https://example.com/health
  relent run --max-attempts 5 --base 1s -- apt-get update
  relent run --attempt-timeout 30s --deadline 5m -- ssh host uptime

Usage: relent run [flags] -- command [arguments]

The command gets its arguments unchanged, without a shell; for pipes and
variables write sh -c '...' as the command.

Flags (D is a length of time: 250ms, 10s, 1.5m; defaults in brackets):
{}
What counts as a failure: any exit code but 0, death by a signal, running into
a time limit. A command that is not found (127) or cannot be executed (126) is
not tried again. Before each further attempt relent waits; the limit of the
wait starts at --base, grows by --multiplier and ends at --cap.

When time is up the command's whole process group gets SIGTERM, and SIGKILL if
that did not end it. Whatever an attempt leaves behind in its process group is
ended before the next one starts, and before relent ends.

HUP, INT, QUIT, TERM, USR1, USR2, TSTP, CONT and WINCH are passed on to the
command. After one of the first four no further attempt is made, and relent
dies by the same signal.

Exit code: that of the last attempt, 128+n if it died by signal n; 124 if a
time limit ended it; 125 for wrong usage or a failure of relent itself; 126 and
127 as above. What relent tells goes to stderr, with "relent: " before it.
)",
                     flags.help());
}

/// What the words ask for, checked.
struct order {
  policy rules;
  duration grace = default_grace;
  std::optional<std::uint64_t> seed;
  std::span<char*> command;
};

order read_order(const split_command_line& words, const flag_values& values,
                 std::vector<std::string>& problems) {
  order result;
  const policy_options options = read_policy(values, default_policy_for_commands(), problems);
  result.grace = read_duration(values, "--kill-after", problems).value_or(default_grace);
  result.seed = read_number(values, "--seed", UINT64_MAX, problems);
  result.command = words.command;
  if (problems.empty() && words.command.empty())
    problems.emplace_back("no command: write it after --, as in relent run -- curl -fsS https://example.com");
  if (problems.empty()) result.rules = policy(options);
  return result;
}

ending carry_out(const order& what) {
  supervisor runner(what.command.data(), what.grace);
  supervisor_clock clock(runner);
  story teller(what.rules, what.command.front(), runner);
  random_stream seeded(what.seed.value_or(0));
  dependency command({.name = what.command.front(),
                      .policy = what.rules,
                      .budget = budget::none(),
                      .observers = {&teller},
                      .clock = &clock});
  call_options options{.stop = runner.stop()};
  if (what.seed) options.random = random_ref(seeded);

  const auto one_attempt = [&](const attempt& current) {
    const attempt_result result = runner.run_attempt(current.deadline());
    teller.attempt_ended(result, current.deadline());
    return result;
  };
  try {
    const attempt_result last = command.call(one_attempt, options);
    return {exit_code_of(last), runner.signal_to_die_by()};
  } catch (const refused& refusal) {
    return {refusal.reason() == stop_reason::deadline ? exit_timed_out : exit_failure,
            runner.signal_to_die_by()};
  }
}

}  // namespace

ending run(std::span<char*> arguments) {
  const std::vector<flag> flags = all_flags();
  const flag_reader reader(flags);
  const split_command_line words = split_at_separator(arguments);
  std::vector<std::string> problems;
  const flag_values values = reader.read(words.own, problems);
  if (values.given("--help")) return {answer(help_text(reader))};
  const order what = read_order(words, values, problems);
  if (!problems.empty()) return {refuse("run", problems)};
  return carry_out(what);
}

}  // namespace relent::cli
