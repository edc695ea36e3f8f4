// SPDX-License-Identifier: Apache-2.0
// libcurl's callbacks.
#include "exchange.hpp"

#include "handle.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace relent::curl::detail {
namespace {

constexpr std::size_t kept_of_failure = std::size_t{64} << 10U;
/// Of a failure's body so much is read on, so that the connection can be used again; beyond, it is dropped.
constexpr std::uint64_t drained_of_failure = std::uint64_t{1} << 20U;

/// The status in "HTTP/1.1 503 Service Unavailable"; 0 if there is none.
int status_in(std::string_view line) noexcept {
  const std::size_t blank = line.find(' ');
  int status = 0;
  if (blank == std::string_view::npos || line.size() < blank + 4) return 0;
  for (std::size_t i = blank + 1; i < blank + 4; ++i) {
    if (line[i] < '0' || line[i] > '9') return 0;
    status = status * 10 + (line[i] - '0');
  }
  return status;
}

}  // namespace

namespace {

/// More digits than a 64-bit number has, which libcurl would take for no length at all.
bool has_impossible_length(const http::header_list& headers) noexcept {
  constexpr std::size_t digits_that_fit = 18;
  const auto text = headers.first("content-length");
  return text && text->size() > digits_that_fit &&
         text->find_first_not_of("0123456789") == std::string_view::npos &&
         text->find_first_not_of('0') != std::string_view::npos &&
         text->size() - text->find_first_not_of('0') > digits_that_fit;
}

}  // namespace

bool body_replay::begin() {
  if (source_ == nullptr) return true;
  if (source_->can_rewind() ? !source_->rewind() : taken_ > 0) return false;
  size_ = source_->size();
  taken_ = 0;
  at_end_ = false;
  return true;
}

std::size_t body_replay::read(char* to, std::size_t most) {
  if (size_) most = static_cast<std::size_t>(std::min<std::uint64_t>(most, *size_ - taken_));
  if (most == 0) return 0;
  const std::size_t got = source_->read(to, most);
  taken_ += got;
  if (got == 0) {
    at_end_ = true;
    check_length();
    first_length_ = taken_;
  }
  return got;
}

void body_replay::check_length() const {
  const std::optional<std::uint64_t>& due = size_ ? size_ : first_length_;
  if (due && taken_ < *due)
    throw std::runtime_error("the body became shorter while it was sent: " + std::to_string(taken_) + " of " +
                             std::to_string(*due) + " bytes");
}

void exchange::bind(CURL* handle, bool with_body) {
  set(handle, CURLOPT_HEADERFUNCTION, &on_head);
  set(handle, CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(handle, CURLOPT_WRITEFUNCTION, &on_body);
  set(handle, CURLOPT_WRITEDATA, static_cast<void*>(this));
  if (!with_body) return;
  set(handle, CURLOPT_READFUNCTION, &on_read);
  set(handle, CURLOPT_READDATA, static_cast<void*>(this));
  set(handle, CURLOPT_SEEKFUNCTION, &on_seek);
  set(handle, CURLOPT_SEEKDATA, static_cast<void*>(this));
}

void exchange::begin(CURL* handle, const request& what, body_replay& sent, const limits& most,
                     close_watch& closes) {
  *this = exchange();
  handle_ = handle;
  closes_ = &closes;
  is_head_ = what.method == "HEAD";
  sink_ = what.sink.get();
  sent_ = &sent;
  most_ = most;
}

void exchange::complete() {
  if (sink_ == nullptr) return;
  begin_sink();
  sink_->complete();
}

/// Whether it did not throw; what it threw is kept.
template <class Action>
bool exchange::guarded(Action&& action) noexcept {
  try {
    return action();
  } catch (...) {
    thrown_ = std::current_exception();
    return false;
  }
}

bool exchange::take_head_line(std::string_view line) {
  head_size_ += line.size();
  if (head_size_ > most_.head) {
    excess_ = "the response's head is larger than " + std::to_string(most_.head) + " bytes";
    return false;
  }
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (line.empty()) {
    in_head_ = false;
    if (lasts_until_close()) closes_->await_close(handle_);
    if (has_impossible_length(headers_)) {
      excess_ = "the response's Content-Length is larger than any body";
      return false;
    }
  } else if (in_head_) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos)
      headers_.add(line.substr(0, colon), http::trimmed(line.substr(colon + 1)));
  } else if (line.starts_with("HTTP/")) {
    headers_.clear();
    closes_->begin();
    in_head_ = true;
    status_ = status_in(line);
  }  // what comes behind the body is a trailer, and no header (RFC 9110 section 6.5.1)
  return true;
}

void exchange::begin_sink() {
  if (std::exchange(sink_began_, true)) return;
  sink_->begin(status_, headers_);
}

/// Only HTTP/1 has such bodies, and not in every answer (RFC 9112 section 6.3).
bool exchange::lasts_until_close() const noexcept {
  if (status_ < 200 || status_ == 204 || status_ == 304 || is_head_) return false;
  return info<long>(handle_, CURLINFO_HTTP_VERSION) <= CURL_HTTP_VERSION_1_1 &&
         !headers_.contains("content-length") && !headers_.contains("transfer-encoding");
}

bool exchange::take_body(std::string_view bytes) {
  received_ += bytes.size();
  if (status_ >= 400) return take_body_of_failure(bytes);
  if (sink_ != nullptr) {
    begin_sink();
    sink_->write(bytes);
    return true;
  }
  if (bytes.size() > most_.body - body_.size()) {
    excess_ = "the response's body is larger than " + std::to_string(most_.body) + " bytes: give a sink";
    body_is_cut_ = true;
    return false;
  }
  if (body_.empty()) make_room();
  body_.append(bytes);
  return true;
}

/// For a body of moderate length, as the server announces it.
void exchange::make_room() {
  constexpr curl_off_t moderate = curl_off_t{1} << 20U;
  const auto length = info<curl_off_t>(handle_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
  if (length > 0 && length <= moderate) body_.reserve(static_cast<std::size_t>(length));
}

bool exchange::take_body_of_failure(std::string_view bytes) {
  const std::size_t room = kept_of_failure - body_.size();
  body_.append(bytes.substr(0, room));
  if (bytes.size() > room) body_is_cut_ = true;
  return received_ <= drained_of_failure;
}

std::size_t exchange::on_head(char* bytes, std::size_t /*one*/, std::size_t size, void* self) {
  auto& me = *static_cast<exchange*>(self);
  return me.guarded([&] { return me.take_head_line({bytes, size}); }) ? size : 0;
}

std::size_t exchange::on_body(char* bytes, std::size_t /*one*/, std::size_t size, void* self) {
  auto& me = *static_cast<exchange*>(self);
  const bool taken = me.guarded([&] { return me.take_body({bytes, size}); });
  return taken ? size : size + 1;  // anything else than size is an error; 0 would not be for no bytes
}

std::size_t exchange::on_read(char* to, std::size_t unit, std::size_t most, void* self) {
  auto& me = *static_cast<exchange*>(self);
  std::size_t got = 0;
  const bool read = me.guarded([&] {
    got = me.sent_->read(to, unit * most);
    return true;
  });
  return read ? got : CURL_READFUNC_ABORT;
}

/// Asked for after a redirect or a 401, which need the body from its beginning.
int exchange::on_seek(void* self, curl_off_t place, int from) {
  auto& me = *static_cast<exchange*>(self);
  if (place != 0 || from != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  return me.guarded([&] { return me.sent_->begin(); }) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

}  // namespace relent::curl::detail
