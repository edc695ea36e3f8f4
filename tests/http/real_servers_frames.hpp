// SPDX-License-Identifier: Apache-2.0
// A server of HTTP/2 without TLS that says what it is told to, frame by frame: what real servers say only when they feel
// like it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matrix_raw_server.hpp"

namespace relent::test {

/// RFC 9113 section 6.
enum class frame_type : std::uint8_t {
  data = 0,
  headers = 1,
  rst_stream = 3,
  settings = 4,
  ping = 6,
  goaway = 7
};

struct frame {
  frame_type type = frame_type::data;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
  std::string payload = {};

  bool ends_stream() const noexcept { return (flags & 0x1U) != 0; }
};

inline std::string number_of(std::uint32_t value, int bytes = 4) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>((value >> (8 * i)) & 0xffU);
  return out;
}

inline std::string bytes_of(const frame& of) {
  return number_of(static_cast<std::uint32_t>(of.payload.size()), 3) + static_cast<char>(of.type) +
         static_cast<char>(of.flags) + number_of(of.stream) + of.payload;
}

inline std::string answer_200(std::uint32_t stream) {  // 0x88: the static table's ":status: 200"
  return bytes_of({frame_type::headers, 0x5, stream, "\x88"});
}
inline std::string rst_stream(std::uint32_t stream, std::uint32_t code) {
  return bytes_of({frame_type::rst_stream, 0, stream, number_of(code)});
}
inline std::string goaway(std::uint32_t last_stream, std::uint32_t code = 0) {
  return bytes_of({frame_type::goaway, 0, 0, number_of(last_stream) + number_of(code)});
}

/// What is said to a request, and whether the connection then ends.
struct said {
  std::string bytes;
  bool closes = false;
};

/// Answers the request of the n-th connection by the n-th of the given, those after the last by 200.
class frame_server {
 public:
  explicit frame_server(std::vector<said> answers)
      : answers_(std::move(answers)), server_([this](raw_connection& client) { serve(client); }) {}

  std::string url() const { return server_.url("/"); }
  int requests() const noexcept { return requests_; }

 private:
  static frame read_frame(raw_connection& client) {
    const std::string head = client.read(9);
    if (head.size() < 9) return {.type = frame_type::goaway};
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(head[i]));
    };
    frame out{static_cast<frame_type>(byte(3)), static_cast<std::uint8_t>(byte(4)), byte(8)};
    out.payload = client.read((byte(0) << 16U) | (byte(1) << 8U) | byte(2));
    return out;
  }

  void serve(raw_connection& client) {
    if (client.read(24) != "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") return;
    client.write(bytes_of({frame_type::settings}));
    for (frame came = read_frame(client); came.type != frame_type::goaway; came = read_frame(client)) {
      if (came.type == frame_type::settings && !came.ends_stream())
        client.write(bytes_of({frame_type::settings, 0x1}));
      const bool of_a_request = came.type == frame_type::headers || came.type == frame_type::data;
      if (of_a_request && came.ends_stream()) return answer(client, came.stream);
    }
  }

  /// The request is whole.
  void answer(raw_connection& client, std::uint32_t stream) {
    const auto number = static_cast<std::size_t>(requests_++);
    const said what = number < answers_.size() ? answers_[number] : said{answer_200(stream)};
    client.write(what.bytes);
    if (!what.closes) client.drain();
  }

  std::vector<said> answers_;
  std::atomic<int> requests_ = 0;
  raw_server server_;
};

}  // namespace relent::test
