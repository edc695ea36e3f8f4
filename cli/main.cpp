// SPDX-License-Identifier: Apache-2.0
// The tool: picks the subcommand.
#include "become_http.hpp"
#include "exit_codes.hpp"
#include "message.hpp"
#include "signals.hpp"
#include "subcommands.hpp"

#include "src/text/nearest.hpp"

#include <relent/version.hpp>

#include <unistd.h>
#include <array>
#include <exception>
#include <string>
#include <string_view>

namespace relent::cli {
namespace {

constexpr std::string_view short_help =
    R"(relent retries what fails, waits longer each time, and knows when to stop.

  relent run -- command [arguments]   run any command, again while it fails
  relent fetch URL                    make an HTTP request, again while it fails
  relent explain [FILE[:NAME]]        what a policy does, before it is used
  relent budget [NAME]                the retry budgets that runs share
  relent faults SCRIPT                an HTTP server that misbehaves on request
  relent demo                         an outage, without relent and with it

  relent run --help                   its flags and exit codes
  relent --version
)";

constexpr std::array<std::string_view, 6> subcommands{"run", "fetch", "explain", "budget", "faults", "demo"};

int unknown(std::string_view word) {
  std::string line("'");
  line.append(word).append("' is not a subcommand: ");
  const std::string_view near = text::nearest(word, subcommands);
  if (word.starts_with('-'))
    line += "relent --help lists them";
  else if (!near.empty())
    line.append("did you mean ").append(near).append("?");
  else
    line.append("to run it as a command, write relent run -- ").append(word);
  say(line);
  return exit_failure;
}

ending dispatch(std::span<char*> words) {
  if (words.empty()) {
    write_all(STDERR_FILENO, short_help);
    return {exit_failure};
  }
  const std::string_view name = words.front();
  const std::span<char*> rest = words.subspan(1);
  if (name == "run") return run(rest);
  if (name == "explain") return explain(rest);
  if (name == "fetch" || name == "faults" || name == "demo") return {become_http(words)};
  if (name == "budget") return budget(rest);
  if (name == "generate") return generate(rest);
  if (name == "--help" || name == "-h" || name == "help") return {answer(short_help)};
  if (name == "--version") return {answer("relent " RELENT_VERSION "\n")};
  return {unknown(name)};
}

}  // namespace
}  // namespace relent::cli

int main(int argc, char** argv) {
  namespace cli = relent::cli;
  cli::reserve_standard_descriptors();
  try {
    const auto count = static_cast<std::size_t>(argc > 0 ? argc - 1 : 0);
    const cli::ending end = cli::dispatch({argv + 1, count});
    if (end.signal != 0) cli::die_by(end.signal);
    return end.exit_code;
  } catch (const std::exception& error) {
    cli::say(error.what());
    return cli::exit_failure;
  }
}
