// SPDX-License-Identifier: Apache-2.0
// Running a transfer on a multi handle, which, other than an easy one, can be woken.
#include "transfer.hpp"

#include "handle.hpp"

#include <relent/http/method.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>

namespace relent::curl::detail {

void resend_guard::bind(CURL* handle, const watched& what) {
  handle_ = handle;
  asks_method_ = what.method;
  set(handle, CURLOPT_PREREQFUNCTION, &before_request);
  set(handle, CURLOPT_PREREQDATA, static_cast<void*>(this));
  if (!what.refused_stream) return;
  set(handle, CURLOPT_DEBUGFUNCTION, &hear);
  set(handle, CURLOPT_DEBUGDATA, static_cast<void*>(this));
  set(handle, CURLOPT_VERBOSE, 1L);
}

void resend_guard::begin() noexcept {
  first_is_idempotent_ = on_new_connection_ = prevented_ = refused_stream_ = false;
  stream_.reset();
  last_stream_.reset();
  requests_ = 0;
  answered_bytes_ = followed_ = 0;
}

int resend_guard::before_request(void* self, char* /*server*/, char* /*local*/, int /*port*/,
                                 int /*local_port*/) {
  return static_cast<resend_guard*>(self)->allow_request() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/// After a redirect, a 401 or a 417 there was an answer in between; a silent repetition follows on none.
bool resend_guard::allow_request() {
  if (requests_ == 0) on_new_connection_ = info<long>(handle_, CURLINFO_NUM_CONNECTS) > 0;
  if (asks_method_ && requests_ == 0) {
    const char* const method = info<const char*>(handle_, CURLINFO_EFFECTIVE_METHOD);
    first_is_idempotent_ = method != nullptr && http::is_idempotent(method);
  }
  const long followed = info<long>(handle_, CURLINFO_REDIRECT_COUNT);
  prevented_ = requests_ > 0 && followed <= followed_;
  followed_ = followed;
  if (!prevented_) answered_bytes_ = info<long>(handle_, CURLINFO_HEADER_SIZE);
  if (!prevented_) ++requests_;
  return !prevented_;
}

int resend_guard::hear(CURL* /*handle*/, curl_infotype type, char* text, std::size_t size, void* self) {
  if (type == CURLINFO_TEXT) static_cast<resend_guard*>(self)->hear_text({text, size});
  return 0;
}

namespace {

/// The number behind the words; nothing if they are not there.
std::optional<std::uint32_t> number_behind(std::string_view words, std::string_view text) noexcept {
  const std::size_t place = text.find(words);
  if (place == std::string_view::npos) return std::nullopt;
  std::uint32_t number = 0;
  text.remove_prefix(place + words.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

}  // namespace

/// As libcurl 7.88 words it, its spelling included; where it has other words, nothing is proven. Only a line that begins
/// so is libcurl's own: it comments on headers and addresses too, which others may have written.
void resend_guard::hear_text(std::string_view text) {
  if (text.starts_with("REFUSED_STREAM, retrying")) refused_stream_ = true;
  constexpr std::string_view using_stream = "Using Stream ID: ";
  if (const auto stream = text.starts_with(using_stream) ? number_behind(using_stream, text) : std::nullopt) {
    stream_ = stream;
    last_stream_.reset();  // of an earlier request, perhaps on another connection
  }
  if (!text.starts_with("recveived GOAWAY, ") && !text.starts_with("received GOAWAY, ")) return;
  if (const auto last = number_behind("last_stream=", text)) last_stream_ = last;
}

namespace {

/// Has the handle in the multi handle for as long as it lives.
class membership {
 public:
  membership(CURLM* connections, CURL* handle) : connections_(connections), handle_(handle) {
    if (curl_multi_add_handle(connections, handle) != CURLM_OK)
      throw_code(CURLE_FAILED_INIT, "the handle cannot be used here");
  }
  ~membership() { curl_multi_remove_handle(connections_, handle_); }
  membership(const membership&) = delete;
  membership& operator=(const membership&) = delete;

 private:
  CURLM* connections_;
  CURL* handle_;
};

struct wake {
  CURLM* connections;
  void operator()() const noexcept { curl_multi_wakeup(connections); }
};

std::optional<CURLcode> code_of_finished(CURLM* connections, CURL* handle) {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(connections, &left))
    if (message->msg == CURLMSG_DONE && message->easy_handle == handle) return message->data.result;
  return std::nullopt;
}

}  // namespace

transfer_end run_transfer(CURLM* connections, CURL* handle, const stop_handle& stop) {
  if (connections == nullptr) return {curl_easy_perform(handle), false};
  const auto* const token = stop.as<std::stop_token>();
  std::optional<std::stop_callback<wake>> waker;
  if (token != nullptr) waker.emplace(*token, wake{connections});
  const int longest_nap = stop.has_token() && token == nullptr ? 20 : 1000;

  const membership member(connections, handle);
  for (;;) {
    int running = 0;
    if (stop.requested()) return {CURLE_ABORTED_BY_CALLBACK, true};
    if (curl_multi_perform(connections, &running) != CURLM_OK) return {CURLE_FAILED_INIT, false};
    if (const auto code = code_of_finished(connections, handle)) return {*code, false};
    if (running == 0) return {CURLE_FAILED_INIT, false};
    if (curl_multi_poll(connections, nullptr, 0, longest_nap, nullptr) != CURLM_OK)
      return {CURLE_FAILED_INIT, false};
  }
}

long milliseconds_of(duration time) noexcept {
  if (time == max_duration) return 0;
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(time).count() + 1;
  return static_cast<long>(std::clamp<std::int64_t>(whole, 1, std::numeric_limits<int>::max()));
}

}  // namespace relent::curl::detail
