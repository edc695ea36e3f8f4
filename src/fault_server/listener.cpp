// SPDX-License-Identifier: Apache-2.0
// A port on which nobody listens refuses connections: that is what the operating system does for us.
#include "listener.hpp"

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "channel.hpp"
#include "session.hpp"

namespace relent::testing::faults {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

void require(const error_code& error, const listener::tcp::endpoint& where) {
  if (!error) return;
  const std::string name = where.address().to_string() + ':' + std::to_string(where.port());
  throw std::system_error(error.value(), std::system_category(), "fault_server: cannot listen on " + name);
}

/// Opens and binds; several sockets may be bound to the port, of which one listens.
error_code bind(listener::tcp::acceptor& socket, const listener::tcp::endpoint& where) {
  error_code error;
  socket.open(where.protocol(), error);
  if (!error) socket.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) socket.bind(where, error);
  return error;
}

/// A time that a steady clock can still be asked for.
std::chrono::steady_clock::time_point after(duration length) {
  constexpr duration year = detail::minutes(60) * 24 * 365;
  return std::chrono::steady_clock::now() + std::min(length, year);
}

}  // namespace

listener::listener(asio::io_context& io, const tcp::endpoint& where, const session_surroundings& around,
                   const ahead& begun)
    : io_(io),
      strand_(asio::make_strand(io)),
      around_(around),
      where_(where),
      holder_(strand_),
      acceptor_(strand_),
      reopening_(strand_),
      resets_(begun.resets) {
  require(bind(holder_, where_), where_);
  error_code error;
  where_ = holder_.local_endpoint(error);
  require(error, where);
  // Listening, if only for a moment, tells whether another program does.
  require(bind(acceptor_, where_), where_);
  acceptor_.listen(asio::socket_base::max_listen_connections, error);
  require(error, where_);
  if (begun.refuse > duration::zero()) {
    refuse(begun.refuse);
  } else {
    accept();
  }
}

void listener::begin(const ahead& what, std::function<void()> then) {
  asio::dispatch(strand_, [this, what, then = std::move(then)] {
    resets_ = what.resets > ahead::for_ever - resets_ ? ahead::for_ever : resets_ + what.resets;
    if (what.refuse > duration::zero()) refuse(what.refuse);
    then();
  });
}

void listener::begin_outages() {
  asio::post(strand_, [this] {
    outages_.clear();
    for (const outage_rule& each : around_.records.refusing_outages()) {
      outages_.emplace_back(strand_, after(each.from));
      outages_.back().async_wait([this, length = each.to - each.from](const error_code& error) {
        if (!error) refuse(length);
      });
    }
  });
}

void listener::refuse(duration length) {
  error_code ignored;
  acceptor_.close(ignored);
  close_idle();
  closed_until_ = std::max(closed_until_, after(length));
  reopening_.expires_at(closed_until_);
  reopening_.async_wait([this](const error_code& error) {
    if (!error) reopen();
  });
}

void listener::reopen() {
  if (acceptor_.is_open() || std::chrono::steady_clock::now() < closed_until_) return;
  error_code error = bind(acceptor_, where_);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return accept();
  // The old listener's last connections are still on their way out.
  acceptor_.close(error);
  reopening_.expires_after(std::chrono::milliseconds(1));
  reopening_.async_wait([this](const error_code& waited) {
    if (!waited) reopen();
  });
}

void listener::accept() {
  acceptor_.async_accept(asio::make_strand(io_), [this](const error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted || !acceptor_.is_open()) {
      if (!error) make_plain_channel(std::move(socket))->reset();
      return;
    }
    if (!error) {
      accepted(std::move(socket));
      return accept();
    }
    // No descriptor is left: some connection has to end first.
    reopening_.expires_after(std::chrono::milliseconds(10));
    reopening_.async_wait([this](const error_code& waited) {
      if (!waited && acceptor_.is_open()) accept();
    });
  });
}

void listener::accepted(tcp::socket socket) {
  around_.records.connected();
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  auto bytes = around_.tls != nullptr ? make_tls_channel(std::move(socket), *around_.tls)
                                      : make_plain_channel(std::move(socket));
  const auto made = std::make_shared<session>(std::move(bytes), around_, *this);
  const auto gone =
      std::find_if(sessions_.begin(), sessions_.end(), [](const auto& each) { return each.expired(); });
  if (gone != sessions_.end()) {
    *gone = made;
  } else {
    sessions_.push_back(made);
  }
  if (resets_ == 0) return made->start();
  if (resets_ != ahead::for_ever) --resets_;
  made->start_reset();
}

void listener::close_idle() {
  for (const std::weak_ptr<session>& each : sessions_)
    if (const auto alive = each.lock()) alive->close_if_idle();
}

}  // namespace relent::testing::faults
