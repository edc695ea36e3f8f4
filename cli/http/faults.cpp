// SPDX-License-Identifier: Apache-2.0
// `relent faults`: an HTTP server that misbehaves on request, from its start to a signal.
#include "faults_counts.hpp"
#include "faults_order.hpp"
#include "subcommands_http.hpp"

#include "cli/exit_codes.hpp"
#include "cli/message.hpp"
#include "cli/pages/pages.hpp"
#include "cli/signals.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <vector>

namespace relent::cli {
namespace {

int refuse_one(const std::string& problem) {
  const std::array<std::string, 1> problems{problem};
  return refuse("faults", problems);
}

std::string cannot_listen(const faults_order& order, const std::error_code& error) {
  const std::string place = place_text(order.server);
  if (error == std::errc::address_in_use)
    return fmt::format("--listen: {} is in use: write another port, or 0 for a free one", place);
  return fmt::format("--listen: {}: {}", place, error.message());
}

/// False, and told, if the file cannot be written.
bool copy_certificate(const std::string& path, const std::string& pem) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool written = file >= 0 && write_all(file, pem);
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!written) refuse_one(fmt::format("--cert-out: {}: {}", path, std::generic_category().message(error)));
  return written;
}

/// The address for whoever reads stderr, and alone on stdout for a script.
int announce(const testing::fault_server& server, const faults_order& order) {
  const std::string url = server.url("");
  if (!order.quiet) {
    if (!order.only_here)
      say(fmt::format("warning: {} is no loopback address: whoever reaches this machine can reach the server",
                      order.server.address));
    say("listening on " + url);
    if (order.server.tls)
      say("its certificate is in " + order.certificate_copy.value_or(server.certificate_file()));
  }
  return answer(url + "\n");
}

/// Until a signal says so, or the time is over.
void await_end(signal_inbox& inbox, const faults_order& order) {
  const time_point until = order.ends_after ? saturating_add(now(), *order.ends_after) : end_of_time;
  for (;;) {
    const signal_set got = inbox.wait(until);
    for (const int each : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
      if (got.contains(each)) return;
    if (got.contains(SIGTSTP)) inbox.suspend_self();
    if (now() >= until) return;
  }
}

int tell_counts(const std::string& counts_json, const faults_order& order) {
  if (order.json) return answer(counts_json + "\n");
  if (!order.quiet) write_all(STDERR_FILENO, counts_table(counts_json));
  return exit_success;
}

int serve(const faults_order& order) {
  signal_inbox inbox;  // before the server's threads, which inherit that signals are blocked
  try {
    const testing::fault_server server(order.server);
    if (order.certificate_copy && !copy_certificate(*order.certificate_copy, server.certificate_pem()))
      return exit_failure;
    if (announce(server, order) != exit_success) return refuse_one("stdout: the address cannot be written");
    await_end(inbox, order);
    return tell_counts(server.counts_json(), order);
  } catch (const std::system_error& error) {
    return refuse_one(cannot_listen(order, error.code()));
  }
}

}  // namespace

ending faults(std::span<char*> arguments) {
  const page about = faults_page();
  const flag_reader reader(about.groups, operands::allowed);
  const std::vector<std::string> words(arguments.begin(), arguments.end());
  std::vector<std::string> problems;
  const flag_values values = reader.read(words, problems);
  if (values.given("--help")) return {answer(help_text(about))};
  const faults_order order = read_faults_order(values, problems);
  if (!problems.empty()) return {refuse("faults", problems)};
  if (!order.only_check) return {serve(order)};
  if (!order.quiet) say(order.server.scripts.size() == 1 ? "the script is right" : "the scripts are right");
  return {exit_success};
}

}  // namespace relent::cli
