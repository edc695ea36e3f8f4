// SPDX-License-Identifier: Apache-2.0
// Sockets, and reading requests as far as tests need it.
#include "fetch_process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

namespace relent::test {
namespace {

constexpr std::string_view end_of_head = "\r\n\r\n";

bool read_more(int connection, std::string& text) {
  std::array<char, 65536> piece{};
  const ssize_t got = ::read(connection, piece.data(), piece.size());
  if (got <= 0) return false;
  text.append(piece.data(), static_cast<std::size_t>(got));
  return true;
}

std::size_t number_in(std::string_view text, int base = 10) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

/// A chunked body, which begins at `at`, put in order.
std::string read_chunks(int connection, std::string& text, std::size_t at) {
  std::string body;
  for (;;) {
    std::size_t line = 0;
    while ((line = text.find("\r\n", at)) == std::string::npos)
      if (!read_more(connection, text)) return body;
    const std::size_t size = number_in(std::string_view(text).substr(at, line - at), 16);
    at = line + 2;
    while (text.size() < at + size + 2)
      if (!read_more(connection, text)) return body;
    if (size == 0) return body;
    body += text.substr(at, size);
    at += size + 2;
  }
}

/// Empty if none came.
std::string read_request(int connection) {
  std::string text;
  while (text.find(end_of_head) == std::string::npos)
    if (!read_more(connection, text)) return {};
  const std::size_t body = text.find(end_of_head) + end_of_head.size();
  const std::string head = text.substr(0, body);
  if (!header_in(head, "expect").empty())
    static_cast<void>(::send(connection, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL));
  if (header_in(head, "transfer-encoding") == "chunked") return head + read_chunks(connection, text, body);
  const std::size_t size = number_in(header_in(head, "content-length"));
  while (text.size() < body + size)
    if (!read_more(connection, text)) break;
  return text;
}

void send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

std::vector<std::string> fetch_words(std::vector<std::string> words) {
  std::vector<std::string> all{"fetch", "--noproxy", "*", "--base", "1ms"};
  std::move(words.begin(), words.end(), std::back_inserter(all));
  return all;
}

finished fetch(std::vector<std::string> words, const std::function<void()>& in_child) {
  return run_tool(fetch_words(std::move(words)), in_child);
}

struct recording_server::state {
  std::vector<std::string> answers;
  int listener = -1;
  int stop[2] = {-1, -1};
  unsigned port = 0;
  mutable std::mutex lock;
  std::vector<std::string> requests;
  std::thread thread;

  void serve() {
    for (std::size_t next = 0;;) {
      std::array<pollfd, 2> watched{{{listener, POLLIN, 0}, {stop[0], POLLIN, 0}}};
      ::poll(watched.data(), watched.size(), -1);
      if (watched[1].revents != 0) return;
      const int connection = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      std::string request = read_request(connection);
      if (!request.empty()) {
        {
          const std::lock_guard guard(lock);
          requests.push_back(std::move(request));
        }
        send_all(connection, answers[next]);
        next = std::min(next + 1, answers.size() - 1);
      }
      ::shutdown(connection, SHUT_WR);
      ::close(connection);
    }
  }
};

recording_server::recording_server(std::vector<std::string> answers) : state_(std::make_unique<state>()) {
  state_->answers = std::move(answers);
  state_->listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(state_->listener, plain, size) != 0 || ::listen(state_->listener, 16) != 0 ||
      ::getsockname(state_->listener, plain, &size) != 0 || ::pipe2(state_->stop, O_CLOEXEC) != 0)
    std::abort();
  state_->port = ntohs(address.sin_port);
  state_->thread = std::thread([this] { state_->serve(); });
}

recording_server::~recording_server() {
  static_cast<void>(::write(state_->stop[1], "x", 1));
  state_->thread.join();
  for (const int each : {state_->listener, state_->stop[0], state_->stop[1]}) ::close(each);
}

std::string recording_server::host() const { return "127.0.0.1:" + std::to_string(state_->port); }
std::string recording_server::url(std::string_view path) const {
  return "http://" + host() + std::string(path);
}

std::vector<std::string> recording_server::requests() const {
  const std::lock_guard guard(state_->lock);
  return state_->requests;
}

std::string recording_server::request(std::size_t number) const {
  const auto all = requests();
  return number < all.size() ? all[number] : std::string();
}

bool eventually(const std::function<bool()>& holds) {
  constexpr long long longest = 20'000;
  for (const long long begin = now_ms(); now_ms() - begin < longest;) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

std::string answer(int status, std::string_view body, const std::vector<std::string>& lines) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " Word\r\n";
  bool has_length = false;
  for (const std::string& line : lines) {
    text += line + "\r\n";
    has_length = has_length || line.starts_with("Content-Length:");
  }
  if (!has_length) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "Connection: close\r\n\r\n" + std::string(body);
}

std::string header_in(std::string_view request, std::string_view name) {
  std::string lower(request.substr(0, request.find(end_of_head) + 2));
  std::string wanted = "\r\n" + std::string(name) + ":";
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t at = lower.find(wanted);
  if (at == std::string::npos) return {};
  const std::size_t begin = request.find_first_not_of(' ', at + wanted.size());
  return std::string(request.substr(begin, request.find("\r\n", begin) - begin));
}

std::string body_in(std::string_view request) {
  return std::string(request.substr(request.find(end_of_head) + end_of_head.size()));
}

}  // namespace relent::test
