// SPDX-License-Identifier: Apache-2.0
// `relent run`: reads the command line, and has it carried out.
#include "command_run.hpp"
#include "flags.hpp"
#include "message.hpp"
#include "page.hpp"
#include "pages/pages.hpp"
#include "run_order.hpp"
#include "subcommands.hpp"

namespace relent::cli {

ending run(std::span<char*> arguments) {
  const flag_reader reader(run_flags());
  const split_command_line words = split_at_separator(arguments);
  std::vector<std::string> problems;
  const flag_values values = reader.read(words.own, problems);
  if (values.given("--help")) return {answer(help_text(run_page()))};
  const run_order order = read_run_order(words, values, problems);
  if (!problems.empty()) return {refuse("run", problems)};
  return carry_out(order);
}

}  // namespace relent::cli
