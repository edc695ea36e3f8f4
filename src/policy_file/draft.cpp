// SPDX-License-Identifier: Apache-2.0
// From a policy to its draft and back.
#include "draft.hpp"

#include <utility>

namespace relent::detail {

policy_draft draft_of(const named_policy& policy) {
  policy_draft draft;
  draft.rules = policy.policy.options();
  draft.kind = policy.budget.kind();
  draft.token = policy.budget.token();
  draft.ratio = policy.budget.ratio();
  draft.throttle = policy.budget.throttle();
  draft.has_breaker = policy.breaker.has_value();
  if (policy.breaker) draft.breaker = *policy.breaker;
  draft.has_sender_limit = policy.sender_limit.has_value();
  if (policy.sender_limit) draft.sender_limit = *policy.sender_limit;
  draft.command = policy.command;
  return draft;
}

budget_options budget_of(const policy_draft& draft) {
  switch (draft.kind) {
    case budget_kind::none: return budget::none();
    case budget_kind::token: return draft.token;
    case budget_kind::ratio: return draft.ratio;
    case budget_kind::throttle: return draft.throttle;
  }
  return budget::none();
}

named_policy named(std::string name, const policy_draft& draft) {
  named_policy policy{.name = std::move(name),
                      .policy = draft.rules,
                      .budget = budget_of(draft),
                      .breaker = nullopt,
                      .sender_limit = nullopt,
                      .command = draft.command};
  if (draft.has_breaker) policy.breaker = draft.breaker;
  if (draft.has_sender_limit) policy.sender_limit = draft.sender_limit;
  return policy;
}

std::vector<problem> problems_of(const policy_draft& draft) {
  std::vector<problem> all;
  const auto add = [&all](const problem_list& found) { all.insert(all.end(), found.begin(), found.end()); };
  add(problems(draft.rules));
  add(problems(budget_of(draft)));
  if (draft.has_breaker) add(problems(draft.breaker));
  if (draft.has_sender_limit) add(problems(draft.sender_limit));
  add(problems(draft.command));
  return all;
}

}  // namespace relent::detail
