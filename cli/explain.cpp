// SPDX-License-Identifier: Apache-2.0
// `relent explain`: reads a policy and prints what it does.
#include "exit_codes.hpp"
#include "explain_report.hpp"
#include "explain_run.hpp"
#include "flags.hpp"
#include "message.hpp"
#include "page.hpp"
#include "pages/pages.hpp"
#include "policy_flags.hpp"
#include "policy_source.hpp"
#include "subcommands.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace relent::cli {
namespace {

constexpr int exit_warned = 1;
constexpr std::uint64_t most_layers = 100;

/// Whether the terminal, or whatever reads us, expects UTF-8, by the usual variables in their usual order.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there is one thread
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text = value;
    return text.find("UTF-8") != std::string_view::npos || text.find("utf8") != std::string_view::npos ||
           text.find("utf-8") != std::string_view::npos;
  }
  return false;
}

std::optional<std::string> file_argument(const flag_values& values, std::vector<std::string>& problems) {
  const std::vector<std::string>& words = values.operands();
  if (words.size() > 1) problems.push_back(fmt::format("'{}': one policy at a time", words[1]));
  return words.empty() ? std::nullopt : std::optional(words.front());
}

explained read_explained(const flag_values& values, std::vector<std::string>& problems) {
  chosen_policy chosen = choose_policy(values, file_argument(values, problems), problems);
  explained what{.rules = std::move(chosen.policy), .source = std::move(chosen.source), .use = chosen.use};
  if (problems.empty()) {
    const policy_options options = read_policy(values, what.rules.policy.options(), problems);
    if (problems.empty()) what.rules.policy = policy(options);
  }
  if (const auto layers = read_number(values, "--layers", most_layers, problems)) {
    what.layers = static_cast<std::uint32_t>(*layers);
    if (*layers == 0) problems.emplace_back("--layers: '0' must be at least 1");
  }
  return what;
}

}  // namespace

ending explain(std::span<char*> arguments) {
  const flag_reader reader(explain_flags(), operands::allowed);
  std::vector<std::string> problems;
  const flag_values values = reader.read({arguments.begin(), arguments.end()}, problems);
  if (values.given("--help")) return {answer(help_text(explain_page()))};
  const explained what = read_explained(values, problems);
  if (!problems.empty()) return {refuse("explain", problems)};

  const explanation facts = explanation_of(what);
  const int printed = answer(values.given("--json") ? explain_as_json(what, facts)
                                                    : explain_as_text(what, facts, locale_is_utf8()));
  if (printed != exit_success) return {printed};
  return {values.given("--strict") && !facts.warnings.empty() ? exit_warned : exit_success};
}

int explain_run(const run_order& order) {
  const explained what{.rules = order.rules, .source = order.source, .use = policy_use::commands};
  std::string text = explain_as_text(what, explanation_of(what), locale_is_utf8());
  if (!order.command.empty()) {
    text += "\nNothing was run:";
    for (const char* word : order.command) text.append(" ").append(word);
    text += '\n';
  }
  return answer(text);
}

}  // namespace relent::cli
