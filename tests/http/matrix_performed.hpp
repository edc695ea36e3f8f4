// SPDX-License-Identifier: Apache-2.0
// Runs one cell of the matrix with a CURL handle of the test's own, through curl::perform.
#pragma once

#include <relent/curl/perform.hpp>

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <string>

#include "matrix_cell.hpp"

namespace relent::test::matrix {

struct easy_cleanup {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
using easy = std::unique_ptr<CURL, easy_cleanup>;

struct list_cleanup {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};

inline std::size_t drop_bytes(char* /*bytes*/, std::size_t one, std::size_t count, void* /*to*/) {
  return one * count;
}

inline easy handle_to(const std::string& url) {
  easy out(curl_easy_init());
  curl_easy_setopt(out.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(out.get(), CURLOPT_WRITEFUNCTION, &drop_bytes);
  return out;
}

/// What a handle is told to send: nothing, or bytes in memory.
inline void describe(CURL* handle, const cell& of, const std::string& content, curl_slist* with_key) {
  if (of.method == method::get) return;
  const bool empty = of.body == body::none;
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, empty ? "" : content.c_str());
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, empty ? 0L : static_cast<long>(content.size()));
  if (of.method == method::post_with_key) curl_easy_setopt(handle, CURLOPT_HTTPHEADER, with_key);
}

inline observed perform(const cell& of) {
  testing::fault_server server(server_of(of));
  dependency_options rules{.policy = policy_of(*of.fault), .budget = budget::none()};
  rules.refresh = [&server] { server.refresh_credentials(); };
  dependency served(std::move(rules));

  const easy warm = handle_to(server.url("/warm"));
  require_warm(curl_easy_perform(warm.get()) == CURLE_OK);
  const easy other = handle_to(server.url("/x"));
  CURL* const handle = of.connection == connection::kept ? warm.get() : other.get();
  curl_easy_setopt(handle, CURLOPT_URL, server.url("/x").c_str());
  const std::string content = testing::fault_body(0, content_size);
  const std::unique_ptr<curl_slist, list_cleanup> with_key(
      curl_slist_append(nullptr, "Idempotency-Key: key-1"));
  describe(handle, of, content, with_key.get());

  curl::perform_options options{.restart = [](CURL*) { return true; }};
  if (of.method == method::post_with_key) options.repeatable = true;
  observed out;
  const auto begun = std::chrono::steady_clock::now();
  const curl::performed made = curl::perform(handle, served, options);
  out.took = std::chrono::steady_clock::now() - begun;
  out.response.status = static_cast<int>(made.status);
  out.response.fault = made.fault;
  out.response.report = made.report;
  out.response.transfers = made.transfers;
  out.counts = server.counts(counted_as(of));
  return out;
}

}  // namespace relent::test::matrix
