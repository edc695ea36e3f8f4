// SPDX-License-Identifier: Apache-2.0
// relent-policy(5): the policy file. Its keys are told from the description that it is read by.
#include "pages.hpp"

#include "src/policy_file/fields.hpp"

#include <fmt/format.h>

namespace relent::cli {
namespace {

std::string title_of(const detail::section& part) {
  if (part.name.empty()) return "Keys of a policy";
  return part.only_for ? fmt::format("Keys of {}: {}", part.name, part.help)
                       : fmt::format("Keys of {}", part.name);
}

page_section told(const detail::section& part) {
  std::string text;
  if (!part.help.empty() && !part.only_for) text += fmt::format("{}.\n\n", part.help);
  for (const detail::field& each : part.fields)
    text += fmt::format("{} :: {}. {}. Default: {}\n", each.name, each.help, detail::type_text(each),
                        detail::default_text(part, each));
  return {title_of(part), text};
}

}  // namespace

page policy_page() {
  page about{
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
      .sections = {},
      .see_also = {"relent-run(1)", "relent-explain(1)"},
  };
  for (const detail::section& part : detail::sections()) about.sections.push_back(told(part));
  return about;
}

}  // namespace relent::cli
