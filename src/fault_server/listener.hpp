// SPDX-License-Identifier: Apache-2.0
// The port: who may connect now, and the connections there are. What a connection does is session.hpp.
#pragma once

#include <relent/time.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "book.hpp"
#include "walk.hpp"

namespace boost::asio::ssl {
class context;
}

namespace relent::testing::faults {

class session;

/// What every connection of a server shares.
struct session_surroundings {
  book& records;
  duration idle_timeout;
  boost::asio::ssl::context* tls;  ///< null without TLS
};

/// Lives as long as its io_context runs.
class listener {
 public:
  using tcp = boost::asio::ip::tcp;

  /// Binds the port, and listens on it unless `begun` refuses. Throws std::system_error.
  listener(boost::asio::io_context& io, const tcp::endpoint& where, const session_surroundings& around,
           const ahead& begun);

  std::uint16_t port() const noexcept { return where_.port(); }

  /// Lets it begin, and calls `then` from some thread of the io_context when it has. From any thread.
  void begin(const ahead& what, std::function<void()> then);
  /// Counts outages that refuse from now on. From any thread.
  void begin_outages();

 private:
  using strand = boost::asio::strand<boost::asio::io_context::executor_type>;

  void open();
  void accept();
  void accepted(tcp::socket socket);
  void refuse(duration length);
  void reopen();
  void close_idle();

  boost::asio::io_context& io_;
  strand strand_;
  session_surroundings around_;
  tcp::endpoint where_;
  tcp::acceptor holder_;  ///< bound and never listening: keeps the port while connections are refused
  tcp::acceptor acceptor_;
  boost::asio::steady_timer reopening_;
  std::chrono::steady_clock::time_point closed_until_{};
  std::uint64_t resets_ = 0;
  std::list<boost::asio::steady_timer> outages_;
  std::vector<std::weak_ptr<session>> sessions_;
};

}  // namespace relent::testing::faults
