// SPDX-License-Identifier: Apache-2.0
// `relent budget`: shows the budgets that processes share, and changes one.
#include "budget_file.hpp"
#include "exit_codes.hpp"
#include "flags.hpp"
#include "message.hpp"
#include "pages/pages.hpp"
#include "rounded.hpp"
#include "subcommands.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace relent::cli {
namespace {

using wall_time = std::chrono::system_clock::time_point;

/// A budget as it is at one moment.
struct reading {
  std::string name;
  std::string path;
  token_budget settings;
  double level;
  std::uint64_t refusals;
  std::optional<wall_time> last_used;

  explicit reading(const budget_file& of)
      : name(of.name()),
        path(of.path()),
        settings(of.settings()),
        level(of.budget().balance({})),
        refusals(of.budget().refusals()),
        last_used(of.last_used()) {}

  /// The retries that would be granted, were they all asked for now. A thousandth is the least amount there is.
  std::uint64_t retries_now() const {
    const double cost = std::ceil(settings.retry_cost * 1000 - 1e-6);
    return static_cast<std::uint64_t>(std::llround(level * 1000) / std::llround(cost));
  }
};

/// "2m05s ago", "never".
std::string when(const std::optional<wall_time>& instant) {
  if (!instant) return "never";
  return rounded(std::chrono::duration_cast<duration>(std::chrono::system_clock::now() - *instant)) + " ago";
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result.append({'\\', c});
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result += '"';
}

std::string as_json(const reading& budget) {
  const std::string used =
      budget.last_used ? fmt::format("\"{:%Y-%m-%dT%H:%M:%S}Z\"",
                                     fmt::gmtime(std::chrono::system_clock::to_time_t(*budget.last_used)))
                       : "null";
  return fmt::format(
      R"({{"name":{},"level":{},"capacity":{},"success_credit":{},"retry_cost":{},"retries_now":{},)"
      R"("refusals":{},"last_used":{},"file":{}}})",
      quoted(budget.name), budget.level, budget.settings.capacity, budget.settings.success_credit,
      budget.settings.retry_cost, budget.retries_now(), budget.refusals, used, quoted(budget.path));
}

std::string as_text(const reading& budget) {
  const std::uint64_t retries = budget.retries_now();
  std::string text =
      fmt::format("{}: {} of {} tokens left: {} would be granted now\n", budget.name, budget.level,
                  budget.settings.capacity, retries == 1 ? "1 retry" : fmt::format("{} retries", retries));
  text += fmt::format("  a success gives back  {}\n", budget.settings.success_credit);
  if (budget.settings.retry_cost != 1)
    text += fmt::format("  a retry takes         {}\n", budget.settings.retry_cost);
  text += fmt::format("  retries refused       {}\n", budget.refusals);
  text += fmt::format("  last used             {}\n", when(budget.last_used));
  text += fmt::format("  file                  {}\n", budget.path);
  return text;
}

std::string as_table(const std::vector<reading>& budgets) {
  std::size_t widest = 4;
  for (const reading& each : budgets) widest = std::max(widest, each.name.size());
  std::string text = fmt::format("{:<{}}  {:>11}  {:>11}  {:>9}  LAST USED\n", "NAME", widest, "TOKENS LEFT",
                                 "CAPACITY", "REFUSED");
  for (const reading& each : budgets)
    text += fmt::format("{:<{}}  {:>11}  {:>11}  {:>9}  {}\n", each.name, widest, each.level,
                        each.settings.capacity, each.refusals, when(each.last_used));
  return text;
}

/// Shows all budgets. Those that cannot be used are told of on stderr, and make it 125.
int show_all(bool json) {
  const budget_folder folder(false);
  std::vector<reading> budgets;
  bool complete = true;
  for (const std::string& name : folder.exists() ? folder.names() : std::vector<std::string>{}) {
    try {
      if (const auto file = budget_file::look(name)) budgets.emplace_back(*file);
    } catch (const budget_file_error& error) {
      say(error.what());
      complete = false;
    }
  }
  std::string text;
  if (json) {
    for (const reading& each : budgets) text += (text.empty() ? "" : ",") + as_json(each);
    text = "[" + text + "]\n";
  } else if (!budgets.empty()) {
    text = as_table(budgets);
  } else if (complete) {
    text = "no budgets yet; relent run --budget NAME makes one\n";
  }
  const int code = answer(text);
  return complete ? code : exit_failure;
}

/// What the words ask for, checked.
struct wish {
  std::string name = {};
  std::optional<double> capacity = {};
  std::optional<double> success_credit = {};
  bool reset = false;
  bool json = false;

  bool changes() const { return reset || capacity || success_credit; }
  token_budget applied_to(token_budget settings) const {
    settings.capacity = capacity.value_or(settings.capacity);
    settings.success_credit = success_credit.value_or(settings.success_credit);
    return settings;
  }
};

std::optional<double> read_amount(const flag_values& values, std::string_view name,
                                  std::vector<std::string>& problems) {
  const auto text = values.text(name);
  if (!text) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc{} && end == text->data() + text->size()) return number;
  problems.push_back(fmt::format("{}: '{}' is not a number: write 10 or 0.5", name, *text));
  return std::nullopt;
}

wish read_wish(const flag_values& values, std::vector<std::string>& problems) {
  wish result{.capacity = read_amount(values, "--capacity", problems),
              .success_credit = read_amount(values, "--success-credit", problems),
              .reset = values.given("--reset"),
              .json = values.given("--json")};
  if (!values.operands().empty()) result.name = values.operands().front();
  if (values.operands().size() > 1)
    problems.push_back(fmt::format("'{}': one budget at a time, please", values.operands()[1]));
  if (result.name.empty() && result.changes())
    problems.emplace_back("which budget? write its name, as in relent budget deploy --reset");
  if (!problems.empty()) return result;
  for (const problem& found : relent::problems(budget_options(result.applied_to({})))) {
    const std::string flag = found.field == "budget.capacity" ? "--capacity" : "--success-credit";
    problems.push_back(fmt::format("{}: '{}' {}", flag, *values.text(flag), found.rule));
  }
  return result;
}

/// What the budget was made with, as far as the file can be read.
token_budget settings_to_keep(const std::string& name) {
  try {
    if (const auto file = budget_file::look(name)) return file->settings();
  } catch (const budget_file_error&) {
    check_budget_name(name);  // a file that cannot be used is what --reset is for
  }
  return {};
}

budget_file change(const wish& wanted) {
  if (wanted.reset) return budget_file::reset(wanted.name, wanted.applied_to(settings_to_keep(wanted.name)));
  if (auto file = budget_file::look(wanted.name)) {
    const token_budget settings = wanted.applied_to(file->settings());
    return settings == file->settings() ? std::move(*file) : file->with(settings);
  }
  return budget_file::open(wanted.name, wanted.applied_to({}));
}

budget_file find(const std::string& name) {
  if (auto file = budget_file::look(name)) return std::move(*file);
  throw budget_file_error(
      fmt::format("there is no budget '{}'; relent run --budget {} makes it, and relent budget lists those "
                  "that there are",
                  name, name));
}

}  // namespace

ending budget(std::span<char*> arguments) {
  const page about = budget_page();
  const flag_reader reader(about.groups, operands::allowed);
  const std::vector<std::string> words(arguments.begin(), arguments.end());
  std::vector<std::string> problems;
  const flag_values values = reader.read(words, problems);
  if (values.given("--help")) return {answer(help_text(about))};
  const wish wanted = read_wish(values, problems);
  if (!problems.empty()) return {refuse("budget", problems)};
  try {
    if (wanted.name.empty()) return {show_all(wanted.json)};
    const reading now(wanted.changes() ? change(wanted) : find(wanted.name));
    return {answer(wanted.json ? as_json(now) + "\n" : as_text(now))};
  } catch (const budget_file_error& error) {
    say(error.what());
    return {exit_failure};
  }
}

}  // namespace relent::cli
