// SPDX-License-Identifier: Apache-2.0
// The scripts of docs/fault_server.md: what stands in the first column of its tables is accepted.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <relent/testing/fault_server.hpp>
#include <string>
#include <vector>

namespace relent::testing {
namespace {

/// What stands between backticks in the first cell of each row.
std::vector<std::string> scripts_of_the_page() {
  std::ifstream page(std::filesystem::path(__FILE__).parent_path() / "../../docs/fault_server.md");
  std::vector<std::string> out;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "<!-- scripts -->") inside = true;
    if (line == "<!-- end -->") inside = false;
    if (!inside || line.rfind("| `", 0) != 0) continue;
    const std::string cell = line.substr(2, line.find(" |", 2) - 2);
    for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at + 1)) {
      const std::size_t end = cell.find('`', at + 1);
      out.push_back(cell.substr(at + 1, end - at - 1));
      at = end;
    }
  }
  return out;
}

TEST(fault_server_docs, shows_scripts_that_are_accepted) {
  const std::vector<std::string> scripts = scripts_of_the_page();
  EXPECT_GT(scripts.size(), 50U);
  for (const std::string& each : scripts) EXPECT_NO_THROW(check_fault_scripts({each}, true)) << each;
}

}  // namespace
}  // namespace relent::testing
