// SPDX-License-Identifier: Apache-2.0
// Finds relent-http beside this program or where an installation puts it, and executes it.
#include "become_http.hpp"

#include "exit_codes.hpp"
#include "message.hpp"

#include <unistd.h>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace relent::cli {
namespace {

constexpr std::string_view program = "relent-http";

/// The folder in which this program lies; empty if the system does not say.
std::string own_folder() {
  std::string path(4096, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  path.resize(static_cast<std::size_t>(length));
  return path.substr(0, path.rfind('/'));
}

}  // namespace

int become_http(std::span<char*> words) {
  const std::string folder = own_folder();
  std::vector<char*> argv;
  std::string places[] = {folder + "/" + std::string(program),
                          folder + "/../libexec/relent/" + std::string(program)};
  argv.push_back(nullptr);
  argv.insert(argv.end(), words.begin(), words.end());
  argv.push_back(nullptr);
  for (std::string& place : places) {
    argv.front() = place.data();
    ::execv(place.c_str(), argv.data());
    if (errno == ENOENT) continue;
    say(place + " cannot be executed: " + std::generic_category().message(errno));
    return exit_failure;
  }
  say("relent " + std::string(words.front()) + " is done by " + std::string(program) +
      ", which is missing: it is looked for as " + places[0] + " and " + places[1]);
  return exit_failure;
}

}  // namespace relent::cli
