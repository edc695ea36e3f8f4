// SPDX-License-Identifier: Apache-2.0
// A policy in the making: the options side by side, each to be set by itself, not yet checked together.
#pragma once

#include <relent/policy_file/policy_file.hpp>

namespace relent::detail {

/// What a named_policy is made of, its name apart. A plain value.
struct policy_draft {
  policy_options rules;
  budget_kind kind = budget_kind::token;
  token_budget token;
  ratio_budget ratio;
  throttle_budget throttle;
  bool has_breaker = false;
  breaker_options breaker;
  bool has_sender_limit = false;
  sender_limit_options sender_limit;
  command_rules command;
};

/// The draft that makes this policy again.
policy_draft draft_of(const named_policy& policy);

/// The budget of the draft's kind.
budget_options budget_of(const policy_draft& draft);

/// Throws options_error if the rules break one of theirs.
named_policy named(std::string name, const policy_draft& draft);

/// What is wrong with any part of the draft, by field ("backoff.cap").
std::vector<problem> problems_of(const policy_draft& draft);

}  // namespace relent::detail
