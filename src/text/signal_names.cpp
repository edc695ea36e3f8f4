// SPDX-License-Identifier: Apache-2.0
// One table, read both ways.
#include "signal_names.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>

namespace relent::text {
namespace {

struct name {
  int number;
  const char* text;
};
constexpr name names[] = {
    {SIGHUP, "SIGHUP"},       {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},   {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"},     {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},     {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"},     {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"},   {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"},     {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},   {SIGCHLD, "SIGCHLD"},
    {SIGCONT, "SIGCONT"},     {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"},   {SIGTTIN, "SIGTTIN"},
    {SIGTTOU, "SIGTTOU"},     {SIGURG, "SIGURG"},   {SIGXCPU, "SIGXCPU"},   {SIGXFSZ, "SIGXFSZ"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGWINCH, "SIGWINCH"}, {SIGSYS, "SIGSYS"},
};

constexpr std::string_view prefix = "SIG";

}  // namespace

std::string signal_name(int signal) {
  for (const name& each : names)
    if (each.number == signal) return each.text;
  return "signal " + std::to_string(signal);
}

std::optional<int> signal_from(std::string_view word) {
  std::string wanted(word);
  std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (!wanted.starts_with(prefix)) wanted.insert(0, prefix);
  for (const name& each : names)
    if (wanted == each.text) return each.number;
  return std::nullopt;
}

}  // namespace relent::text
