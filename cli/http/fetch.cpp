// SPDX-License-Identifier: Apache-2.0
// `relent fetch`: reads the command line, and has it carried out.
#include "fetch_exit.hpp"
#include "fetch_order.hpp"
#include "fetch_run.hpp"
#include "subcommands_http.hpp"

#include "cli/message.hpp"
#include "cli/page.hpp"
#include "cli/pages/pages.hpp"

#include <algorithm>
#include <string_view>

namespace relent::cli {
namespace {

/// So that a list of processes does not show it any longer.
void wipe(std::span<char*> arguments, std::string_view secret) {
  if (secret.empty()) return;
  for (char* const word : arguments) {
    const std::string_view text(word);
    if (text.ends_with(secret)) std::fill_n(word + (text.size() - secret.size()), secret.size(), ' ');
  }
}

}  // namespace

ending fetch(std::span<char*> arguments) {
  std::vector<std::string> problems;
  const flag_values values = fetch_flag_reader().read({arguments.begin(), arguments.end()}, problems);
  if (values.given("--help")) return {answer(help_text(fetch_page()))};
  for (const std::string_view name : {"--user", "--oauth2-bearer"})
    for (const std::string_view secret : values.texts(name)) wipe(arguments, secret);
  try {
    const fetch_order order = read_fetch_order(values, arguments, problems);
    if (!problems.empty()) return {refuse("fetch", problems)};
    return carry_out(order);
  } catch (const content_error& error) {
    say(error.what());
    return {exit_read_failure};
  }
}

}  // namespace relent::cli
