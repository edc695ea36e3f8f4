// SPDX-License-Identifier: Apache-2.0
// An explanation of a policy as text for a person and as JSON. The numbers and warnings are those of
// relent/explain/explanation.hpp. Layer 5.
#pragma once

#include <relent/explain/explanation.hpp>
#include <relent/policy_file/policy_file.hpp>

#include <cstdint>
#include <string>

namespace relent::cli {

/// What is explained, and what of it is wanted.
struct explained {
  named_policy rules;
  std::string source;  ///< "policy 'payments' of policies.toml"
  policy_use use = policy_use::commands;
  std::uint32_t layers = 1;
};

/// The explanation that both show.
explanation explanation_of(const explained& what);

/// Lines of at most 100 columns. Drawn with box characters if `utf8`, else with ASCII.
std::string explain_as_text(const explained& what, const explanation& facts, bool utf8);

/// One object and a newline. Fields are documented in docs/explain.md, and stay as they are.
std::string explain_as_json(const explained& what, const explanation& facts);

}  // namespace relent::cli
