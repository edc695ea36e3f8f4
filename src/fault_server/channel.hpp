// SPDX-License-Identifier: Apache-2.0
// The bytes of one connection, with TLS or without, and the ways in which it can end.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace boost::asio::ssl {
class context;
}

namespace relent::testing::faults {

/// One at a time of each kind of call; handlers run on the socket's executor.
class channel {
 public:
  using error_code = boost::system::error_code;
  using tcp = boost::asio::ip::tcp;
  using done = std::function<void(const error_code&)>;
  using transferred = std::function<void(const error_code&, std::size_t)>;

  virtual ~channel() = default;
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  virtual tcp::socket& socket() = 0;
  virtual void handshake(done then) = 0;
  virtual void read(char* into, std::size_t most, transferred then) = 0;
  /// Writes all; `bytes` must stay.
  virtual void write(std::string_view bytes, transferred then) = 0;
  /// Says in TLS that nothing more will come; `then` may be called only when the client has said the same.
  virtual void say_goodbye(done then) = 0;

  /// RST.
  void reset() noexcept;
  /// FIN; reading goes on.
  void finish() noexcept;
  void close() noexcept;
  bool is_open() { return socket().is_open(); }
  /// Whether everything written has reached the client's machine.
  bool delivered() noexcept;
  /// Whether the client has closed its side, also behind bytes that are not read.
  bool client_left() noexcept;
  /// Whether a byte waits to be read; not for TLS.
  bool has_bytes() noexcept;

 protected:
  channel() = default;
};

std::unique_ptr<channel> make_plain_channel(channel::tcp::socket socket);
std::unique_ptr<channel> make_tls_channel(channel::tcp::socket socket, boost::asio::ssl::context& context);

}  // namespace relent::testing::faults
