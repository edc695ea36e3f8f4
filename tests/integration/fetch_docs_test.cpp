// SPDX-License-Identifier: Apache-2.0
// docs/fetch.md against the tool: its flags are those of --help, and its sessions are played again, each against
// the server that the page names before it.
#include "fetch_process.hpp"

#include <relent/testing/fault_server.hpp>

#include <cli/http/absent_flags.hpp>
#include <cli/pages/pages.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstddef>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace relent::test;
using relent::testing::fault_server;
using testing::HasSubstr;

std::string page_text() {
  const std::string here = __FILE__;
  return read_file(here.substr(0, here.rfind("/tests/")) + "/docs/fetch.md");
}

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return {};
  const std::size_t start = begin + before.size();
  return text.substr(start, text.find(after, start) - start);
}

TEST(docs_of_fetch, list_the_flags_as_the_help_does) {
  const std::string flags = between(page_text(), "<!-- flags: relent fetch -->\n```\n", "```\n");
  ASSERT_NE(flags, "");
  EXPECT_THAT(run_tool({"fetch", "--help"}).out, HasSubstr("FILE.\n\n" + flags + "\nWhat is tried"));
}

TEST(docs_of_fetch, and_its_page_have_the_same_exit_codes) {
  const std::string in_docs = between(page_text(), "## Exit code\n", "## ");
  const std::string in_help = between(run_tool({"fetch", "--help"}).out, "Exit code:\n", "What relent tells");
  std::istringstream lines(in_docs);
  std::size_t codes = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, std::regex(R"(\| ([0-9n+, ]+) \| .*)"))) continue;
    EXPECT_THAT(in_help, HasSubstr("\n  " + found[1].str() + " ")) << line;
    ++codes;
  }
  EXPECT_GE(codes, 17U);
}

TEST(absent_flags, are_not_there_and_are_told_of_with_what_to_do_instead) {
  for (const relent::cli::absent_flag& absent : relent::cli::absent_curl_flags()) {
    EXPECT_TRUE(absent.instead.starts_with("is not ")) << absent.name;
    for (const relent::cli::flag_group& group : relent::cli::fetch_flags())
      for (const relent::cli::flag& each : group.flags) {
        EXPECT_NE(each.name, absent.name);
        EXPECT_TRUE(absent.short_name.empty() || each.short_name != absent.short_name) << absent.name;
      }
  }
}

struct session {
  std::string script;  ///< of the server; empty: none
  std::string commands;
  std::string printed;
};

std::vector<session> sessions() {
  std::vector<session> found;
  std::istringstream lines(page_text());
  const std::regex server(R"(.*`relent faults -l 8080 '([^']*)'`:)");
  std::string script;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, server)) script = match[1];
    if (line != "```") continue;
    session one{std::exchange(script, {}), {}, {}};
    while (std::getline(lines, line) && line != "```")
      (line.starts_with("$ ") ? one.commands : one.printed) +=
          (line.starts_with("$ ") ? line.substr(2) : line) + "\n";
    if (!one.commands.empty()) found.push_back(one);
  }
  return found;
}

std::string without_what_varies(std::string text) {
  text = std::regex_replace(text, std::regex(R"( \(elapsed [^)]*\))"), "");
  return std::regex_replace(text, std::regex("after [0-9]+ ms"), "after 0 ms");
}

/// What a shell prints, both outputs together, in a folder of its own.
std::string output_of(const std::string& commands, const std::string& address) {
  const scratch_folder folder;
  const std::string tool = RELENT_TOOL;
  const std::string whole = "exec 2>&1; PATH='" + tool.substr(0, tool.rfind('/')) +
                            "':$PATH NO_PROXY='*'; export NO_PROXY\n" +
                            std::regex_replace(commands, std::regex("http://127.0.0.1:8080"), address);
  return run_tool({},
                  [&] {
                    if (::chdir(folder.file("").c_str()) == 0)
                      ::execl("/bin/sh", "sh", "-c", whole.c_str(), nullptr);
                  })
      .out;
}

TEST(docs_of_fetch, show_what_the_tool_prints) {
  const std::vector<session> all = sessions();
  ASSERT_GE(all.size(), 4U);
  for (const session& one : all) {
    std::unique_ptr<fault_server> server;
    if (!one.script.empty())
      server = std::make_unique<fault_server>(relent::testing::fault_server_options{.scripts = {one.script}});
    std::string address = server ? server->url("/") : "";
    if (!address.empty()) address.pop_back();
    EXPECT_EQ(without_what_varies(output_of(one.commands, address)), without_what_varies(one.printed))
        << one.commands;
  }
}

}  // namespace
