// SPDX-License-Identifier: Apache-2.0
// One connection: requests come in, performances go out. What is to be performed is the book's business.
#pragma once

#include <relent/time.hpp>

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "book.hpp"
#include "channel.hpp"
#include "listener.hpp"
#include "performance.hpp"
#include "request_reader.hpp"

namespace relent::testing::faults {

/// Lives as long as something is to be done for it. Everything runs on the socket's executor, one at a time.
class session : public std::enable_shared_from_this<session> {
 public:
  session(std::unique_ptr<channel> bytes, const session_surroundings& around, listener& door);

  void start();
  /// Instead of start(): resets the connection when the first byte of the client comes, unread. Then the client
  /// knows for sure that it was connected.
  void start_reset();
  /// Closes the connection if no request is on it. From any thread.
  void close_if_idle();

 private:
  using error_code = boost::system::error_code;

  // Requests.
  void await_request(duration idle);
  void read_more();
  void take_bytes();
  void head_is_here();
  void request_is_here();
  void read_failed();
  void answer_badness(std::uint16_t status, const char* text);

  // Answers.
  void perform(performance what);
  void begin();
  bool fill();
  void write_next();
  bool completes_answer() const;
  void end();
  void next_request();

  // Endings.
  void reset_when_delivered(int patience);
  void say_goodbye();
  void drain(bool first);
  void hold();
  void close_at_next_request();
  void close_on_request();

  /// Calls `then` on the socket's executor. From any thread.
  void post(std::function<void()> then);
  /// Calls `then` after that time unless the timer is set anew, or stopped.
  void after(duration length, std::function<void()> then);
  void stop_timer();
  void close();

  std::unique_ptr<channel> bytes_;
  session_surroundings around_;
  listener& door_;
  boost::asio::steady_timer timer_;
  std::uint64_t timer_set_ = 0;

  std::array<char, 16384> incoming_;
  std::string unread_;  ///< came in and belongs to no request yet
  std::optional<request_reader> reader_;
  std::optional<ticket> ticket_;  ///< none while there is no request, and for those of the server itself
  bool built_in_ = false;
  bool idle_ = false;
  duration idle_limit_;

  performance now_;
  std::string outgoing_;
  std::uint64_t sent_ = 0;  ///< of the body
  bool ended_ = false;      ///< the last chunk was written
  std::chrono::steady_clock::time_point begun_{};
};

}  // namespace relent::testing::faults
