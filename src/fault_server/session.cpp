// SPDX-License-Identifier: Apache-2.0
// Requests come in here; session_answer.cpp has what goes out, and how it ends.
#include "session.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "built_in.hpp"
#include "steady_now.hpp"

namespace relent::testing::faults {

session::session(std::unique_ptr<channel> bytes, const session_surroundings& around, listener& door)
    : bytes_(std::move(bytes)),
      around_(around),
      door_(door),
      timer_(bytes_->socket().get_executor()),
      idle_limit_(around.idle_timeout) {}

void session::post(std::function<void()> then) {
  boost::asio::post(bytes_->socket().get_executor(), std::move(then));
}

void session::start() {
  post([self = shared_from_this()] {
    self->after(self->around_.idle_timeout, [self] { self->close(); });
    self->bytes_->handshake([self](const error_code& error) {
      if (error) return self->close();
      self->await_request(self->around_.idle_timeout);
    });
  });
}

void session::start_reset() {
  post([self = shared_from_this()] {
    self->after(self->around_.idle_timeout, [self] { self->bytes_->reset(); });
    self->bytes_->socket().async_wait(channel::tcp::socket::wait_read, [self](const error_code&) {
      self->stop_timer();
      self->bytes_->reset();
    });
  });
}

void session::close_if_idle() {
  post([self = shared_from_this()] {
    if (self->idle_) self->close();
  });
}

void session::after(duration length, std::function<void()> then) {
  constexpr duration longest = detail::minutes(60) * 24 * 365;
  const std::uint64_t set = ++timer_set_;
  timer_.expires_after(std::min(length, longest));
  timer_.async_wait([self = shared_from_this(), set, then = std::move(then)](const error_code& error) {
    if (!error && set == self->timer_set_) then();
  });
}

void session::stop_timer() {
  ++timer_set_;
  timer_.cancel();
}

void session::close() {
  stop_timer();
  bytes_->close();
}

void session::await_request(duration idle) {
  reader_.emplace();
  ticket_.reset();
  built_in_ = false;
  idle_limit_ = idle;
  if (!unread_.empty()) return take_bytes();
  idle_ = true;
  read_more();
}

void session::read_more() {
  after(idle_limit_, [self = shared_from_this()] {
    self->read_failed();
    self->close();
  });
  bytes_->read(incoming_.data(), incoming_.size(),
               [self = shared_from_this()](const error_code& error, std::size_t count) {
                 self->idle_ = false;
                 self->stop_timer();
                 if (error) {
                   self->read_failed();
                   return self->close();
                 }
                 self->unread_.append(self->incoming_.data(), count);
                 self->take_bytes();
               });
}

/// The client has left, or says nothing, in the middle of a body.
void session::read_failed() {
  if (ticket_ && bytes_->is_open()) around_.records.abandon(*ticket_, reader_->body().bytes);
}

void session::take_bytes() {
  switch (reader_->take(unread_)) {
    case request_reader::progress::more: return read_more();
    case request_reader::progress::head: return head_is_here();
    case request_reader::progress::whole:
      if (!ticket_ && !built_in_) return head_is_here();
      return request_is_here();
    case request_reader::progress::bad: return answer_badness(400, "this is no HTTP/1.1 request\n");
    case request_reader::progress::too_large: return answer_badness(431, "a head has at most 64 KiB\n");
  }
}

void session::answer_badness(std::uint16_t status, const char* text) {
  read_failed();
  ticket_.reset();
  circumstances around;
  around.wall = std::chrono::system_clock::now();
  around.close = true;
  perform(plain_answer(status, text, "text/plain", request_head{}, around));
}

void session::head_is_here() {
  idle_limit_ = around_.idle_timeout;
  built_in_ = is_built_in(reader_->head());
  if (built_in_) return reader_->is_whole() ? request_is_here() : take_bytes();
  ticket_ = around_.records.arrive(reader_->head(), steady_now());
  if (ticket_->first) door_.begin_outages();
  if (reader_->is_whole() || !ticket_->reads_body) return request_is_here();
  if (!ticket_->says_continue) return take_bytes();
  outgoing_ = "HTTP/1.1 100 Continue\r\n\r\n";
  bytes_->write(outgoing_, [self = shared_from_this()](const error_code& error, std::size_t) {
    if (!error) return self->take_bytes();
    self->read_failed();
    self->close();
  });
}

void session::request_is_here() {
  const bool whole = reader_->is_whole();
  const auto wall = std::chrono::system_clock::now();
  if (built_in_) {
    circumstances around;
    around.wall = wall;
    return perform(answer_built_in(reader_->head(), around_.records, steady_now(), around));
  }
  const std::optional<body_seen> body = whole ? std::optional(reader_->body()) : std::nullopt;
  perform(around_.records.finish(*ticket_, reader_->head(), body, steady_now(), wall));
}

}  // namespace relent::testing::faults
