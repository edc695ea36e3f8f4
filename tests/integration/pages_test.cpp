// SPDX-License-Identifier: Apache-2.0
// What is made of the descriptions of the subcommands: help, manual pages, completion for bash.
#include "tool_process.hpp"

#include <cli/completion.hpp>
#include <cli/man_page.hpp>
#include <cli/page.hpp>
#include <cli/pages/pages.hpp>
#include <src/policy_file/fields.hpp>

#include <relent/policy_file/attempt_ends.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace relent::cli;
using relent::test::run_tool;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

/// What a shell prints. It takes the place of the tool in a process of the tool's.
std::string output_of(const std::string& script) {
  const std::string tool = RELENT_TOOL;
  const std::string whole = "PATH='" + tool.substr(0, tool.rfind('/')) + "':$PATH\n" + script;
  return run_tool({}, [&] { ::execl("/bin/bash", "bash", "-uc", whole.c_str(), nullptr); }).out;
}

bool has_command(const std::string& name) { return !output_of("type -P " + name).empty(); }

class pages : public testing::TestWithParam<page> {};

TEST_P(pages, have_every_flag_in_help_and_manual) {
  const page& about = GetParam();
  const std::string help = help_text(about);
  const std::string manual = man_text(about);
  for (const flag_group& group : about.groups)
    for (const flag& each : group.flags) {
      EXPECT_THAT(help, HasSubstr("\n  " + std::string(each.name))) << each.name;
      const std::string name = std::regex_replace(std::string(each.name), std::regex("-"), "\\-");
      EXPECT_THAT(manual, HasSubstr(".TP\n\\fB" + name + "\\fR")) << each.name;
      EXPECT_FALSE(each.help.empty()) << each.name;
    }
}

TEST_P(pages, fit_a_terminal_of_80_columns) {
  std::istringstream lines(help_text(GetParam()));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_P(pages, are_printed_by_the_tool) {
  const page& about = GetParam();
  EXPECT_EQ(run_tool({"generate", "man", std::string(about.name)}).out, man_text(about));
  if (const std::string subcommand(subcommand_of(about)); !subcommand.empty()) {
    EXPECT_EQ(run_tool({subcommand, "--help"}).out, help_text(about));
  }
}

TEST_P(pages, are_manual_pages_without_a_fault) {
  if (!has_command("groff")) GTEST_SKIP() << "groff is not installed";
  const std::string name(GetParam().name);
  EXPECT_EQ(output_of("relent generate man " + name + " | groff -man -ww -Tutf8 2>&1 >/dev/null"), "");
  if (!has_command("lexgrog")) return;
  EXPECT_THAT(output_of("relent generate man " + name + " >page.$$; lexgrog page.$$; rm page.$$"),
              HasSubstr("\"" + name + " - " + std::string(GetParam().summary) + "\""));
}

TEST_P(pages, tell_lines_that_roff_would_take_for_its_own_as_they_are) {
  std::istringstream lines(man_text(GetParam()));
  const std::regex known(R"(\.(TH|SH|SS|PP|TP|B|BR|RS|RE|EX|EE|br|nh|ad)( .*)?)");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('.') || line.starts_with('\'')) {
      EXPECT_TRUE(std::regex_match(line, known)) << line;
    }
}

TEST_P(pages, can_be_copied_from_a_terminal) {
  if (!has_command("groff")) GTEST_SKIP() << "groff is not installed";
  const std::string name(GetParam().name);
  const std::string shown = output_of("relent generate man " + name + " | groff -man -Tutf8 -P-cbou");
  EXPECT_THAT(shown, HasSubstr("\nNAME\n       " + name + " - "));
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        << line;
}

INSTANTIATE_TEST_SUITE_P(all, pages, testing::ValuesIn(all_pages()), [](const auto& info) {
  return std::regex_replace(std::string(info.param.name), std::regex("-"), "_");
});

TEST(pages, of_all_subcommands_are_there) {
  std::vector<std::string> names;
  for (const page& each : all_pages()) names.emplace_back(each.name);
  EXPECT_THAT(names, ElementsAre("relent", "relent-run", "relent-fetch", "relent-explain", "relent-budget",
                                 "relent-faults", "relent-demo", "relent-policy"));
}

TEST(pages, of_a_name_that_there_is_not_are_refused) {
  const auto end = run_tool({"generate", "man", "relent-walk"});
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_THAT(end.err, HasSubstr("relent generate: 'relent-walk' is no page: write relent, relent-run"));
  EXPECT_TRUE(run_tool({"generate"}).exited_with(125));
  EXPECT_TRUE(run_tool({"generate", "completion", "fish"}).exited_with(125));
}

TEST(pages, of_the_policy_file_have_every_key) {
  const std::string manual = run_tool({"generate", "man", "relent-policy"}).out;
  for (const relent::detail::section& part : relent::detail::sections())
    for (const relent::detail::field& each : part.fields)
      EXPECT_THAT(manual, HasSubstr(".TP\n.B " + std::string(each.name) + "\n")) << each.name;
  EXPECT_THAT(manual, HasSubstr("kind = \\(dqratio\\(dq"));
}

/// A page with all that is hard to say in roff.
page hard_page() {
  static constexpr flag flags[] = {{"--odd", "X", "as `-x`", "-o", {}, {}, "More:\n\n  a  b\n\nAnd more."}};
  static constexpr flag_group group{"Odd", flags};
  return {.name = "relent-odd",
          .summary = "odd",
          .synopsis = {"relent odd [--odd X]  [NAME...]"},
          .lead = "A \\ and ~ and ^.\n\n.TH is no macro, nor is\n\n'this; `relent-run(1)` is a page.",
          .examples = "  .first\n \n  'second' \"third\"",
          .description = "`.a` :: of a \"list\"",
          .before_flags = {},
          .groups = {group},
          .sections = {},
          .see_also = {}};
}

TEST(manual, escapes_what_roff_would_take_for_its_own) {
  const std::string manual = man_text(hard_page());
  EXPECT_THAT(manual, HasSubstr("\nA \\(rs and \\(ti and \\(ha.\n"));
  EXPECT_THAT(manual, HasSubstr("\n\\&.TH is no macro, nor is\n"));
  EXPECT_THAT(manual, HasSubstr("\n\\(aqthis; \\fBrelent\\-run\\fR(1) is a page.\n"));
  EXPECT_THAT(manual, HasSubstr(".EX\n\\&.first\n\n\\(aqsecond\\(aq \\(dqthird\\(dq\n.EE\n"));
  EXPECT_THAT(manual, HasSubstr(".TP\n.B .a\nof a \\(dqlist\\(dq\n"));
  EXPECT_THAT(manual, HasSubstr("\\fB[\\-\\-odd\\fR \\fIX]\\fR \\fI[NAME...]\\fR\n"));
}

TEST(manual, tells_the_details_of_a_flag_under_it) {
  EXPECT_THAT(man_text(hard_page()),
              HasSubstr(".TP\n\\fB\\-\\-odd\\fR, \\fB\\-o\\fR \\fIX\\fR\nas \\fB\\-x\\fR\n"
                        ".RS\n.PP\nMore:\n.PP\n.RS 4\n.EX\na  b\n.EE\n.RE\n.nh\n.PP\nAnd more.\n.RE\n"));
  EXPECT_THAT(help_text(hard_page()), Not(HasSubstr("More")));
}

/// What bash would offer for the last of the words, a line each.
std::vector<std::string> offered(const std::vector<std::string>& words, const std::string& before = "") {
  std::string list;
  for (const std::string& word : words) list += " '" + word + "'";
  std::istringstream in(output_of(before + "eval \"$(relent generate completion bash)\"\nCOMP_WORDS=(" +
                                  list + ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
                                  "\n_relent\nprintf '%s\\n' \"${COMPREPLY[@]}\""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

TEST(completion, offers_subcommands) {
  EXPECT_THAT(offered({"relent", ""}),
              IsSupersetOf({"run", "fetch", "explain", "budget", "faults", "demo", "--version"}));
  EXPECT_THAT(offered({"relent", "ex"}), ElementsAre("explain"));
}

TEST(completion, offers_every_flag_of_a_subcommand) {
  for (const page& about : all_pages()) {
    const std::string subcommand(subcommand_of(about));
    if (subcommand.empty() || about.groups.empty()) continue;
    std::vector<std::string> flags;
    for (const flag_group& group : about.groups)
      for (const flag& each : group.flags) flags.emplace_back(each.name);
    EXPECT_THAT(offered({"relent", subcommand, "-"}), testing::UnorderedElementsAreArray(flags))
        << subcommand;
  }
  EXPECT_THAT(offered({"relent", "run", "--max"}), ElementsAre("--max-attempts"));
}

TEST(completion, offers_the_values_that_are_known) {
  EXPECT_THAT(offered({"relent", "run", "--output", ""}), ElementsAre("stream", "last", "stderr"));
  EXPECT_THAT(offered({"relent", "run", "--log-format", "l"}), ElementsAre("logfmt"));
  EXPECT_THAT(offered({"relent", "run", "--jitter", "deco"}), ElementsAre("decorrelated", "decorrelated_v2"));
  EXPECT_THAT(offered({"relent", "run", "--growth", "f"}), ElementsAre("fibonacci"));
  EXPECT_THAT(offered({"relent", "run", "--nested", "r"}), ElementsAre("retry"));
  EXPECT_THAT(offered({"relent", "run", "--output", "=", "la"}), ElementsAre("last"));
}

TEST(completion, offers_profiles_by_name) {
  EXPECT_THAT(offered({"relent", "run", "--profile", ""}),
              IsSupersetOf({"apt", "curl", "docker", "git", "ssh"}));
  EXPECT_THAT(offered({"relent", "explain", "--profile", "ap"}), ElementsAre("apt"));
}

TEST(completion, offers_signals_besides_timeout) {
  EXPECT_THAT(offered({"relent", "run", "--retry-on", "SIGSE"}), ElementsAre("SIGSEGV"));
  EXPECT_THAT(offered({"relent", "run", "--stop-on", "time"}), ElementsAre("timeout"));
}

TEST(completion, offers_signals_behind_a_comma) {
  EXPECT_THAT(offered({"relent", "run", "--retry-on", "1,75,SIGSE"}), ElementsAre("1,75,SIGSEGV"));
  EXPECT_THAT(offered({"relent", "run", "--retry-on", "1,x"}), IsEmpty());
}

TEST(completion, offers_only_signals_that_are_understood) {
  const std::vector<std::string> all = offered({"relent", "run", "--retry-on", "SIG"});
  EXPECT_THAT(all, IsSupersetOf({"SIGHUP", "SIGSEGV", "SIGPIPE"}));
  for (const std::string& each : all) EXPECT_TRUE(relent::parse_attempt_ends(each).value) << each;
}

TEST(completion, offers_names_as_they_stand) {
  const std::string names = "$(touch$IFS-ran)\n*\n~\nplain";
  const std::vector<std::string> all =
      offered({"tell", "run", "--profile", ""}, "tell() { printf '%s\\n' '" + names + "'; }\n");
  EXPECT_THAT(all, ElementsAre("$(touch$IFS-ran)", "*", "~", "plain"));
}

TEST(completion, offers_nothing_behind_the_colon_of_a_file) {
  EXPECT_THAT(offered({"relent", "run", "--policy", "file.toml", ":", ""}), IsEmpty());
  EXPECT_THAT(offered({"relent", "explain", "file.toml", ":"}), IsEmpty());
}

TEST(completion, offers_files_with_blanks_in_one_piece) {
  const std::string folder = "cd \"$(mktemp -d)\" && trap 'rm -r \"$PWD\"' EXIT && touch 'two words'\n";
  EXPECT_THAT(offered({"relent", "run", "--log", "tw"}, folder), ElementsAre("two words"));
}

TEST(completion, offers_files) {
  EXPECT_THAT(offered({"relent", "run", "--log", "/etc/host"}), Contains("/etc/hosts"));
  EXPECT_THAT(offered({"relent", "explain", "/etc/host"}), Contains("/etc/hosts"));
}

TEST(completion, offers_nothing_for_a_length_of_time) {
  EXPECT_THAT(offered({"relent", "run", "--base", ""}), IsEmpty());
}

TEST(completion, offers_commands_behind_the_separator_and_files_behind_them) {
  EXPECT_THAT(offered({"relent", "run", "--quiet", "--", "gre"}), Contains("grep"));
  EXPECT_THAT(offered({"relent", "run", "--", "cat", "/etc/host"}), Contains("/etc/hosts"));
}

TEST(completion, leaves_the_command_to_the_completion_of_its_own) {
  for (const char* name : {"_command_offset", "_comp_command_offset"})
    EXPECT_THAT(offered({"relent", "run", "--base", "1s", "--", "git", "ch"},
                        std::string(name) + "() { COMPREPLY=(\"offset-$1\"); }\n"),
                ElementsAre("offset-5"));
}

}  // namespace
