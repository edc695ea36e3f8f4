// SPDX-License-Identifier: Apache-2.0
// relent-http: what `relent fetch`, `relent faults` and `relent demo` become. Not called by people.
#include "cli/exit_codes.hpp"
#include "cli/http/subcommands_http.hpp"
#include "cli/message.hpp"
#include "cli/signals.hpp"

#include <exception>
#include <string_view>

namespace relent::cli {
namespace {

ending dispatch(std::span<char*> words) {
  const std::string_view name = words.empty() ? "" : words.front();
  if (name == "fetch") return fetch(words.subspan(1));
  if (name == "faults") return faults(words.subspan(1));
  if (name == "demo") return demo(words.subspan(1));
  say("relent-http is a part of relent: write relent fetch, relent faults or relent demo");
  return {exit_failure};
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
