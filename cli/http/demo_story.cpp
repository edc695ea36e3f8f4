// SPDX-License-Identifier: Apache-2.0
// Texts of numbers.
#include "demo_story.hpp"

#include "cli/markup.hpp"
#include "cli/rounded.hpp"

#include <relent/duration_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace relent::cli {
namespace {

double attempts_each(const demo_result& result) {
  return static_cast<double>(result.attempts) / std::max<double>(1, result.orders.placed);
}

/// Requests that brought no confirmation.
std::uint64_t in_vain(const demo_result& result) {
  return result.attempts - std::min<std::uint64_t>(result.attempts, result.orders.confirmed);
}

std::string after(duration length) {
  return length > duration::zero() ? rounded(length) + " later" : "at once";
}

std::string recovery_cell(const demo_plan& plan, const demo_result& result) {
  return result.recovered ? after(*result.recovered)
                          : fmt::format("not in {}", rounded(plan.end - plan.outage_to));
}

std::string load_sentence(const demo_plan& plan, const demo_result& naive, const demo_result& with_relent) {
  return fmt::format(
      "An order was sent {:.1f} times without Relent, {:.1f} times with it; at its height that made {:.0f} "
      "and "
      "{:.0f} requests a second, for a server that can take {}.",
      attempts_each(naive), attempts_each(with_relent), naive.peak, with_relent.peak, plan.capacity);
}

std::string orders_text(std::uint64_t count) {
  return count == 1 ? "1 order was" : fmt::format("{} orders were", count);
}

std::string execution_sentence(const demo_result& naive, const demo_result& with_relent) {
  const std::uint64_t other = with_relent.executed_twice;
  if (naive.executed_twice == 0 && other == 0) return "No order was executed more than once.";
  return fmt::format(
      "Without Relent {} executed more than once: a POST whose answer is lost is sent again as if it were "
      "new. "
      "With the same Idempotency-Key on every attempt {}.",
      naive.executed_twice == 0 ? "no order was" : orders_text(naive.executed_twice),
      other == 0 ? "none was" : orders_text(other));
}

/// What kept the server busy while it was not back.
std::string not_back(const demo_plan& plan, const demo_result& result) {
  return fmt::format(
      "not back {} after the outage, when the demo ended: it got {:.0f} requests a second for "
      "{} new orders",
      rounded(plan.end - plan.outage_to), result.at_the_end, plan.orders_per_second);
}

std::string recovery_sentence(const demo_plan& plan, const demo_result& naive,
                              const demo_result& with_relent) {
  const auto part = [&plan](const demo_result& result) {
    if (!result.recovered) return not_back(plan, result);
    if (*result.recovered == duration::zero()) return std::string("back as soon as the outage was over");
    return fmt::format("back {} after the outage", rounded(*result.recovered));
  };
  if (naive.recovered && naive.recovered == with_relent.recovered)
    return fmt::format("Without Relent and with it the server was {}.", part(naive));
  return fmt::format("Without Relent the server was {}. With Relent it was {}.", part(naive),
                     part(with_relent));
}

std::string item(const std::string& text) { return "- " + filled(text, 2, 2); }

}  // namespace

std::string demo_introduction(const demo_plan& plan) {
  return filled(
             fmt::format(
                 "A server takes {} orders a second; to turn one away costs it {} of an order. {} orders a "
                 "second come in, for {}. From {} to {} the server is down. Of the orders that it "
                 "executes, {} in 100 get no answer, because the connection breaks.",
                 plan.capacity, plan.rejection_cost, plan.orders_per_second, to_text(plan.end),
                 to_text(plan.outage_from), to_text(plan.outage_to), plan.answers_lost * 100),
             0, 0) +
         "\n";
}

std::string demo_title(const demo_plan& plan, demo_half half) {
  if (half == demo_half::naive)
    return fmt::format("WITHOUT RELENT: a POST that fails is sent again {} later, {} times in all\n\n",
                       to_text(plan.naive_pause), plan.naive_attempts);
  return "WITH RELENT, and nothing but its defaults:\n"
         "    client.post_with_key(url, order, \"application/json\")\n\n";
}

std::string demo_table(const demo_plan& plan, const demo_result& naive, const demo_result& with_relent) {
  std::string text = fmt::format("{:<44}{:>14}{:>14}\n", "", "without", "with Relent");
  const auto add = [&text](std::string_view name, const auto& left, const auto& right) {
    fmt::format_to(std::back_inserter(text), "{:<44}{:>14}{:>14}\n", name, left, right);
  };
  const auto one_decimal = [](double number) { return fmt::format("{:.1f}", number); };
  add("orders", naive.orders.placed, with_relent.orders.placed);
  add("  confirmed", naive.orders.confirmed, with_relent.orders.confirmed);
  add("  failed", naive.orders.failed, with_relent.orders.failed);
  add("  executed more than once", naive.executed_twice, with_relent.executed_twice);
  add("attempts", naive.attempts, with_relent.attempts);
  add("  in vain", in_vain(naive), in_vain(with_relent));
  add("  for each order", one_decimal(attempts_each(naive)), one_decimal(attempts_each(with_relent)));
  add("  a second, at the height", fmt::format("{:.0f}", naive.peak),
      fmt::format("{:.0f}", with_relent.peak));
  add(fmt::format("after the outage {} orders a second again", plan.orders_per_second),
      recovery_cell(plan, naive), recovery_cell(plan, with_relent));
  return text;
}

std::string demo_conclusion(const demo_plan& plan, const demo_result& naive, const demo_result& with_relent) {
  return "What you saw:\n\n" + item(load_sentence(plan, naive, with_relent)) +
         item(execution_sentence(naive, with_relent)) + item(recovery_sentence(plan, naive, with_relent)) +
         "\n" +
         filled(
             "Every number was measured just now. The server is that of relent faults, to try your own "
             "clients on; relent fetch is Relent for the command line.",
             0, 0);
}

}  // namespace relent::cli
