// SPDX-License-Identifier: Apache-2.0
// What each failure of our own comes to.
#include "fetch_run.hpp"

#include "fetch_call.hpp"
#include "fetch_exit.hpp"

#include "cli/exit_codes.hpp"
#include "cli/explain_run.hpp"
#include "cli/message.hpp"
#include "cli/run_order.hpp"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

namespace relent::cli {
namespace {

int explain(const fetch_order& order) {
  run_order as_run;
  as_run.rules = order.rules;
  as_run.source = order.source;
  if (const int printed = explain_run(as_run); printed != exit_success) return printed;
  return answer(
      fmt::format("\nNothing was sent: {} {}\n", order.request.method, order.request.address.shown()));
}

int refuse_one(const std::string& problem) {
  const std::string problems[] = {problem};
  return refuse("fetch", problems);
}

/// Runs `step` and says what it throws.
template <class Step>
int guarded(fetch_call& call, Step&& step) {
  try {
    return step();
  } catch (const content_error& error) {
    call.tell(error.what());
    return exit_read_failure;
  } catch (const input_is_late& error) {
    if (call.signal() == 0) call.tell(error.what());
    return exit_time_is_up;
  } catch (const ask_again& error) {
    call.tell(fmt::format("--resume: {}", error.what()));
    return exit_range_failure;
  } catch (const std::system_error& error) {
    call.tell(fmt::format("the answer cannot be written: {}", error.what()));
    return exit_write_failure;
  } catch (const std::invalid_argument& error) {
    return refuse_one(error.what());
  } catch (const std::runtime_error& error) {  // what was sent changed meanwhile
    call.tell(error.what());
    return exit_read_failure;
  }
}

/// 0: all is ready.
int prepare(fetch_call& call, const fetch_order& order) {
  try {
    call.open_log();
  } catch (const std::system_error& error) {
    return refuse_one(
        fmt::format("--log: '{}' cannot be opened: {}", order.log.value_or(""), error.code().message()));
  }
  try {
    call.open_budget();
  } catch (const budget_file_error& error) {
    return refuse_one(fmt::format("--budget: {}", error.what()));
  }
  return guarded(call, [&] {
    call.open_place();
    call.open_content();
    return exit_success;
  });
}

ending end_of(const fetch_order& order, std::optional<enclosing_run> enclosing) {
  fetch_call call(order, std::move(enclosing));
  int exit_code = prepare(call, order);
  if (exit_code == exit_success) exit_code = guarded(call, [&] { return call.go(); });
  const int signal = exit_code == exit_success ? 0 : call.signal();
  call.end(signal == 0 ? exit_code : exit_killed_by(signal));
  return {exit_code, signal};
}

}  // namespace

ending carry_out(const fetch_order& order) {
  if (!order.silent)
    for (const std::string& warning : order.warnings) say(warning);
  if (order.dry_run) return {explain(order)};
  std::vector<std::string> remarks;
  auto enclosing = find_enclosing_run(std::chrono::system_clock::now(), remarks);
  if (!order.silent)
    for (const std::string& remark : remarks) say(remark);
  return end_of(order, std::move(enclosing));
}

}  // namespace relent::cli
