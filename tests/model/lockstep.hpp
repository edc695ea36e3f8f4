// SPDX-License-Identifier: Apache-2.0
// Runs the engine and the reference side by side. A trial is one policy, one dependency and up to three calls
// to it at once, to which something happens by choice (choices.hpp). The sender limit, the other budgets and
// the other shapes of backoff are not in it: they are the business of tests of their own.
#pragma once

#include "model/choices.hpp"
#include "model/reference.hpp"

#include <relent/engine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relent::model {

/// How often the trials came to each answer, for a test that wants to be sure that they reach them all.
struct tally {
  std::array<int, 4> answers = {};
  std::array<int, stop_reason_count> stops = {};
};

/// The draws of the reference's world, as the engine takes them.
struct draws {
  const std::vector<ns>& in_256ths;
  std::size_t drawn = 0;
  std::uint64_t next() noexcept {
    return static_cast<std::uint64_t>(in_256ths[drawn++ % in_256ths.size()]) << 56U;
  }
};

template <chooser Source>
class trial {
 public:
  /// Without `telling` a disagreement is found sooner, but only its last line is told.
  explicit trial(Source& source, bool telling = true, tally* count = nullptr)
      : source_(source),
        choose_(source),
        it_(choose_.setup()),
        policy_(it_.policy),
        budget_(it_.budget),
        telling_(telling),
        count_(count) {
    if (it_.breaker) breaker_.emplace(*it_.breaker);
    shared_ = {
        .budget = &budget_, .breaker = breaker_ ? &*breaker_ : nullptr, .can_refresh = it_.world.can_refresh};
  }

  /// What happened until both disagreed; empty if they never did.
  std::string disagreement() {
    while (source_.more() && wrong_.empty()) turn();
    for (slot& one : slots_)
      if (wrong_.empty() && one.with != busy::idle) abandon(one);
    return wrong_.empty() ? "" : story_ + wrong_;
  }

 private:
  enum class busy { idle, running, waiting, refreshing };
  struct slot {
    engine::call_state call;
    std::optional<reference::call> model = std::nullopt;
    busy with = busy::idle;
    ns until = 0;
  };

  time_point at() const { return time_point{duration{now_}}; }
  static ns count(time_point instant) { return instant.time_since_epoch().count(); }

  void turn() {
    const int which = choose_.below(static_cast<int>(slots_.size()));
    slot& one = slots_[static_cast<std::size_t>(which)];
    pass(choose_.step());
    cancelled_ = choose_.rarely(20);
    if (one.with != busy::idle && choose_.rarely(24)) return abandon(one);
    switch (one.with) {
      case busy::idle: return begin(one);
      case busy::running: return choose_.rarely(4) ? succeed(one) : fail(one);
      case busy::waiting: return wake(one);
      case busy::refreshing: return refresh(one);
    }
  }

  /// Clocks step back where there is no breaker: its idea of time is more than one call's, and tested by its own
  /// tests.
  void pass(ns step) {
    if (step > 0 || !breaker_) now_ += step;
  }

  void tell(const slot& one, const std::string& what) {
    story_ += "\n" + std::to_string(now_) + " ns: call " + std::to_string(&one - slots_.data()) + " " + what +
              (cancelled_ ? ", cancelled" : "");
  }

  void begin(slot& one) {
    const bool inside = choose_.rarely(6);
    const ns outer = choose_.rarely(6) ? reference::plus(now_, choose_.length()) : reference::never;
    if (telling_)
      tell(one, std::string("begins") + (inside ? " inside an attempt" : "") + ", at most until " +
                    std::to_string(outer));
    one.model.emplace(it_.plain, it_.world);
    compare(one,
            engine::begin(one.call, policy_, shared_,
                          {.outer_deadline = time_point{duration{outer}}, .inside_attempt = inside}, at(),
                          cancelled_),
            one.model->begin(now_, inside, outer, cancelled_));
  }

  void fail(slot& one) {
    const fault f = choose_.fault();
    const engine::operation known{.repeatable = !choose_.rarely(3), .has_key = choose_.rarely(3)};
    if (telling_)
      tell(one, "fails: " + std::string(to_string(f.kind)) + (f.vetoed ? ", vetoed" : "") +
                    (f.local ? ", local" : "") +
                    (f.effect ? ", effect " + std::string(to_string(*f.effect)) : "") +
                    (f.replayable ? "" : ", not replayable") +
                    (f.transient ? *f.transient ? ", transient" : ", permanent" : "") +
                    (f.server_delay ? ", asks for " + std::to_string(f.server_delay->count()) : "") +
                    (known.repeatable ? "" : "; not repeatable") + (known.has_key ? "; has a key" : ""));
    compare(one, engine::failed(one.call, policy_, shared_, f, known, at(), random_, cancelled_),
            one.model->failed(f, known.repeatable, known.has_key, now_, cancelled_));
  }

  void succeed(slot& one) {
    if (telling_) tell(one, "succeeds");
    engine::succeeded(one.call, shared_, at());
    one.model->succeeded();
    one.with = busy::idle;
    compare_shared();
  }

  void abandon(slot& one) {
    if (telling_) tell(one, "is abandoned");
    engine::abandon(one.call, shared_, at());
    one.model->abandon();
    one.with = busy::idle;
    compare_shared();
  }

  void wake(slot& one) {
    const int how = choose_.below(6);
    const bool far = one.until > reference::never / 2;  // nobody waits for that
    if (how < 4 && !far && now_ < one.until) now_ = one.until;
    if (how == 4 && now_ >= one.until) pass(one.until - 1 - now_);
    if (telling_) tell(one, "wakes");
    compare(one, engine::woke(one.call, policy_, shared_, at(), cancelled_),
            one.model->woke(now_, cancelled_));
  }

  void refresh(slot& one) {
    const bool renewed = !choose_.rarely(4);
    if (telling_) tell(one, renewed ? "has new credentials" : "has no new credentials");
    compare(one, engine::refreshed(one.call, policy_, shared_, at(), renewed, cancelled_),
            one.model->refreshed(renewed, now_, cancelled_));
  }

  void compare(slot& one, const engine::decision& got, const reference::answer& expected) {
    constexpr busy next[] = {busy::running, busy::waiting, busy::refreshing, busy::idle};  // by action
    expect(static_cast<int>(got.action), static_cast<int>(expected.what), "action");
    if (!wrong_.empty()) return;
    one.with = next[static_cast<int>(got.action)];
    one.until = expected.until;
    switch (got.action) {
      case engine::action::attempt:
        expect(one.call.attempt, expected.number, "attempt");
        expect(count(engine::attempt_ends(one.call, policy_, at())), one.model->attempt_ends(now_),
               "end of the attempt");
        break;
      case engine::action::wait:
        expect(count(got.until), expected.until, "end of the wait");
        expect(got.source == wait_source::server_delay, expected.servers, "wait for the server");
        break;
      case engine::action::refresh: break;
      case engine::action::stop:
        if (got.reason != expected.reason)
          wrong_ += "\nstops for " + std::string(to_string(got.reason)) + " instead of " +
                    std::string(to_string(expected.reason));
        if (count_ != nullptr) ++count_->stops[static_cast<std::size_t>(got.reason)];
        break;
    }
    if (count_ != nullptr) ++count_->answers[static_cast<std::size_t>(got.action)];
    compare_shared();
  }

  void compare_shared() {
    if (it_.world.budget.capacity)
      expect(static_cast<ns>(budget_.balance(at()) * 1000 + 0.5), it_.world.budget.tokens,
             "thousandths of tokens");
    if (breaker_) expect(breaker_->admits_by(at()), it_.world.breaker.admits(now_), "breaker that admits");
    expect(static_cast<ns>(random_.drawn), static_cast<ns>(it_.world.drawn), "draws");
  }

  void expect(ns got, ns expected, const char* what) {
    if (got != expected)
      wrong_ +=
          std::string("\n") + what + ": " + std::to_string(got) + " instead of " + std::to_string(expected);
  }

  Source& source_;
  choices<Source> choose_;
  both it_;
  policy policy_;
  relent::budget budget_;
  std::optional<relent::breaker> breaker_;
  engine::shared_state shared_;
  draws random_{it_.world.draws};
  bool telling_;
  tally* count_;

  std::array<slot, 3> slots_ = {};
  ns now_ = 36'000'000'000'000'000;  // 10000 h: room for clocks that step back
  bool cancelled_ = false;
  std::string story_;
  std::string wrong_;
};

}  // namespace relent::model
