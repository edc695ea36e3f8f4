// SPDX-License-Identifier: Apache-2.0
// Any bytes as a policy file: either policies that read back as themselves, or problems with places in the text.
#include <relent/policy_file/policy_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

/// How many columns a line has, the one behind its end included; from 1.
std::size_t columns_of(std::string_view text, std::size_t line) {
  for (; line > 1; --line) {
    const auto end = text.find('\n');
    check(end != std::string_view::npos);
    text.remove_prefix(end + 1);
  }
  return std::min(text.find('\n'), text.size()) + 1;
}

void check_problems(const relent::policy_file_error& error, std::string_view text) {
  check(!error.problems().empty());
  for (const relent::policy_file_problem& each : error.problems()) {
    check(!each.message.empty());
    check(each.line >= 1 && each.column >= 1);
    check(each.column <= columns_of(text, each.line));
  }
  // A line each, whatever names and values hold.
  const std::string_view said = error.what();
  check(static_cast<std::size_t>(std::count(said.begin(), said.end(), '\n')) + 1 == error.problems().size());
}

void check_policy(const relent::named_policy& policy) {
  for (const bool complete : {false, true}) {
    const relent::policy_file again = relent::policy_file::parse(relent::to_toml(policy, complete));
    check(again.policies().size() == 1 && again.policies()[0] == policy);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    for (const relent::named_policy& each : relent::policy_file::parse(text).policies()) check_policy(each);
  } catch (const relent::policy_file_error& error) {
    check_problems(error, text);
  }
  return 0;
}
