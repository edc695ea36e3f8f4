// SPDX-License-Identifier: Apache-2.0
// The life of an attempt.
#include "supervisor.hpp"

#include "exit_codes.hpp"
#include "platform.hpp"

#include <cerrno>
#include <csignal>

namespace relent::cli {
namespace {

/// What a process group gets to end by itself once its leader has ended: a `tee` behind the command
/// still has to write its last lines.
constexpr duration linger = std::chrono::milliseconds{200};

attempt_result not_started(const start_result& started) noexcept {
  using how = attempt_result::how;
  if (started.failed == start_result::failure::no_process)
    return {.ended = how::not_started, .number = started.error};
  return {.ended = started.error == ENOENT ? how::not_found : how::not_executable, .number = started.error};
}

}  // namespace

std::optional<fault> relent_fault(const attempt_result& result) noexcept {
  using how = attempt_result::how;
  const fault failed{.kind = fault_kind::unknown, .transient = true};
  const fault hopeless{.kind = fault_kind::rejected, .transient = false};
  if (result.timed_out)
    return fault{.kind = result.interrupted ? fault_kind::cancelled : fault_kind::timeout};
  switch (result.ended) {
    case how::exited:
      if (result.number == exit_success) return std::nullopt;
      if (result.interrupted) return fault{.kind = fault_kind::cancelled};
      return result.number == exit_cannot_execute || result.number == exit_not_found ? hopeless : failed;
    case how::killed: return result.interrupted ? fault{.kind = fault_kind::cancelled} : failed;
    case how::not_found:
    case how::not_executable: return hopeless;
    case how::not_started: return fault{.kind = fault_kind::rejected, .transient = false, .local = true};
  }
  return failed;
}

int exit_code_of(const attempt_result& result) noexcept {
  using how = attempt_result::how;
  if (result.timed_out) return exit_timed_out;
  switch (result.ended) {
    case how::exited: return result.number;
    case how::killed: return exit_killed_by(result.number);
    case how::not_found: return exit_not_found;
    case how::not_executable: return exit_cannot_execute;
    case how::not_started: return exit_failure;
  }
  return exit_failure;
}

struct supervisor::running_attempt {
  pid_t group;
  time_point limit;
  key_witness& witness;
  bool timed_out = false;
  stage at = stage::running;
};

supervisor::supervisor(char* const* argv, duration grace) : argv_(argv), grace_(grace) { adopt_orphans(); }

attempt_result supervisor::run_attempt(time_point limit) {
  const bool foreground = terminal_.is_ours();
  key_witness witness;
  const foreground_place place{terminal_, witness};
  const start_result started = start_command(argv_, inbox_, foreground ? &place : nullptr);
  if (started.failed != start_result::failure::none) return not_started(started);

  running_attempt current{.group = started.group, .limit = limit, .witness = witness};
  const process_end end = await_end(current);
  relay(witness.dismiss());
  // Where there could be no witness, and for hang-ups: a death by such a signal tells as much.
  if (foreground && end.by_signal && is_terminating(end.number) && sent_ == 0) note(typed_, end.number);
  if (end.by_signal && end.number == typed_) died_of_typed_ = typed_;
  terminal_.take_back_from(current.group);
  end_what_is_left(current);

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
    if (now() >= current.limit) escalate(current);
    pass_on(inbox_.wait(current.limit, current.witness.descriptor()), current.group);
    relay(current.witness.typed());
  }
}

void supervisor::escalate(running_attempt& current) const noexcept {
  if (current.at == stage::running) {
    current.at = stage::asked;
    current.timed_out = true;
    current.limit = saturating_add(now(), grace_);
    end_group_by(current.group, SIGTERM);
  } else {
    current.at = stage::forced;
    current.limit = end_of_time;
    end_group_by(current.group, SIGKILL);
  }
}

void supervisor::end_what_is_left(running_attempt& current) {
  reap(current.group);
  // Told even if it was told before: it may have been born after that.
  bool told = current.at == stage::forced;
  if (!told) current.limit = saturating_add(now(), linger);
  while (group_lives(current.group)) {
    if (current.at == stage::forced || (told && now() >= current.limit)) {
      current.at = stage::forced;
      end_group_by(current.group, SIGKILL);
      reap_group(current.group);
      return;
    }
    if (!told && now() >= current.limit) {
      told = true;
      current.limit = saturating_add(now(), grace_);
      end_group_by(current.group, SIGTERM);
    }
    pass_on(inbox_.wait(current.limit), current.group);
    reap_ended_children();
  }
}

void supervisor::rest_until(time_point until) {
  do {
    const signal_set got = inbox_.wait(until);
    reap_ended_children();
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
      if (got.contains(signal)) note(sent_, signal);
    if (got.contains(SIGTSTP)) inbox_.suspend_self();
  } while (sent_ == 0 && now() < until);
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
