// SPDX-License-Identifier: Apache-2.0
// The only place where TLS and no TLS differ.
#include "channel.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace relent::testing::faults {

namespace asio = boost::asio;

void channel::reset() noexcept {
  error_code ignored;
  socket().set_option(asio::socket_base::linger(true, 0), ignored);
  socket().close(ignored);
}

void channel::finish() noexcept {
  error_code ignored;
  socket().shutdown(tcp::socket::shutdown_send, ignored);
}

void channel::close() noexcept {
  error_code ignored;
  socket().close(ignored);
}

bool channel::delivered() noexcept {
  error_code error;
  const bool same_machine = socket().remote_endpoint(error).address().is_loopback();
  // There, what was sent has arrived; to wait for its acknowledgement could take another 40 ms.
  int bytes = 0;
  return error || ::ioctl(socket().native_handle(), same_machine ? SIOCOUTQNSD : SIOCOUTQ, &bytes) != 0 ||
         bytes == 0;
}

bool channel::client_left() noexcept {
  pollfd asked{socket().native_handle(), POLLRDHUP, 0};
  return ::poll(&asked, 1, 0) > 0;
}

bool channel::has_bytes() noexcept {
  char byte = 0;
  return ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

namespace {

class plain_channel final : public channel {
 public:
  explicit plain_channel(tcp::socket socket) : socket_(std::move(socket)) {}

  tcp::socket& socket() override { return socket_; }
  void handshake(done then) override {
    asio::post(socket_.get_executor(), [then = std::move(then)] { then({}); });
  }
  void read(char* into, std::size_t most, transferred then) override {
    socket_.async_read_some(asio::buffer(into, most), std::move(then));
  }
  void write(std::string_view bytes, transferred then) override {
    asio::async_write(socket_, asio::buffer(bytes.data(), bytes.size()), std::move(then));
  }
  void say_goodbye(done then) override { handshake(std::move(then)); }

 private:
  tcp::socket socket_;
};

class tls_channel final : public channel {
 public:
  tls_channel(tcp::socket socket, asio::ssl::context& context) : stream_(std::move(socket), context) {}

  tcp::socket& socket() override { return stream_.next_layer(); }
  void handshake(done then) override {
    stream_.async_handshake(asio::ssl::stream_base::server, std::move(then));
  }
  void read(char* into, std::size_t most, transferred then) override {
    stream_.async_read_some(asio::buffer(into, most), std::move(then));
  }
  void write(std::string_view bytes, transferred then) override {
    asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()), std::move(then));
  }
  void say_goodbye(done then) override { stream_.async_shutdown(std::move(then)); }

 private:
  asio::ssl::stream<tcp::socket> stream_;
};

}  // namespace

std::unique_ptr<channel> make_plain_channel(channel::tcp::socket socket) {
  return std::make_unique<plain_channel>(std::move(socket));
}

std::unique_ptr<channel> make_tls_channel(channel::tcp::socket socket, asio::ssl::context& context) {
  return std::make_unique<tls_channel>(std::move(socket), context);
}

}  // namespace relent::testing::faults
