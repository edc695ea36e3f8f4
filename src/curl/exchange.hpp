// SPDX-License-Identifier: Apache-2.0
// What goes to and fro in one attempt: the request's body, the response's head and body. libcurl calls; whatever
// throws is kept and ends the transfer.
#pragma once

#include "clean_close.hpp"

#include <relent/curl/request.hpp>
#include <relent/http/header_list.hpp>

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace relent::curl::detail {

struct limits {
  std::size_t body = 0;  ///< in memory
  std::size_t head = 0;
};

/// A request's body over all attempts of a call.
class body_replay {
 public:
  explicit body_replay(const body& source) : source_(source.get()) {}

  bool exists() const noexcept { return source_ != nullptr; }
  /// Makes ready for an attempt. False: bytes were taken that cannot be had again.
  bool begin();
  /// Whether a further attempt could send the same.
  bool replayable() const noexcept { return source_ == nullptr || source_->can_rewind() || taken_ == 0; }
  /// All of it was taken in this attempt.
  bool complete() const noexcept { return source_ == nullptr || at_end_ || (size_ && taken_ >= *size_); }
  std::optional<std::uint64_t> size() const noexcept { return size_; }

  /// Throws if it turns out shorter than it said, or than it was.
  std::size_t read(char* to, std::size_t most);

 private:
  void check_length() const;

  body_source* source_;
  std::optional<std::uint64_t> size_;
  std::uint64_t taken_ = 0;
  std::optional<std::uint64_t> first_length_;  // of an attempt that took all, where no size was said
  bool at_end_ = false;
};

/// Bound to a handle for as long as that has its callbacks; in one place. One thread.
class exchange {
 public:
  /// Sets the handle's callbacks; those for a body if there is one.
  void bind(CURL* handle, bool with_body);
  /// A transfer begins. All must live until it has ended.
  void begin(CURL* handle, const request& what, body_replay& sent, const limits& most, close_watch& closes);
  /// The transfer came to its end, whole and with a success: the sink learns of it.
  void complete();

  http::header_list& headers() noexcept { return headers_; }
  std::string& body() noexcept { return body_; }
  /// A part of the body was left out.
  bool body_is_cut() const noexcept { return body_is_cut_; }
  /// What a body, a sink or ourselves threw.
  const std::exception_ptr& thrown() const noexcept { return thrown_; }
  /// The answer went beyond a limit; what() of it for a person. Empty: it did not.
  const std::string& excess() const noexcept { return excess_; }

 private:
  template <class Action>
  bool guarded(Action&& action) noexcept;
  bool take_head_line(std::string_view line);
  bool take_body(std::string_view bytes);
  void make_room();
  bool take_body_of_failure(std::string_view bytes);
  void begin_sink();

  static std::size_t on_head(char* bytes, std::size_t, std::size_t size, void* self);
  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* self);
  static std::size_t on_read(char* to, std::size_t unit, std::size_t most, void* self);
  static int on_seek(void* self, curl_off_t place, int from);

  bool lasts_until_close() const noexcept;

  CURL* handle_ = nullptr;
  bool is_head_ = false;
  close_watch* closes_ = nullptr;
  body_sink* sink_ = nullptr;
  body_replay* sent_ = nullptr;
  limits most_;
  http::header_list headers_;
  std::size_t head_size_ = 0;
  bool in_head_ = false;
  int status_ = 0;  // of the head in hand
  std::string body_;
  std::uint64_t received_ = 0;
  bool body_is_cut_ = false;
  bool sink_began_ = false;
  std::string excess_;
  std::exception_ptr thrown_;
};

}  // namespace relent::curl::detail
