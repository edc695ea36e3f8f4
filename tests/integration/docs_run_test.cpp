// SPDX-License-Identifier: Apache-2.0
// The documentation of the tool against the tool: the table of flags is that of --help, and the sessions are
// played again, all but those with a process in the background. RELENT_SOURCE_DIR is the checkout.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

using relent::test::run_tool;
using testing::HasSubstr;

std::string page_named(const std::string& name) {
  std::ifstream file(RELENT_SOURCE_DIR "/docs/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What stands between two texts, the first such; empty if there is none.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return {};
  const std::size_t start = begin + before.size();
  return text.substr(start, text.find(after, start) - start);
}

/// Commands, and what the page says that they print.
struct session {
  std::string script;
  std::string printed;
};

std::vector<session> sessions(const std::string& page) {
  std::vector<session> found;
  for (std::size_t at = 0; (at = page.find("```\n$ ", at)) != std::string::npos; ++at) {
    session one;
    std::istringstream lines(between(page.substr(at), "```\n", "```\n"));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("$ "))
        one.script += line.substr(2) + "\n";
      else
        one.printed += line + "\n";
    if (one.script.find('&') == std::string::npos) found.push_back(one);
  }
  return found;
}

std::string without_what_varies(const std::string& text) {
  return std::regex_replace(text, std::regex(R"( \(elapsed [^)]*\))"), "");
}

/// What a shell prints, both outputs together. It takes the place of the tool in a process of the tool's.
std::string output_of(const std::string& script) {
  const std::string tool = RELENT_TOOL;
  const std::string command = "exec 2>&1; PATH='" + tool.substr(0, tool.rfind('/')) + "':$PATH\n" + script;
  const auto become_a_shell = [&] { ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr); };
  return run_tool({}, become_a_shell).out;
}

TEST(docs_of_run, list_the_flags_as_the_help_does) {
  const std::string flags = between(page_named("run.md"), "<!-- flags: relent run -->\n```\n", "```\n");
  ASSERT_NE(flags, "");
  EXPECT_THAT(run_tool({"run", "--help"}).out, HasSubstr("brackets.\n\n" + flags + "\nWhat counts"));
}

class docs_of_the_tool : public testing::TestWithParam<const char*> {};

TEST_P(docs_of_the_tool, show_what_the_tool_prints) {
  const std::vector<session> all = sessions(page_named(GetParam()));
  ASSERT_GE(all.size(), 1U);
  for (const session& one : all)
    EXPECT_EQ(without_what_varies(output_of(one.script)), without_what_varies(one.printed)) << one.script;
}

INSTANTIATE_TEST_SUITE_P(pages, docs_of_the_tool, testing::Values("run.md", "run_log.md", "explain.md"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
