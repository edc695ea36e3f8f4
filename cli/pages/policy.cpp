// SPDX-License-Identifier: Apache-2.0
// relent-policy(5): the policy file. Its keys are told from the description that it is read by.
#include "pages.hpp"

#include "src/policy_file/fields.hpp"

#include <relent/fault.hpp>

#include <fmt/format.h>

#include <cctype>

namespace relent::cli {
namespace {

std::string sentence(std::string_view phrase) {
  std::string text(phrase);
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ".";
}

/// In the order of budget_kind.
std::span<const std::string_view> kind_names() {
  for (const detail::section& part : detail::sections())
    for (const detail::field& each : part.fields)
      if (part.name == "budget" && each.name == "kind") return each.words;
  return {};
}

/// "Of its table `backoff`, the waits between attempts:"
std::string title_of(const detail::section& part) {
  if (part.name.empty()) return "Of a policy itself:";
  if (part.only_for)
    return fmt::format("Of `{}` with `kind = \"{}\"`, {}:", part.name,
                       kind_names()[static_cast<std::size_t>(*part.only_for)], part.help);
  return fmt::format("Of its table `{}`, {}:", part.name, part.help);
}

std::string keys() {
  std::string text;
  for (const detail::section& part : detail::sections()) {
    text += fmt::format("\n{}\n\n", title_of(part));
    for (const detail::field& each : part.fields)
      text += fmt::format("{} :: {} Value: {}{}. Default: {}\n", each.name, sentence(each.help),
                          each.words.empty() ? "" : "one of ", detail::type_text(each),
                          detail::default_text(part, each));
    if (part.removable)
      text += fmt::format("\nThere is none unless it is given; `{} = false` takes an inherited one away.\n",
                          part.name);
  }
  return text;
}

std::string kinds_of_faults() {
  std::vector<std::string_view> names;
  names.reserve(fault_kind_count);
  for (int i = 0; i < fault_kind_count; ++i) names.push_back(to_string(static_cast<fault_kind>(i)));
  return fmt::format("`{}`. An HTTP status stands for its kind, as 503 for `overloaded`.",
                     fmt::join(names, "`, `"));
}

}  // namespace

page policy_page() {
  return {
      .name = "relent-policy",
      .section = 5,
      .summary = "retry policies in a file",
      .synopsis = {},
      .lead = "Named policies in TOML, which `relent run`, `relent explain` and programs read alike.",
      .examples = R"(
  [policy.payments]
  max_attempts    = 4
  deadline        = "10s"
  attempt_timeout = "2s"
  backoff         = { base = "100ms", cap = "5s", jitter = "full" }
  retry_on        = ["unreachable", "timeout", "reset", 502, 503]
  budget          = { kind = "token", capacity = 10, success_credit = 0.1 }
  breaker         = { failures = 5, open_for = "10s" }

  [policy.fetch.command]
  retry_on        = [6, 7, 28, "timeout"])",
      .description = R"(
Each table `[policy.NAME]` is a policy. What it does not say it takes from `[policy.default]`, key by key, and what
that does not say, from the defaults below; `relent run` has a deadline of an hour for a default. `inherit = "NAME"`
makes a policy begin from another one, `inherit = "profile:ssh"` from a ready profile. Lengths of time are texts with
a unit: "250ms", "10s", "1h30m". Mistakes are told all at once, each with its line and column.)",
      .before_flags = {},
      .groups = {},
      .sections =
          {
              {"Keys", keys()},
              {"Kinds of faults", kinds_of_faults()},
              {"Files", R"(
~/.config/relent/policy.toml :: where `--profile NAME` looks first (XDG_CONFIG_HOME)
/usr/share/relent/policy.schema.json :: a JSON Schema of the file, with which editors complete and check it)"},
          },
      .see_also = {"relent(1)", "relent-run(1)", "relent-explain(1)"},
  };
}

}  // namespace relent::cli
