// SPDX-License-Identifier: Apache-2.0
// Runs one cell of the matrix: a server of its own, one call, and everything that can be seen of it afterwards.
#pragma once

#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "matrix_oracle.hpp"
#include "matrix_patience.hpp"
#include "scratch_folder.hpp"

namespace relent::test::matrix {

inline constexpr std::size_t content_size = 40'000;
inline constexpr duration attempt_timeout = 400ms * patience;

/// What a request sends, and how much of it was taken.
class content {
 public:
  explicit content(matrix::body kind) : kind_(kind), bytes_(relent::testing::fault_body(0, content_size)) {
    if (kind == body::file) folder_.write("content", bytes_);
  }

  curl::body source() {
    switch (kind_) {
      case body::none: return nullptr;
      case body::memory: return curl::memory_body(bytes_);
      case body::file: return curl::file_body(folder_.path("content"));
      case body::rewindable:
        return curl::stream_body([this](char* to, std::size_t most) { return read(to, most); },
                                 [this] {
                                   place_ = 0;
                                   return true;
                                 });
      case body::one_shot:
        return curl::stream_body([this](char* to, std::size_t most) { return read(to, most); });
    }
    return nullptr;
  }
  bool taken() const { return place_ > 0; }

 private:
  std::size_t read(char* to, std::size_t most) {
    const std::size_t count = bytes_.copy(to, most, place_);
    place_ += count;
    return count;
  }

  matrix::body kind_;
  std::string bytes_;
  std::size_t place_ = 0;
  scratch_folder folder_;
};

/// What a cell came to.
struct observed {
  curl::response response;
  testing::key_counts counts;
  bool taken_at_first = false;  ///< the first attempt took a byte of the body
  std::chrono::nanoseconds took{};
};

inline policy policy_of(const fault_row& fault) {
  policy_options rules{.max_attempts = 4, .deadline = 60s, .backoff = {.base = 1ms, .cap = 4ms}};
  if (fault.silent) rules.attempt_timeout = attempt_timeout;
  if (!fault.faults) {  // what ends by the clock must be outlasted
    rules.max_attempts = 2000;
    rules.backoff = {.base = 10ms, .cap = 10ms, .jitter = jitter::none};
  }
  return rules;
}

inline curl::request request_of(const cell& of, const std::string& url, const curl::body& source) {
  constexpr const char* methods[] = {"GET", "PUT", "POST", "POST"};
  curl::request what{.method = methods[static_cast<int>(of.method)], .url = url};
  what.body = source;
  if (of.method == method::post_with_key) what.idempotency_key = http::key_style::quoted;
  return what;
}

/// Every second cell could be stopped, which takes another way through libcurl.
constexpr bool can_be_stopped(const cell& of) {
  return (static_cast<int>(of.method) + static_cast<int>(of.body) + static_cast<int>(of.connection)) % 2 == 1;
}

inline testing::fault_server_options server_of(const cell& of) {
  return {.scripts = {of.fault->script, of.fault->ahead ? "/x: 200" : "/warm: 200"}, .tls = of.tls};
}

inline void require_warm(bool good) {
  if (!good) throw std::runtime_error("the first answer is to be a good one");
}

inline const char* counted_as(const cell& of) { return of.method == method::post_with_key ? "key-1" : "/x"; }

inline observed run(const cell& of) {
  testing::fault_server server(server_of(of));
  const auto fresh_client = [&] {
    curl::client_options options{.dependency = {.policy = policy_of(*of.fault), .budget = budget::none()},
                                 .ca_file = server.certificate_file()};
    options.dependency.refresh = [&server] { server.refresh_credentials(); };
    return std::make_unique<curl::client>(std::move(options));
  };
  const std::unique_ptr<curl::client> warm = fresh_client();
  const std::stop_source never;
  call_options options;
  if (can_be_stopped(of)) options.stop = never.get_token();
  require_warm(warm->get(server.url("/warm"), options).ok());
  const std::unique_ptr<curl::client> other = fresh_client();

  content sent(of.body);
  curl::request what = request_of(of, server.url("/x"), sent.source());
  observed out;
  int requests = 0;
  what.prepare = [&](http::header_list&, const attempt&) {
    if (++requests == 2) out.taken_at_first = sent.taken();
  };
  const auto begun = std::chrono::steady_clock::now();
  if (of.method == method::post_with_key) options.idempotency_key = "key-1";
  out.response = (of.connection == connection::kept ? *warm : *other).send(what, options);
  out.took = std::chrono::steady_clock::now() - begun;
  if (requests == 1) out.taken_at_first = sent.taken();
  out.counts = server.counts(counted_as(of));
  return out;
}

/// The longest that the cell may take, however busy the machine: it is for what would go on for ever.
inline std::chrono::nanoseconds most_time(const cell& of) {
  return of.fault->at_least * 2 + (of.fault->silent ? 2 * attempt_timeout : duration::zero()) +
         10s * patience;
}

}  // namespace relent::test::matrix
