// SPDX-License-Identifier: Apache-2.0
// Laws of the budgets under random lists of operations, each kind against a small model of its rule that keeps
// whole lists instead of counters: never more grants than the rule allows, and never fewer.
#include <relent/budget.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <vector>

namespace relent {
namespace {

using namespace std::chrono_literals;

enum class action { request, take, give_back, fail, succeed, succeed_after_retry };

struct operation {
  action what;
  fault_kind kind;
  std::int64_t milliseconds;  // since the operation before; negative where the clock jumps back
};

// Found by RapidCheck when it prints a counterexample.
[[maybe_unused]] std::ostream& operator<<(std::ostream& out, const operation& o) {
  static constexpr const char* names[] = {"request", "take",    "give_back",
                                          "fail",    "succeed", "succeed_after_retry"};
  return out << "+" << o.milliseconds << "ms " << names[static_cast<int>(o.what)] << " " << to_string(o.kind);
}

rc::Gen<operation> operations() {
  const auto milliseconds =
      rc::gen::weightedOneOf<std::int64_t>({{6, rc::gen::just<std::int64_t>(0)},
                                            {6, rc::gen::inRange<std::int64_t>(0, 400)},
                                            {2, rc::gen::inRange<std::int64_t>(-3000, 3000)},
                                            {1, rc::gen::inRange<std::int64_t>(0, 100'000'000)}});
  const auto action_of = rc::gen::weightedElement<action>({{6, action::request},
                                                           {6, action::take},
                                                           {2, action::give_back},
                                                           {2, action::fail},
                                                           {4, action::succeed},
                                                           {2, action::succeed_after_retry}});
  const auto kind_of =
      rc::gen::map(rc::gen::inRange(0, fault_kind_count), [](int i) { return fault_kind(i); });
  return rc::gen::build<operation>(rc::gen::set(&operation::what, action_of),
                                   rc::gen::set(&operation::kind, kind_of),
                                   rc::gen::set(&operation::milliseconds, milliseconds));
}

std::vector<operation> some_operations() {
  return *rc::gen::scale(4.0, rc::gen::container<std::vector<operation>>(operations()));
}

/// A number of thousandths, as the decimal fraction that a user would write.
double decimal(int least_thousandths, int most_thousandths) {
  return *rc::gen::inRange(least_thousandths, most_thousandths + 1) / 1000.0;
}

std::int64_t thousandths(double amount) { return std::llround(amount * 1000); }

/// Plays operations on a budget and on the model of its rule, and compares all that can be seen.
template <class Model>
void compare(budget& subject, Model model, const std::vector<operation>& list) {
  time_point now{1h};
  std::uint64_t refusals = 0;
  for (const operation& o : list) {
    now += std::chrono::milliseconds{o.milliseconds};
    switch (o.what) {
      case action::request: subject.requested(now), model.requested(now); break;
      case action::take: {
        const bool granted = model.take(o.kind, now);
        RC_ASSERT(subject.try_take(o.kind, now) == granted);
        refusals += granted ? 0 : 1;
        break;
      }
      case action::give_back: subject.give_back(o.kind, now), model.give_back(o.kind, now); break;
      case action::fail: subject.failed(now), model.failed(); break;
      case action::succeed: subject.succeeded(now), model.succeeded(); break;
      case action::succeed_after_retry:
        subject.succeeded_after_retry(o.kind, now), model.succeeded_after_retry(o.kind);
        break;
    }
    RC_ASSERT(subject.balance(now) == model.balance(now));
    RC_ASSERT(subject.refusals() == refusals);
    model.check();
  }
}

// Token

class token_model {
 public:
  explicit token_model(const token_budget& rule) : rule_(rule), level_(thousandths(rule.capacity)) {}

  void requested(time_point) {}
  void failed() {}
  bool take(fault_kind kind, time_point) {
    if (level_ < cost(kind)) return false;
    level_ -= cost(kind);
    spent_ += cost(kind);
    return true;
  }
  void give_back(fault_kind kind, time_point) { add(cost(kind)); }
  void succeeded() { add(thousandths(rule_.success_credit)); }
  void succeeded_after_retry(fault_kind kind) { rule_.refund_last_cost ? add(cost(kind)) : succeeded(); }
  double balance(time_point) const { return static_cast<double>(level_) / 1000; }
  void check() const {
    RC_ASSERT(level_ >= 0 && level_ <= thousandths(rule_.capacity));
    RC_ASSERT(spent_ <= thousandths(rule_.capacity) + added_);
  }

 private:
  std::int64_t cost(fault_kind kind) const {
    if (kind == fault_kind::timeout) return thousandths(rule_.timeout_cost.value_or(rule_.retry_cost));
    if (kind == fault_kind::rate_limited || kind == fault_kind::overloaded)
      return thousandths(rule_.rate_limited_cost.value_or(rule_.retry_cost));
    return thousandths(rule_.retry_cost);
  }
  void add(std::int64_t amount) {
    level_ = std::min(level_ + amount, thousandths(rule_.capacity));
    added_ += amount;
  }

  token_budget rule_;
  std::int64_t level_;
  std::int64_t spent_ = 0;
  std::int64_t added_ = 0;
};

token_budget some_token_budget() {
  token_budget rule{
      .capacity = decimal(1, 9000), .success_credit = decimal(0, 900), .retry_cost = decimal(1, 3000)};
  if (*rc::gen::arbitrary<bool>()) rule.timeout_cost = decimal(1, 5000);
  if (*rc::gen::arbitrary<bool>()) rule.rate_limited_cost = decimal(1, 2000);
  rule.refund_last_cost = *rc::gen::arbitrary<bool>();
  return rule;
}

RC_GTEST_PROP(budget_law, token_budget_spends_at_most_its_capacity_and_what_came_in, ()) {
  const token_budget rule = some_token_budget();
  budget subject(rule);
  compare(subject, token_model(rule), some_operations());
}

// Throttle

class throttle_model {
 public:
  explicit throttle_model(const throttle_budget& rule) : rule_(rule), level_(thousandths(rule.capacity)) {}

  void requested(time_point) {}
  void failed() { level_ = std::max<std::int64_t>(level_ - 1000, 0); }
  bool take(fault_kind, time_point) { return 2 * level_ > thousandths(rule_.capacity); }
  void give_back(fault_kind, time_point) {}
  void succeeded() {
    level_ = std::min(level_ + thousandths(rule_.success_credit), thousandths(rule_.capacity));
  }
  void succeeded_after_retry(fault_kind) { succeeded(); }
  double balance(time_point) const { return static_cast<double>(level_) / 1000; }
  void check() const { RC_ASSERT(level_ >= 0); }

 private:
  throttle_budget rule_;
  std::int64_t level_;
};

RC_GTEST_PROP(budget_law, throttle_budget_grants_above_half_and_only_there, ()) {
  const throttle_budget rule{.capacity = decimal(1, 12000), .success_credit = decimal(1, 1500)};
  budget subject(rule);
  compare(subject, throttle_model(rule), some_operations());
}

// Ratio

class ratio_model {
 public:
  explicit ratio_model(const ratio_budget& rule) : rule_(rule), slot_(rule.window / 10) {}

  void requested(time_point now) { requests_.push_back(reach(now)); }
  void failed() {}
  bool take(fault_kind, time_point now) {
    const std::int64_t last = reach(now);
    if (live(retries_, last) >= allowed(last)) return false;
    retries_.push_back(last);
    return true;
  }
  void give_back(fault_kind, time_point now) {
    const std::int64_t last = reach(now);
    const auto oldest = std::find_if(retries_.begin(), retries_.end(), [&](auto s) { return s > last - 10; });
    if (oldest != retries_.end()) retries_.erase(oldest);
  }
  void succeeded() {}
  void succeeded_after_retry(fault_kind) {}
  double balance(time_point now) const {
    const std::int64_t last = std::max(latest_, now.time_since_epoch() / slot_);
    return static_cast<double>(std::max<std::int64_t>(allowed(last) - live(retries_, last), 0));
  }
  /// Retries may outnumber what is allowed only by requests having expired, never by a grant.
  void check() const {
    if (!retries_.empty() && retries_.back() == latest_ && live(requests_, latest_) == total(requests_))
      RC_ASSERT(live(retries_, latest_) <= allowed(latest_));
  }

 private:
  std::int64_t reach(time_point now) { return latest_ = std::max(latest_, now.time_since_epoch() / slot_); }
  static std::int64_t live(const std::vector<std::int64_t>& slots, std::int64_t last) {
    return std::count_if(slots.begin(), slots.end(), [&](auto s) { return s > last - 10; });
  }
  static std::int64_t total(const std::vector<std::int64_t>& slots) {
    return static_cast<std::int64_t>(slots.size());
  }
  std::int64_t allowed(std::int64_t last) const {
    const std::int64_t earned = rule_.reserve + live(requests_, last) * thousandths(rule_.ratio) / 1000;
    return std::max<std::int64_t>(rule_.min_retries, earned);
  }

  ratio_budget rule_;
  duration slot_;
  std::int64_t latest_ = 0;
  std::vector<std::int64_t> requests_;  // the slots of all there ever were, in order
  std::vector<std::int64_t> retries_;
};

ratio_budget some_ratio_budget() {
  return {.ratio = decimal(0, 2500),
          .window = std::chrono::milliseconds{*rc::gen::inRange(1000, 60001)},
          .min_retries = *rc::gen::inRange<std::uint32_t>(0, 4),
          .reserve = *rc::gen::inRange<std::uint32_t>(0, 4)};
}

RC_GTEST_PROP(budget_law, ratio_budget_grants_within_its_window_what_the_rule_allows, ()) {
  const ratio_budget rule = some_ratio_budget();
  budget subject(rule);
  compare(subject, ratio_model(rule), some_operations());
}

RC_GTEST_PROP(budget_law, ratio_budget_never_grants_more_in_all_than_its_share_of_all_requests, ()) {
  ratio_budget rule = some_ratio_budget();
  rule.min_retries = rule.reserve = 0;
  budget subject(rule);
  time_point now{1h};
  std::int64_t requests = 0;
  std::int64_t grants = 0;
  for (const operation& o : some_operations()) {
    now += std::chrono::milliseconds{o.milliseconds};
    if (o.what == action::take) {
      grants += subject.try_take(o.kind, now) ? 1 : 0;
    } else {
      subject.requested(now);
      ++requests;
    }
    RC_ASSERT(grants * 1000 <= requests * thousandths(rule.ratio));
  }
}

// Reconfiguring

RC_GTEST_PROP(budget_law, reconfigure_keeps_the_filled_fraction_to_a_thousandth_and_never_adds_to_it, ()) {
  const token_budget before = some_token_budget();
  const token_budget after = some_token_budget();
  budget subject(before);
  for (const operation& o : some_operations()) {
    if (o.what == action::take) subject.try_take(o.kind, time_point{});
    if (o.what == action::succeed) subject.succeeded(time_point{});
  }
  const double exact = subject.balance(time_point{}) / before.capacity * after.capacity;
  subject.reconfigure(after);
  RC_ASSERT(subject.balance(time_point{}) <= exact + 1e-9);
  RC_ASSERT(subject.balance(time_point{}) > exact - 0.001 - 1e-9);
}

RC_GTEST_PROP(budget_law, ratio_budget_applies_the_last_rule_to_what_its_window_holds, ()) {
  const ratio_budget before = some_ratio_budget();
  ratio_budget after = some_ratio_budget();
  after.window = before.window;
  budget subject(before);
  budget twin(after);
  for (int i = *rc::gen::inRange(0, 200); i > 0; --i)
    subject.requested(time_point{}), twin.requested(time_point{});
  subject.reconfigure(after);
  RC_ASSERT(subject.balance(time_point{}) == twin.balance(time_point{}));
}

}  // namespace
}  // namespace relent
