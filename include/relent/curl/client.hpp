// SPDX-License-Identifier: Apache-2.0
// HTTP requests through libcurl, each a call of the blocking driver: connections are kept and shared, every attempt
// gets what is left of the deadline, and how far an attempt got decides whether it may be repeated. Target relent::curl.
#pragma once

#include <relent/call_options.hpp>
#include <relent/curl/request.hpp>
#include <relent/curl/response.hpp>
#include <relent/dependency.hpp>
#include <relent/http/propagation.hpp>
#include <relent/http/response_fault.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace relent::curl {

/// What a client is made from. Append only: the order of members is API.
struct client_options {
  /// Each origin (scheme, host and port) gets a dependency of its own, made from these; its name is the origin
  /// unless one is given.
  dependency_options dependency = {};
  /// One dependency for everything, not owned; takes the place of `dependency`.
  relent::dependency* shared_dependency = nullptr;
  /// What responses mean.
  http::response_rules rules = {};
  /// What servers are told of deadline and attempt; nothing unless asked for.
  http::propagation propagation = {};
  /// Sent with every request that has no header of the same name.
  http::header_list headers = {};
  /// Empty: none is sent.
  std::string user_agent = {};
  /// How long connecting may take, TLS included, where a request does not say.
  duration connect_timeout = std::chrono::seconds{10};
  /// The largest body that is kept in memory; a larger one is a permanent fault. Sinks have no limit.
  std::size_t max_body = std::size_t{64} << 20U;
  /// The largest response head; a larger one is a permanent fault.
  std::size_t max_head = std::size_t{256} << 10U;
  /// A file of certificates (PEM) that are trusted in the place of the system's.
  std::string ca_file = {};
  bool verify_tls = true;
  /// Handles, each with its open connections, that are kept for later calls; as many again for calls with a stop
  /// token.
  std::size_t idle_handles = 16;
  /// Dependencies that are kept, the least recently used ones going first; those in use always are.
  std::size_t max_origins = 1000;
};

/// Thread-safe: as many calls at once as there are threads.
class client {
 public:
  /// Throws options_error if the dependency's options have problems, std::runtime_error if libcurl is not usable.
  explicit client(client_options options = {});
  ~client();
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// Makes the request until it succeeds or the engine says stop. A failure is no exception but what the response
  /// says. Throws what a body, a sink or `prepare` threw, std::invalid_argument if the method, a header or the key
  /// cannot be sent. Of the options, `repeat` is by the request, and idempotency_key is what is sent if the
  /// request wants one sent, and nothing otherwise; report, if given, is filled besides the response's.
  response send(const request& what, const call_options& options = {});

  response get(std::string_view url, const call_options& options = {});
  response head(std::string_view url, const call_options& options = {});
  response put(std::string_view url, std::string_view content, std::string_view content_type,
               const call_options& options = {});
  /// Without a key: repeated only after faults that prove that nothing was done.
  response post(std::string_view url, std::string_view content, std::string_view content_type,
                const call_options& options = {});
  /// With an Idempotency-Key, the call's own unless the options have one.
  response post_with_key(std::string_view url, std::string_view content, std::string_view content_type,
                         http::key_style style = http::key_style::quoted, const call_options& options = {});
  response patch(std::string_view url, std::string_view content, std::string_view content_type,
                 const call_options& options = {});
  response remove(std::string_view url, const call_options& options = {});

  /// The dependency that calls to this address use: its budget, breaker and counters. Throws
  /// std::invalid_argument if the address is none. Shared, because it may be dropped otherwise (max_origins).
  std::shared_ptr<relent::dependency> dependency_of(std::string_view url);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The origin of an address (RFC 9110 section 4.3.1), with its port always: "https://example.com:443". Throws
/// std::invalid_argument for what is no http or https address.
std::string origin_of(std::string_view url);

}  // namespace relent::curl
