// SPDX-License-Identifier: Apache-2.0
// `relent fetch` as a process for tests, and a server that answers with bytes as they are written here and keeps
// what it was asked. For faults, the fault server is the better one.
#pragma once

#include "tool_process.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace relent::test {

/// "fetch", what keeps proxies and long waits out of a test, and the words.
std::vector<std::string> fetch_words(std::vector<std::string> words);

/// Runs `relent fetch`.
finished fetch(std::vector<std::string> words, const std::function<void()>& in_child = {});

/// Answers one request a connection, on 127.0.0.1: the first with the first answer, and so on, the last one again
/// and again.
class recording_server {
 public:
  /// Whole answers; what is shorter than its Content-Length is cut off.
  explicit recording_server(std::vector<std::string> answers);
  ~recording_server();
  recording_server(const recording_server&) = delete;
  recording_server& operator=(const recording_server&) = delete;

  std::string url(std::string_view path = "/") const;
  std::string host() const;  ///< "127.0.0.1:40000"
  /// Heads and bodies as they came, chunks undone; of those that are answered.
  std::vector<std::string> requests() const;
  std::string request(std::size_t number) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Asks every millisecond whether something has come to be; false if it has not as long as a test may last.
bool eventually(const std::function<bool()>& holds);

/// An answer: "HTTP/1.1 200 OK", the head's lines, Content-Length, the body.
std::string answer(int status, std::string_view body = "", const std::vector<std::string>& lines = {});

/// The value of a header in a request; empty if it has none.
std::string header_in(std::string_view request, std::string_view name);
/// What follows the head.
std::string body_in(std::string_view request);

}  // namespace relent::test
