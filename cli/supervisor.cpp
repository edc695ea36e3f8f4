// SPDX-License-Identifier: Apache-2.0
// The life of an attempt.
#include "supervisor.hpp"

#include "message.hpp"
#include "platform.hpp"

#include <poll.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace relent::cli {
namespace {

/// What a process group gets to end by itself once its leader has ended: a `tee` behind the command
/// still has to write its last lines.
constexpr duration linger = std::chrono::milliseconds{200};

/// How long to wait for a process that was killed before looking again whether more have become ours.
constexpr duration death_takes = std::chrono::milliseconds{20};

/// The next instant that lies a whole number of seconds before `until`.
time_point next_tick(time_point until) noexcept {
  constexpr duration second = std::chrono::seconds{1};
  const duration left = time_between(now(), until);
  const duration to_next = left % second;
  return left <= second ? until : saturating_add(now(), to_next == duration::zero() ? second : to_next);
}

attempt_result not_started(const start_result& started) noexcept {
  using how = attempt_result::how;
  if (started.failed == start_result::failure::no_process)
    return {.ended = how::not_started, .number = started.error};
  return {.ended = started.error == ENOENT ? how::not_found : how::not_executable, .number = started.error};
}

}  // namespace

struct supervisor::running_attempt {
  pid_t group;
  time_point limit;
  key_witness& witness;
  attempt_streams* streams;
  std::vector<pollfd> watched{};
  bool timed_out = false;
  stage at = stage::running;
};

supervisor::supervisor(duration grace, daemons what_to_do) : grace_(grace), daemons_(what_to_do) {
  adopt_orphans();
}

attempt_result supervisor::run(const command& what, time_point limit) {
  const bool foreground = what.in_foreground && terminal_.is_ours();
  key_witness witness;
  const foreground_place place{terminal_, witness};
  command_surroundings around{.environment = what.environment};
  if (what.streams != nullptr)
    if (const int error = what.streams->begin(around); error != 0)
      return {.ended = attempt_result::how::not_started, .number = error};
  const start_result started = start_command(what.argv, around, inbox_, foreground ? &place : nullptr);
  if (what.streams != nullptr) what.streams->started();
  running_attempt current{
      .group = started.group, .limit = limit, .witness = witness, .streams = what.streams};
  if (started.failed != start_result::failure::none) {
    if (what.streams != nullptr) what.streams->end();
    return not_started(started);
  }

  const process_end end = await_end(current);
  relay(witness.dismiss());
  // Where there could be no witness, and for hang-ups: a death by such a signal tells as much.
  if (foreground && end.by_signal && is_terminating(end.number) && sent_ == 0) note(typed_, end.number);
  if (end.by_signal && end.number == typed_) died_of_typed_ = typed_;
  terminal_.take_back_from(current.group);
  end_what_is_left(current);
  if (what.streams != nullptr) {
    what.streams->end();
    flush(*what.streams);
  }

  using how = attempt_result::how;
  return {.ended = end.by_signal ? how::killed : how::exited,
          .number = end.number,
          .timed_out = current.timed_out,
          .forced = current.timed_out && current.at == stage::forced,
          .interrupted = signal_received() != 0};
}

process_end supervisor::await_end(running_attempt& current) {
  for (;;) {
    const auto reaped = [&](pid_t pid) { current.witness.was_reaped(pid); };
    if (const auto end = look_for_end(current.group, reaped)) return *end;
    if (was_stopped(current.group) && current.at == stage::running && terminal_.exists())
      suspend_with(current.group);
    if (now() >= current.limit || is_starved(current)) escalate(current);
    pass_on(wait(current, current.limit), current.group);
    relay(current.witness.typed());
  }
}

/// Waits for signals, and moves the attempt's streams along meanwhile.
signal_set supervisor::wait(running_attempt& current, time_point until) {
  std::vector<pollfd>& set = current.watched;
  set.clear();
  if (current.witness.descriptor() >= 0) set.push_back({current.witness.descriptor(), POLLIN, 0});
  const std::size_t own = set.size();
  if (current.streams != nullptr) current.streams->watch(set);
  const signal_set got = inbox_.wait(until, set);
  if (current.streams != nullptr) current.streams->handle(std::span<const pollfd>(set).subspan(own));
  return got;
}

/// Whether it waits for input that cannot be had any more, and has not been told to end yet.
bool supervisor::is_starved(const running_attempt& current) {
  return current.streams != nullptr && current.at == stage::running && current.streams->broken();
}

void supervisor::escalate(running_attempt& current) const {
  if (current.at == stage::running) {
    current.at = stage::asked;
    current.timed_out = now() >= current.limit;
    current.limit = saturating_add(now(), grace_);
    if (!end_group_by(current.group, SIGTERM))
      say("the command runs as another user and cannot be ended from here: waiting for it to end");
  } else {
    current.at = stage::forced;
    current.limit = end_of_time;
    end_group_by(current.group, SIGKILL);
  }
}

bool supervisor::is_left(const running_attempt& current) const {
  return daemons_ == daemons::end ? leftovers_.any(current.group) : group_lives(current.group);
}

void supervisor::tell_what_is_left(const running_attempt& current, int signal) const {
  if (daemons_ == daemons::end)
    leftovers_.signal(current.group, signal);
  else
    end_group_by(current.group, signal);
}

void supervisor::end_what_is_left(running_attempt& current) {
  if (current.group != no_group) reap(current.group);
  reap_ended_children();  // those of which the same signal told as of the leader
  // Told even if it was told before: it may have been born after that.
  bool told = current.at == stage::forced;
  if (!told) current.limit = saturating_add(now(), linger);
  while (is_left(current)) {
    if (current.at == stage::forced || (told && now() >= current.limit)) {
      current.at = stage::forced;
      do {
        tell_what_is_left(current, SIGKILL);
        pass_on(wait(current, saturating_add(now(), death_takes)), current.group);
        reap_ended_children();
      } while (is_left(current) && !(daemons_ == daemons::leave && leftovers_.only_unreaped(current.group)));
      break;
    }
    if (!told && now() >= current.limit) {
      told = true;
      current.limit = saturating_add(now(), grace_);
      tell_what_is_left(current, SIGTERM);
    }
    pass_on(wait(current, current.limit), current.group);
    reap_ended_children();
  }
  if (daemons_ == daemons::end && leftovers_.has_unseen()) left_unseen_ = true;
}

void supervisor::flush(attempt_streams& streams) {
  key_witness none;
  running_attempt nothing{.group = no_group, .limit = end_of_time, .witness = none, .streams = &streams};
  for (;;) {
    // Who told us to end does not wait for ever for somebody else to read.
    if (sent_ != 0 && flush_until_ == end_of_time) flush_until_ = saturating_add(now(), grace_);
    nothing.limit = flush_until_;
    if (!streams.pending() || now() >= nothing.limit) return;
    heed(wait(nothing, nothing.limit));
  }
}

void supervisor::end_leftovers() {
  const daemons as_before = std::exchange(daemons_, daemons::end);
  key_witness none;
  running_attempt nothing{.group = no_group, .limit = end_of_time, .witness = none, .streams = nullptr};
  end_what_is_left(nothing);
  daemons_ = as_before;
}

void supervisor::rest_until(time_point until, const std::function<void()>& tick) {
  while (sent_ == 0 && now() < until) {
    if (tick) tick();
    heed(inbox_.wait(tick ? next_tick(until) : until));
    reap_ended_children();
  }
}

/// Does what signals ask for while no command runs.
void supervisor::heed(signal_set signals) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
    if (signals.contains(signal)) note(sent_, signal);
  if (signals.contains(SIGTSTP)) inbox_.suspend_self();
}

void supervisor::pass_on(signal_set signals, pid_t group) {
  for (int signal = 1; signal < 64; ++signal) {
    if (!signals.contains(signal) || !is_passed_on(signal) || signal == SIGCONT) continue;
    if (!is_terminating(signal)) {
      signal_group(group, signal);
      continue;
    }
    note(sent_, signal);
    end_group_by(group, signal);
  }
  if (signals.contains(SIGCONT)) resume(group);
}

void supervisor::relay(signal_set keys) {
  for (const int key : {SIGINT, SIGQUIT, SIGTSTP}) {
    if (!keys.contains(key)) continue;
    // The terminal sent it to the command's group alone; our own group, a pipeline or script, is owed it too.
    ::kill(0, key);
    if (is_terminating(key)) note(typed_, key);
  }
}

void supervisor::suspend_with(pid_t group) noexcept {
  terminal_.take_back_from(group);
  const bool was_suspended = inbox_.suspend_self();
  if (was_suspended || terminal_.is_ours()) resume(group);
}

void supervisor::resume(pid_t group) noexcept {
  if (terminal_.is_ours()) terminal_.give_to(group);
  signal_group(group, SIGCONT);
}

void supervisor::note(int& which, int signal) {
  if (which == 0) which = signal;
  stop_.request_stop();
}

}  // namespace relent::cli
