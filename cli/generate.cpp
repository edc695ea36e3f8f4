// SPDX-License-Identifier: Apache-2.0
// `relent generate`: what is made of the tool's own descriptions: manual pages, completion, the schema of the
// policy file. For builds and packages; and the names that the completion offers.
#include "budget_folder.hpp"
#include "completion.hpp"
#include "exit_codes.hpp"
#include "man_page.hpp"
#include "message.hpp"
#include "pages/pages.hpp"
#include "policy_source.hpp"
#include "subcommands.hpp"

#include <relent/policy_file/policy_file.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {
namespace {

constexpr std::string_view usage =
    "write man PAGE, completion bash, schema, profiles or budgets, as in relent generate man relent-run";

ending refuse_with(std::string_view problem) {
  const std::string problems[] = {std::string(problem)};
  return {refuse("generate", problems)};
}

ending man(std::string_view name) {
  std::vector<std::string_view> known;
  const std::vector<page> pages = all_pages();
  for (const page& each : pages) {
    if (each.name == name) return {answer(man_text(each))};
    known.push_back(each.name);
  }
  return refuse_with(fmt::format("'{}' is no page: write {}", name, fmt::join(known, ", ")));
}

ending lines(const std::vector<std::string>& words) {
  return {answer(words.empty() ? "" : fmt::format("{}\n", fmt::join(words, "\n")))};
}

std::vector<std::string> budget_names() {
  const budget_folder folder(false);
  return folder.exists() ? folder.names() : std::vector<std::string>{};
}

}  // namespace

ending generate(std::span<char*> arguments) {
  const std::string_view what = arguments.empty() ? "" : arguments[0];
  const std::string_view which = arguments.size() < 2 ? "" : arguments[1];
  if (what == "man" && arguments.size() == 2) return man(which);
  if (what == "completion" && which == "bash" && arguments.size() == 2)
    return {answer(bash_completion(all_pages()))};
  if (what == "schema" && arguments.size() == 1) return {answer(policy_file_schema())};
  if (what == "profiles" && arguments.size() == 1) return lines(profile_names());
  if (what == "budgets" && arguments.size() == 1) return lines(budget_names());
  return refuse_with(usage);
}

}  // namespace relent::cli
