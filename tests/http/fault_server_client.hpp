// SPDX-License-Identifier: Apache-2.0
// A client that hides nothing: one socket, the bytes that came, and how it ended.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace relent::testing {

/// How a connection ended.
enum class socket_end { open, fin, rst, refused, hung };

/// One connection to a port of this machine. What hangs for twenty seconds is a failure.
class raw_client {
 public:
  explicit raw_client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) note(errno);
  }
  ~raw_client() {
    if (socket_ >= 0) ::close(socket_);
  }
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  int descriptor() const noexcept { return socket_; }
  socket_end end() const noexcept { return end_; }

  /// Sends all, unless the connection ends first.
  void send(std::string_view bytes) {
    while (!bytes.empty() && end_ == socket_end::open) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0) return note(errno);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void get(const std::string& target, const std::string& headers = "") {
    send("GET " + target + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n");
  }
  void post(const std::string& target, const std::string& body, const std::string& headers = "") {
    send("POST " + target + " HTTP/1.1\r\nHost: h\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  /// Reads until so many bytes are there, or the end.
  std::string read(std::size_t size) {
    while (bytes_.size() < size && more()) {
    }
    const std::string out = bytes_.substr(0, size);
    bytes_.erase(0, out.size());
    return out;
  }
  /// Everything up to the end of the connection.
  std::string read_all() {
    while (more()) {
    }
    return std::exchange(bytes_, {});
  }
  /// Up to the blank line, with it.
  std::string read_head() {
    std::size_t found = bytes_.find("\r\n\r\n");
    while (found == std::string::npos && more()) found = bytes_.find("\r\n\r\n");
    return found == std::string::npos ? read_all() : read(found + 4);
  }
  /// A head and the body whose length it tells.
  std::string read_answer() {
    std::string head = read_head();
    const std::size_t length = head.find("\r\nContent-Length: ");
    if (length == std::string::npos) return head;
    return head + read(static_cast<std::size_t>(std::atoll(head.c_str() + length + 18)));
  }
  /// The status of the next answer; 0 if there is none.
  int read_status() {
    const std::string answer = read_answer();
    return answer.rfind("HTTP/1.1 ", 0) == 0 ? std::atoi(answer.c_str() + 9) : 0;
  }

  /// Closes the sending side.
  void finish() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    ::close(socket_);
    socket_ = -1;
  }

 private:
  bool more() {
    if (end_ != socket_end::open) return false;
    char bytes[65536];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count < 0) note(errno);
    if (count == 0) end_ = socket_end::fin;
    if (count > 0) bytes_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }

  void note(int error) {
    if (error == ECONNREFUSED) {
      end_ = socket_end::refused;
    } else if (error == ECONNRESET || error == EPIPE) {
      end_ = socket_end::rst;
    } else {
      end_ = socket_end::hung;
      ADD_FAILURE() << "the socket failed: " << std::strerror(error);
    }
  }

  int socket_;
  socket_end end_ = socket_end::open;
  std::string bytes_;
};

/// The body of an answer.
inline std::string body_of(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  return head == std::string::npos ? "" : answer.substr(head + 4);
}

}  // namespace relent::testing
