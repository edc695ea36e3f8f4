// SPDX-License-Identifier: Apache-2.0
// An answer goes out piece by piece; then the connection ends as it should, or waits for the next request.
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <cstdio>
#include <utility>

#include "session.hpp"

namespace relent::testing::faults {
namespace {

constexpr std::size_t piece_size = 65536;
constexpr duration farewell = detail::milliseconds(200);  // for the client's close_notify
constexpr duration longest_drain = detail::seconds(2);    // for what it still sends
constexpr int delivery_patience = 2000;                   // milliseconds for it to take what was sent

std::string chunk_head(std::uint64_t size) {
  char text[24];
  std::snprintf(text, sizeof text, "%llx\r\n", static_cast<unsigned long long>(size));
  return text;
}

}  // namespace

void session::perform(performance what) {
  now_ = std::move(what);
  if (now_.delay <= duration::zero()) return begin();
  after(now_.delay, [self = shared_from_this()] { self->begin(); });
}

/// What begins ahead of the next request does so before the client can know that this one is over.
void session::begin() {
  outgoing_ = std::exchange(now_.head, {});
  sent_ = 0;
  ended_ = false;
  begun_ = std::chrono::steady_clock::now();
  if (!ticket_ || !ticket_->begun.any()) return write_next();
  door_.begin(ticket_->begun, [self = shared_from_this()] { self->post([self] { self->write_next(); }); });
}

/// Adds what is to be written next; false if nothing is left.
bool session::fill() {
  if (now_.junk > 0) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(now_.junk, piece_size));
    outgoing_.append(count, 'x');
    now_.junk -= count;
    return true;
  }
  outgoing_ += std::exchange(now_.tail, {});
  const std::uint64_t left = now_.body.size - sent_;
  // A slow body comes ten times a second, or byte by byte.
  const std::uint64_t piece = now_.rate ? std::max<std::uint64_t>(1, *now_.rate / 10) : piece_size;
  if (const std::uint64_t count = std::min({left, piece, std::uint64_t{piece_size}}); count > 0) {
    if (now_.chunked) outgoing_ += chunk_head(count);
    outgoing_ += now_.body.piece(sent_, static_cast<std::size_t>(count));
    if (now_.chunked) outgoing_ += "\r\n";
    sent_ += count;
  }
  if (now_.chunked && now_.whole && !ended_ && sent_ == now_.body.size) {
    outgoing_ += "0\r\n\r\n";
    ended_ = true;
  }
  return !outgoing_.empty();
}

/// Whether all of a whole answer is written, or about to be.
bool session::completes_answer() const {
  return ticket_ && now_.whole && now_.status != 0 && now_.junk == 0 && sent_ == now_.body.size &&
         (ended_ || !now_.chunked);
}

/// An answer is counted before the client can have it, so that the counts are never behind what a client knows.
void session::write_next() {
  if (!fill()) return end();
  const bool counted = completes_answer();
  if (counted) around_.records.answered(*ticket_);
  bytes_->write(outgoing_, [self = shared_from_this(), counted](const error_code& error, std::size_t) {
    if (error) {
      if (counted) self->around_.records.not_answered(*self->ticket_);
      return self->close();
    }
    self->outgoing_.clear();
    if (!self->now_.rate || self->sent_ == self->now_.body.size) return self->write_next();
    const double due = static_cast<double>(self->sent_) * 1e9 / static_cast<double>(*self->now_.rate);
    const duration passed = std::chrono::steady_clock::now() - self->begun_;
    self->after(std::max(duration::zero(), saturate(due) - passed), [self] { self->write_next(); });
  });
}

void session::end() {
  switch (now_.end) {
    case ending::keep: return next_request();
    case ending::close: return say_goodbye();
    case ending::unclean: bytes_->finish(); return drain(true);
    case ending::reset: return reset_when_delivered(delivery_patience);
    case ending::hold: begun_ = std::chrono::steady_clock::now(); return hold();
    case ending::idle_close: return close_at_next_request();
  }
}

void session::next_request() { await_request(now_.idle.value_or(around_.idle_timeout)); }

/// A reset throws away what the client's machine has not got yet, so that has to arrive first.
void session::reset_when_delivered(int patience) {
  if (patience == 0 || bytes_->delivered()) {
    stop_timer();
    return bytes_->reset();
  }
  after(detail::milliseconds(1),
        [self = shared_from_this(), patience] { self->reset_when_delivered(patience - 1); });
}

void session::say_goodbye() {
  auto once = [self = shared_from_this()] {
    self->stop_timer();
    self->bytes_->finish();
    self->drain(true);
  };
  after(farewell, once);
  const std::uint64_t set = timer_set_;
  bytes_->say_goodbye([self = shared_from_this(), set, once](const error_code&) {
    if (set == self->timer_set_) once();
  });
}

/// To close a socket with unread bytes would be a reset, which could take the answer with it.
void session::drain(bool first) {
  if (first) after(longest_drain, [self = shared_from_this()] { self->close(); });
  bytes_->socket().async_read_some(boost::asio::buffer(incoming_),
                                   [self = shared_from_this()](const error_code& error, std::size_t) {
                                     if (error) return self->close();
                                     self->drain(false);
                                   });
}

/// Silence, until it has lasted long enough or the client leaves.
void session::hold() {
  constexpr duration step = detail::milliseconds(100);
  const duration held = std::chrono::steady_clock::now() - begun_;
  if (now_.hold && held >= *now_.hold) return say_goodbye();
  if (bytes_->client_left()) return close();
  after(now_.hold ? std::min(step, *now_.hold - held) : step, [self = shared_from_this()] { self->hold(); });
}

void session::close_at_next_request() {
  if (!unread_.empty()) return close_on_request();
  idle_ = true;
  after(now_.idle.value_or(around_.idle_timeout), [self = shared_from_this()] { self->close(); });
  if (around_.tls != nullptr) {
    // Whether a byte is a request or a farewell can only be known when it has been decrypted.
    bytes_->read(incoming_.data(), 1, [self = shared_from_this()](const error_code& error, std::size_t) {
      if (error) return self->close();
      self->close_on_request();
    });
    return;
  }
  bytes_->socket().async_wait(channel::tcp::socket::wait_read,
                              [self = shared_from_this()](const error_code& error) {
                                if (error || !self->bytes_->has_bytes()) return self->close();
                                self->close_on_request();
                              });
}

/// As a server whose own time-out is over at this moment: FIN, and a reset for what is not read any more.
void session::close_on_request() {
  around_.records.dropped(*ticket_);
  bytes_->finish();
  close();
}

}  // namespace relent::testing::faults
