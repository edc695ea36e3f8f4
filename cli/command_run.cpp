// SPDX-License-Identifier: Apache-2.0
// One call of `relent run`, put together from its parts.
#include "command_run.hpp"

#include "budget_file.hpp"
#include "countdown.hpp"
#include "exit_codes.hpp"
#include "explain_run.hpp"
#include "message.hpp"
#include "run_environment.hpp"
#include "run_streams.hpp"
#include "story.hpp"
#include "verdict.hpp"

#include <relent/retry.hpp>

#include <fmt/format.h>

#include <sys/random.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <system_error>
#include <utility>

namespace relent::cli {
namespace {

std::chrono::system_clock::time_point wall_now() { return std::chrono::system_clock::now(); }

/// A death by SIGPIPE, also as a shell reports it.
bool is_broken_pipe(const attempt_result& result) {
  return (result.ended == attempt_result::how::killed && result.number == SIGPIPE) ||
         (result.ended == attempt_result::how::exited && result.number == exit_killed_by(SIGPIPE));
}

/// The time of the call; its waits are those of command_run. One thread.
class run_clock final : public relent::clock {
 public:
  explicit run_clock(std::function<void(time_point)> rest) : rest_(std::move(rest)) {}
  time_point now() noexcept override { return cli::now(); }
  void wait_until(time_point until, const stop_handle& /*stop*/) noexcept override { rest_(until); }

 private:
  std::function<void(time_point)> rest_;
};

class command_run final : private observer {
 public:
  command_run(const run_order& order, std::optional<enclosing_run> enclosing)
      : order_(order),
        enclosing_(std::move(enclosing)),
        runner_(order.rules.command.kill_after, order.daemons),
        streams_(order.output, order.stdin_limit, order.rules.command),
        facts_{.rules = order.rules.policy,
               .command = order.command.front(),
               .max_attempts = makes_one_attempt() ? 1 : order.rules.policy->max_attempts,
               .begin = now()},
        story_(facts_) {}

  /// Before the first attempt. Throws std::system_error or budget_file_error.
  void prepare() {
    if (order_.log) log_file_.emplace(*order_.log);
    if (!order_.budget) return;
    budget_.emplace(budget_file::open(*order_.budget, order_.rules.budget.token()));
    const bool asked_for_settings = order_.rules.budget != budget_options{};
    if (!asked_for_settings || order_.quiet) return;
    if (const std::string note = budget_->note_on(order_.rules.budget.token()); !note.empty()) say(note);
  }

  ending go() {
    run_clock clock([this](time_point until) { rest_until(until); });
    random_stream seeded(order_.seed.value_or(0));
    dependency command({.name = order_.command.front(),
                        .policy = order_.rules.policy,
                        .budget = budget::none(),
                        .observers = {this},
                        .shared_budget = budget_ ? &budget_->budget() : nullptr,
                        .clock = &clock});
    call_options options{.stop = runner_.stop(), .enclosed = enclosing_.has_value()};
    if (order_.seed) options.random = random_ref(seeded);
    if (enclosing_ && enclosing_->time_left) options.deadline = *enclosing_->time_left;
    facts_.outer_deadline = enclosing_ && enclosing_->time_left &&
                            *enclosing_->time_left < order_.rules.policy->deadline.value_or(max_duration);
    key_ = key_of_the_call();
    options.idempotency_key = key_;
    int exit_code = exit_failure;
    try {
      exit_code = exit_code_of(
          command.call([this](const attempt& current) { return make_attempt(current); }, options));
    } catch (const refused& refusal) {
      exit_code = refusal.reason() == stop_reason::deadline ? exit_timed_out : exit_failure;
    }
    return finish(exit_code);
  }

 private:
  /// Of its own randomness, so that a seed gives the same waits as ever.
  std::string key_of_the_call() const {
    if (enclosing_ && !enclosing_->idempotency_key.empty())
      return derived_key(enclosing_->idempotency_key, order_.command);
    std::uint64_t entropy[4]{};
    if (::getentropy(entropy, sizeof entropy) != 0) entropy[0] = static_cast<std::uint64_t>(::getpid());
    random_stream random(entropy);
    return std::string(idempotency_key::make(wall_now(), random_ref(random)).text());
  }

  bool makes_one_attempt() const {
    return enclosing_ && order_.rules.policy->nested == nesting::single_attempt;
  }

  judged_attempt make_attempt(const attempt& current) {
    facts_.attempt = current.number();
    const time_point began = now();
    const std::uint32_t wanted = order_.rules.command.successes;
    time_point limit = current.deadline();
    for (std::uint32_t success = 1;; ++success) {
      facts_.latest = run_once(current.number(), limit);
      facts_.took = time_between(began, now());
      if (facts_.latest.failed || success == wanted) return facts_.latest;
      if (!await_next_success(success)) return facts_.latest;
      limit = saturating_add(now(), order_.rules.policy->attempt_timeout.value_or(max_duration));
      if (call_ends() < limit) limit = call_ends();
    }
  }

  /// The wait between two successes. False, with a failure noted, if there will be no further run.
  bool await_next_success(std::uint32_t success) {
    const command_rules& rules = order_.rules.command;
    const duration pause = order_.rules.policy->backoff.base;
    if (!order_.quiet)
      say(fmt::format("{}: success {} of {} in a row", attempt_name(facts_, facts_.attempt), success,
                      rules.successes));
    streams_.drop_held();
    const time_point next = saturating_add(now(), pause);
    if (next < call_ends()) runner_.rest_until(next);
    if (runner_.signal_received() == 0 && next < call_ends()) return true;
    const bool cancelled = runner_.signal_received() != 0;
    facts_.latest.failed = fault{.kind = cancelled ? fault_kind::cancelled : fault_kind::timeout};
    facts_.latest.result.timed_out = !cancelled;
    facts_.cut_by_deadline = !cancelled;
    facts_.signal = runner_.signal_received();
    return false;
  }

  judged_attempt run_once(std::uint32_t number, time_point limit) {
    environment_.set_attempt(number, facts_.max_attempts,
                             limit == end_of_time ? max_duration : time_between(now(), limit), wall_now(),
                             key_);
    const attempt_result result = runner_.run({.argv = order_.command.data(),
                                               .environment = environment_.get(),
                                               .streams = streams_.needed() ? &streams_ : nullptr},
                                              limit);
    facts_.cut_by_deadline = result.timed_out && limit >= call_ends();
    facts_.signal = runner_.signal_received();
    judged_attempt verdict = judge(result, order_.rules.command, streams_.found());
    facts_.input_failure = streams_.input_failure();
    if (!facts_.input_failure.empty()) verdict = without_its_input(verdict);
    if (verdict.failed) {
      if (order_.daemons == daemons::leave) runner_.end_leftovers();
      facts_.objection = streams_.objection(is_broken_pipe(result));
      if (!facts_.objection.empty() && verdict.failed->kind != fault_kind::cancelled)
        verdict.failed->transient = false;
    }
    return verdict;
  }

  time_point call_ends() const {
    time_point ends = saturating_add(facts_.begin, order_.rules.policy->deadline.value_or(max_duration));
    if (enclosing_ && enclosing_->time_left)
      ends = std::min(ends, saturating_add(facts_.begin, *enclosing_->time_left));
    return ends;
  }

  void on_event(const event& what) override {
    facts_.signal = runner_.signal_received();
    if (what.kind == event_kind::retry) {
      streams_.attempt_failed();
      runner_.flush(streams_);
      wait_ = what.wait;
    }
    if (!log_ && log_file_) log_.emplace(*log_file_, order_.log_format, facts_, key_);
    if (log_) log_->on_event(what);
    if (!order_.quiet) story_.on_event(what);
    if (what.kind == event_kind::retry && order_.on_retry) run_hook();
  }

  void rest_until(time_point until) {
    if (order_.quiet || !stderr_is_terminal()) return runner_.rest_until(until);
    countdown line(attempt_name(facts_, facts_.attempt + 1), until);
    runner_.rest_until(until, [&] { line.show(now()); });
  }

  /// Its failure is told and nothing else; the deadline cuts it too.
  void run_hook() {
    environment_.set("RELENT_EXIT_CODE", std::to_string(exit_code_of(facts_.latest)));
    environment_.set("RELENT_WAIT", fmt::format("{:.3f}", std::chrono::duration<double>(wait_).count()));
    std::string shell = "sh";
    std::string flag = "-c";
    std::string text = *order_.on_retry;
    const std::array<char*, 4> words{shell.data(), flag.data(), text.data(), nullptr};
    const attempt_result result = runner_.run({.argv = words.data(),
                                               .environment = environment_.get(),
                                               .streams = &hook_streams_,
                                               .in_foreground = false},
                                              call_ends());
    environment_.set("RELENT_EXIT_CODE", std::nullopt);
    environment_.set("RELENT_WAIT", std::nullopt);
    if (order_.quiet || (result.ended == attempt_result::how::exited && result.number == exit_success))
      return;
    told ended{.rules = facts_.rules, .command = "sh", .max_attempts = 1, .begin = facts_.begin};
    ended.latest.result = result;
    ended.cut_by_deadline = result.timed_out;
    say("--on-retry: " + what_happened(ended));
  }

  ending finish(int exit_code) {
    facts_.signal = runner_.signal_received();
    streams_.release_held();
    runner_.flush(streams_);
    if (const std::string lost = streams_.lost_output(); !lost.empty()) {
      say(lost);
      if (exit_code == exit_success) exit_code = exit_failure;
    }
    if (runner_.left_unseen() && !order_.quiet)
      say("something that the command started is still running, and cannot be found without /proc");
    const int signal = runner_.signal_to_die_by();
    if (log_) log_->end(signal == 0 ? exit_code : exit_killed_by(signal));
    return {exit_code, signal};
  }

  const run_order& order_;
  std::optional<enclosing_run> enclosing_;
  supervisor runner_;
  run_streams streams_;
  aside_streams hook_streams_;
  run_environment environment_;
  told facts_;
  story story_;
  std::string key_;
  duration wait_{};
  std::optional<budget_file> budget_;
  std::optional<log_file> log_file_;
  std::optional<run_log> log_;
};

}  // namespace

ending carry_out(const run_order& order) {
  if (order.dry_run) return {explain_run(order)};
  std::vector<std::string> remarks;
  command_run call(order, find_enclosing_run(wall_now(), remarks));
  if (!order.quiet)
    for (const std::string& remark : remarks) say(remark);
  try {
    call.prepare();
  } catch (const std::system_error& error) {
    const std::string problems[] = {
        fmt::format("--log: '{}' cannot be opened: {}", order.log.value_or(""), error.code().message())};
    return {refuse("run", problems)};
  } catch (const budget_file_error& error) {
    const std::string problems[] = {fmt::format("--budget: {}", error.what())};
    return {refuse("run", problems)};
  }
  return call.go();
}

}  // namespace relent::cli
