// SPDX-License-Identifier: Apache-2.0
// A server of a test's own for what the fault server does not do: answers by what was asked, other protocols, no answer
// to a connection at all.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace relent::test {

/// A socket that listens on a free port of 127.0.0.1.
class listening_socket {
 public:
  explicit listening_socket(int backlog = 64) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    if (::bind(socket_, address, size) != 0 || ::listen(socket_, backlog) != 0 ||
        ::getsockname(socket_, address, &size) != 0)
      throw std::system_error(errno, std::generic_category(), "no socket to listen on");
    port_ = ntohs(at.sin_port);
  }
  ~listening_socket() { ::close(socket_); }
  listening_socket(const listening_socket&) = delete;
  listening_socket& operator=(const listening_socket&) = delete;

  int get() const noexcept { return socket_; }
  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
  }

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

/// Begins to connect; the descriptor. Whether it ever succeeds is another matter.
inline int begin_to_connect(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  static_cast<void>(::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to));
  return socket;
}

/// A port where a connection is neither accepted nor refused: the queue of the listening socket is full.
class black_hole {
 public:
  black_hole() : door_(0) {
    for (int& each : fill_) each = begin_to_connect(door_.port());
  }
  ~black_hole() {
    for (const int each : fill_) ::close(each);
  }
  black_hole(const black_hole&) = delete;
  black_hole& operator=(const black_hole&) = delete;
  std::string url() const { return door_.url("/"); }

 private:
  listening_socket door_;
  int fill_[3] = {};
};

/// One connection as its server sees it. Nothing is waited for longer than twenty seconds.
class raw_connection {
 public:
  explicit raw_connection(int socket) : socket_(socket) {
    const timeval most{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  }

  /// False if the client has gone.
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  /// So many bytes; fewer if the client has gone.
  std::string read(std::size_t size) {
    while (bytes_.size() < size && more()) {
    }
    std::string out = bytes_.substr(0, size);
    bytes_.erase(0, out.size());
    return out;
  }
  /// Up to the blank line, with it; empty if the client has gone.
  std::string read_head() {
    std::size_t end = bytes_.find("\r\n\r\n");
    while (end == std::string::npos && more()) end = bytes_.find("\r\n\r\n");
    return end == std::string::npos ? std::string() : read(end + 4);
  }
  /// What else comes, until the client goes.
  void drain() {
    do bytes_.clear();
    while (more());
  }

 private:
  bool more() {
    char piece[16384];
    const ssize_t count = ::recv(socket_, piece, sizeof piece, 0);
    if (count > 0) bytes_.append(piece, static_cast<std::size_t>(count));
    return count > 0;
  }

  int socket_;
  std::string bytes_;
};

/// Serves every connection in a thread of its own, and closes it afterwards.
class raw_server {
 public:
  explicit raw_server(std::function<void(raw_connection&)> serve)
      : serve_(std::move(serve)), acceptor_([this] { accept(); }) {}
  ~raw_server() {
    ended_ = true;
    ::shutdown(door_.get(), SHUT_RDWR);
    acceptor_.join();
    for (const int each : sockets_) ::shutdown(each, SHUT_RDWR);
    for (std::thread& each : threads_) each.join();
    for (const int each : sockets_) ::close(each);
  }
  raw_server(const raw_server&) = delete;
  raw_server& operator=(const raw_server&) = delete;

  std::string url(std::string_view path = "/") const { return door_.url(path); }
  std::uint16_t port() const noexcept { return door_.port(); }
  int connections() const noexcept { return accepted_; }

 private:
  void accept() {
    while (!ended_) {
      const int socket = ::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      ++accepted_;
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket] {
        raw_connection connection(socket);
        serve_(connection);
        ::shutdown(socket, SHUT_WR);
        connection.drain();
      });
    }
  }

  listening_socket door_;
  std::function<void(raw_connection&)> serve_;
  std::atomic<bool> ended_ = false;
  std::atomic<int> accepted_ = 0;
  std::vector<int> sockets_;  // only the acceptor writes them, and it has ended when they are read
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// Answers requests without a body by what `answer` says to their head, and keeps the heads.
class recording_server {
 public:
  explicit recording_server(std::function<std::string(const std::string& head)> answer)
      : answer_(std::move(answer)), server_([this](raw_connection& client) { serve(client); }) {}

  std::string url(std::string_view path = "/") const { return server_.url(path); }
  std::vector<std::string> heads() const {
    const std::lock_guard lock(mutex_);
    return heads_;
  }

 private:
  void serve(raw_connection& client) {
    for (std::string head = client.read_head(); !head.empty(); head = client.read_head()) {
      {
        const std::lock_guard lock(mutex_);
        heads_.push_back(head);
      }
      if (!client.write(answer_(head))) return;
    }
  }

  std::function<std::string(const std::string&)> answer_;
  mutable std::mutex mutex_;
  std::vector<std::string> heads_;
  raw_server server_;
};

}  // namespace relent::test
