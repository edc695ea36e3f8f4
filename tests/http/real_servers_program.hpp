// SPDX-License-Identifier: Apache-2.0
// Servers of others as processes of a test: found, started on a free port, waited for, ended.
#pragma once

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is of POSIX
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "matrix_raw_server.hpp"
#include "scratch_folder.hpp"

namespace relent::test {

/// Where the program is: in PATH, or where Debian keeps what serves.
inline std::optional<std::string> find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream places(std::string(path != nullptr ? path : "") + ":/usr/sbin:/usr/local/sbin");
  for (std::string place; std::getline(places, place, ':');) {
    const std::string found = place + '/' + name;
    if (::access(found.c_str(), X_OK) == 0) return found;
  }
  return std::nullopt;
}

/// A port that was free a moment ago.
inline std::uint16_t free_port() { return listening_socket().port(); }

inline bool accepts(std::uint16_t port) {
  const int socket = begin_to_connect(port);
  pollfd ready{socket, POLLOUT, 0};
  int error = 1;
  socklen_t size = sizeof error;
  const bool came = ::poll(&ready, 1, 100) == 1 &&
                    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  ::close(socket);
  return came;
}

/// A child process, killed at the end at the latest. Its output goes to the file `log`.
class child_process {
 public:
  child_process(const std::vector<std::string>& command, const std::string& log) {
    std::vector<char*> arguments;
    for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(126);
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    ::dup2(out, 1);
    ::dup2(out, 2);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~child_process() { end(SIGKILL); }
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  bool is_alive() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
    return pid_ > 0;
  }
  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
  }
  /// Sends the signal and waits until it has gone.
  void end(int number) {
    signal(number);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

/// A server that listens on a port of 127.0.0.1 as `command` says, which is given the port and the folder for its
/// files. Throws if it does not come up.
class server_program {
 public:
  using command_for =
      std::function<std::vector<std::string>(std::uint16_t port, const scratch_folder& folder)>;

  explicit server_program(const command_for& command) {
    for (int tries = 0; tries < 5; ++tries)  // somebody else may have taken the port
      if (comes_up(command)) return;
    throw std::runtime_error("the server does not listen: " + folder_.read("log"));
  }

  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view path = "/") const {
    return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
  }
  std::string log() const { return folder_.read("log"); }
  child_process& process() { return *process_; }

 private:
  bool comes_up(const command_for& command) {
    port_ = free_port();
    process_.emplace(command(port_, folder_), folder_.path("log"));
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (process_->is_alive() && std::chrono::steady_clock::now() < limit) {
      if (accepts(port_)) return process_->is_alive();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  scratch_folder folder_;
  std::uint16_t port_ = 0;
  std::optional<child_process> process_;
};

}  // namespace relent::test
