// SPDX-License-Identifier: Apache-2.0
// One call of `relent fetch`: the driver, and what hears and feeds it. Layer 5.
#pragma once

#include "answer_place.hpp"
#include "connection_options.hpp"
#include "fetch_order.hpp"
#include "fetch_story.hpp"
#include "outgoing_body.hpp"
#include "shown_clock.hpp"
#include "stop_signals.hpp"

#include "cli/budget_file.hpp"
#include "cli/run_environment.hpp"

#include <relent/curl/client.hpp>
#include <relent/random.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace relent::cli {

/// What is to be sent did not come before the deadline, or before a signal did.
struct input_is_late : std::runtime_error {
  input_is_late() : std::runtime_error("what is to be sent did not come in time") {}
};

/// One thread. The order must outlive it.
class fetch_call {
 public:
  fetch_call(const fetch_order& order, std::optional<enclosing_run> enclosing);

  /// Before the first attempt, in this order. Throws std::system_error.
  void open_log();
  /// Throws budget_file_error.
  void open_budget();
  /// Throws std::system_error.
  void open_place();
  /// Throws content_error, input_is_late.
  void open_content();

  /// Makes the request until the engine says stop, tells how that ended, and returns the exit code. Throws
  /// content_error and input_is_late for what is sent, ask_again if the server does not send a file as asked,
  /// std::system_error if the answer cannot be written, std::invalid_argument if libcurl cannot do what is asked.
  int go();
  /// To the log.
  void end(int exit_code);

  /// The signal that came; 0: none.
  int signal() const noexcept { return signals_.received(); }
  /// A failure of our own, unless nothing is to be told.
  void tell(const std::string& line);

 private:
  bool makes_one_attempt() const;
  void check_input() const;
  curl::request request();
  void begin_attempt(http::header_list& headers, const attempt& in_hand);
  void configure(void* handle);
  std::optional<duration> time_left() const;
  call_options options();
  curl::response send(curl::client& client);
  void tell_end(const curl::response& answer);
  void tell_resume(std::string_view why);

  const fetch_order& order_;
  std::optional<enclosing_run> enclosing_;
  stop_signals signals_;
  bool shows_progress_;
  fetch_told facts_;
  transfer_progress progress_;
  shown_clock clock_;
  fetch_story story_;
  connection_options connection_;
  random_stream random_;
  std::string key_;
  time_point begin_{};
  time_point input_until_ = end_of_time;
  std::uint32_t attempt_ = 0;
  void* handle_ = nullptr;  // of the latest attempt
  std::optional<answer_place> place_;
  std::optional<outgoing_body> content_;
  std::optional<budget_file> budget_;
  std::optional<log_file> log_file_;
  std::optional<fetch_log> log_;
};

}  // namespace relent::cli
