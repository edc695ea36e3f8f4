// SPDX-License-Identifier: Apache-2.0
// The last step repeats for ever; only 401-until-refresh can leave it.
#include "walk.hpp"

#include <relent/random.hpp>

#include <algorithm>

namespace relent::testing::faults {
namespace {

/// Whether a step concerns the connections before a request is seen. Only a script for every path can say which
/// connection is reset, since the path is not known then.
bool is_ahead(const step& what, const walk_script& script) noexcept {
  return what.kind == step_kind::refuse ||
         (what.kind == step_kind::reset && what.before_head && script.prefix && script.path.empty());
}

duration times(duration length, std::uint64_t count) noexcept {
  if (length <= duration::zero()) return duration::zero();
  const auto most = static_cast<std::uint64_t>(max_duration.count() / length.count());
  return count > most ? max_duration : length * static_cast<duration::rep>(count);
}

}  // namespace

void ahead::add(const ahead& other) noexcept {
  refuse = std::max(refuse, other.refuse);
  resets = other.resets > for_ever - resets ? for_ever : resets + other.resets;
}

walk::walk(const walk_script& script, std::uint64_t random_state, ahead& begun) : random_(random_state) {
  begun = look_ahead(script);
}

void walk::advance(const walk_script& script) noexcept {
  if (++done_ < script.steps[at_].repeat) return;
  if (at_ + 1 == script.steps.size()) return;
  ++at_;
  done_ = 0;
}

ahead walk::look_ahead(const walk_script& script) {
  ahead begun;
  while (at_ < script.steps.size() && done_ == 0 && is_ahead(script.steps[at_], script)) {
    const step& what = script.steps[at_];
    const bool last = at_ + 1 == script.steps.size();
    if (what.kind == step_kind::refuse) {
      begun.refuse = saturating_add(begun.refuse, times(what.delay, what.repeat));
    } else {
      begun.resets = last ? ahead::for_ever : begun.resets + what.repeat;
    }
    if (last) {
      done_ = what.repeat;
      break;
    }
    ++at_;
  }
  return begun;
}

const step& walk::choose(const step& random) noexcept {
  double sum = 0;
  for (const step& each : random.choices) sum += each.weight;
  double left = uniform_unit(detail::split_mix(random_)) * sum;
  for (const step& each : random.choices) {
    left -= each.weight;
    if (left < 0) return each;
  }
  return random.choices.back();
}

const step* walk::next(const walk_script& script, std::uint64_t refreshes, ahead& begun) {
  while (at_ < script.steps.size() && script.steps[at_].kind == step_kind::unauthenticated) {
    if (!waits_) {
      waits_ = true;
      refreshes_seen_ = refreshes;
    }
    if (refreshes == refreshes_seen_) return &script.steps[at_];
    waits_ = false;
    if (++done_ < script.steps[at_].repeat) continue;
    ++at_;
    done_ = 0;
  }
  if (at_ == script.steps.size()) return nullptr;
  const step& met = script.steps[at_];
  advance(script);
  begun = look_ahead(script);
  if (met.kind == step_kind::refuse) begun.refuse = std::max(begun.refuse, met.delay);
  return met.kind == step_kind::random ? &choose(met) : &met;
}

}  // namespace relent::testing::faults
