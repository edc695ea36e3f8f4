// SPDX-License-Identifier: Apache-2.0
// Heads are written here, byte by byte, so that they can also be wrong.
#include "performance.hpp"

#include <relent/testing/fault_server.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string_view>

namespace relent::testing::faults {
namespace {

std::string line(std::string_view name, std::string_view value) {
  std::string out(name);
  out += ": ";
  out += value;
  return out += "\r\n";
}

std::string status_line(unsigned status) {
  return "HTTP/1.1 " + std::to_string(status) + ' ' + std::string(reason_of(status)) + "\r\n";
}

bool has_no_body(unsigned status) { return status < 200 || status == 204 || status == 304; }

/// Writes the answer that a step has, for one request.
class answer_writer {
 public:
  answer_writer(const step& what, const request_head& request, const circumstances& around)
      : step_(what), request_(request), around_(around), status_(what.status) {
    if (status_ < 200) {
      interim_ = status_line(status_) + own_headers() + "\r\n";
      status_ = 200;
    }
    body_.from = step_.body.from;
    body_.text = step_.body.from == body_spec::source::reason ? std::string(reason_of(status_)) + '\n'
                                                              : step_.body.text;
    body_.size = step_.body.from == body_spec::source::pattern ? step_.body.size : body_.text.size();
    if (status_ == 205) body_ = {};
  }

  performance write() {
    choose_range();
    const bool last =
        around_.close || !step_.keep_alive || !request_.keep_alive || step_.framing == body_framing::close;
    performance out;
    out.status = static_cast<std::uint16_t>(status_);
    out.delay = step_.delay;
    out.rate = step_.rate;
    out.idle = step_.idle;
    out.chunked = step_.framing == body_framing::chunked && !has_no_body(status_);
    out.head = interim_ + status_line(status_) + standard_headers() + body_headers() +
               (last ? line("Connection", "close") : "") + (interim_.empty() ? own_headers() : "") + "\r\n";
    out.end = last ? ending::close : ending::keep;
    if (request_.method == "HEAD" || has_no_body(status_)) {
      body_.size = 0;
      out.chunked = false;
    }
    out.body = std::move(body_);
    return out;
  }

 private:
  /// A Range that is to be honoured makes a 206 or 416 of a 200.
  void choose_range() {
    ranges_ = status_ == 200 && step_.ranges && (request_.method == "GET" || request_.method == "HEAD") &&
              step_.framing == body_framing::length && step_.body.from != body_spec::source::reason;
    const auto range = request_.header("Range");
    if (!ranges_ || !range || request_.method == "HEAD") return;
    const auto condition = request_.header("If-Range");
    if (condition && (step_.etag.empty() || step_.etag[0] != '"' || *condition != step_.etag)) return;
    const range_request asked = read_range(*range, body_.size);
    const std::string size = std::to_string(body_.size);
    if (asked.what == range_request::verdict::part) {
      status_ = 206;
      content_range_ = "bytes " + std::to_string(asked.range.first) + '-' +
                       std::to_string(asked.range.end - 1) + '/' + size;
      body_.first = asked.range.first;
      body_.size = asked.range.end - asked.range.first;
    } else if (asked.what == range_request::verdict::unsatisfiable) {
      status_ = 416;
      content_range_ = "bytes */" + size;
      body_ = {};
    }
  }

  bool own(std::string_view name) const {
    return std::any_of(step_.headers.begin(), step_.headers.end(), [&](const auto& each) {
      return std::equal(name.begin(), name.end(), each.first.begin(), each.first.end(), [](char a, char b) {
        return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b) ||
               (b >= 'A' && b <= 'Z' && b - 'A' + 'a' == a);
      });
    });
  }

  std::string own_headers() const {
    std::string out;
    for (const auto& [name, value] : step_.headers) out += line(name, value);
    return out;
  }

  std::chrono::system_clock::time_point server_clock() const {
    const duration skew = step_.date && step_.date->offset ? *step_.date->offset : duration::zero();
    return around_.wall + std::chrono::duration_cast<std::chrono::system_clock::duration>(skew);
  }

  std::string date_header() const {
    if (own("Date")) return "";
    if (!step_.date || step_.date->offset) return line("Date", http_date(server_clock()));
    return step_.date->text.empty() ? "" : line("Date", step_.date->text);
  }

  std::string retry_after_header() const {
    if (!step_.retry_after || own("Retry-After")) return "";
    if (!step_.retry_after->offset) return line("Retry-After", step_.retry_after->text);
    // To the next full second: never sooner than asked for.
    auto when = server_clock() +
                std::chrono::duration_cast<std::chrono::system_clock::duration>(*step_.retry_after->offset);
    return line("Retry-After", http_date(std::chrono::ceil<std::chrono::seconds>(when)));
  }

  std::string standard_headers() const {
    std::string out = date_header();
    if (!own("Server")) out += line("Server", "relent-faults");
    out += retry_after_header();
    if (status_ == 401 && !own("WWW-Authenticate")) out += line("WWW-Authenticate", "Bearer");
    if (around_.replayed) out += line("Idempotent-Replayed", "true");
    return out;
  }

  std::string body_headers() const {
    std::string out;
    if (!step_.etag.empty() && !own("ETag")) out += line("ETag", step_.etag);
    if (ranges_ && !own("Accept-Ranges")) out += line("Accept-Ranges", "bytes");
    if (!content_range_.empty()) out += line("Content-Range", content_range_);
    if (has_no_body(status_)) return out;
    if (!own("Content-Type"))
      out += line("Content-Type", step_.type.empty() ? "text/plain" : std::string_view(step_.type));
    if (step_.framing == body_framing::chunked) return out + line("Transfer-Encoding", "chunked");
    return step_.framing == body_framing::close ? out
                                                : out + line("Content-Length", std::to_string(body_.size));
  }

  const step& step_;
  const request_head& request_;
  const circumstances& around_;
  unsigned status_;
  bool ranges_ = false;
  std::string interim_;
  std::string content_range_;
  body_part body_;
};

/// The answer up to its cut, and then the fault.
performance cut_short(const step& what, const request_head& request, const circumstances& around,
                      ending end) {
  performance out;
  if (what.cut || what.kind == step_kind::unclean) out = answer_writer(what, request, around).write();
  if (what.cut) {
    out.whole = false;
    out.body.size = std::min(out.body.size, *what.cut);
  }
  out.end = end;
  out.hold = what.hold;
  return out;
}

performance malformed(const step& what) {
  performance out;
  out.end = ending::close;
  out.whole = false;
  const std::string ok = status_line(200);
  switch (what.wrong) {
    case malformation::status: out.head = "\x16\x03\x01 this is no HTTP\r\n\r\n"; break;
    case malformation::head: out.head = ok + "this line has no colon\r\nContent-Length: 0\r\n\r\n"; break;
    case malformation::length: out.head = ok + "Content-Length: -5\r\n\r\nhello"; break;
    case malformation::chunk:
      out.head = ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nworld\r\n0\r\n\r\n";
      break;
    case malformation::nul:
      out.head = ok + "X-Nul: a" + std::string(1, '\0') + "b\r\nContent-Length: 0\r\n\r\n";
      break;
    case malformation::big_header:
      out.head = ok + "X-Big: ";
      out.junk = what.junk;
      out.tail = "\r\nContent-Length: 0\r\n\r\n";
      break;
  }
  return out;
}

}  // namespace

std::string body_part::piece(std::uint64_t sent, std::size_t most) const {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, size - sent));
  if (from == body_spec::source::pattern) return fault_body(first + sent, count);
  return text.substr(static_cast<std::size_t>(first + sent), count);
}

performance perform(const step& what, const request_head& request, const circumstances& around) {
  switch (what.kind) {
    case step_kind::reset: return cut_short(what, request, around, ending::reset);
    case step_kind::close: return cut_short(what, request, around, ending::close);
    case step_kind::unclean: return cut_short(what, request, around, ending::unclean);
    case step_kind::stall: return cut_short(what, request, around, ending::hold);
    case step_kind::malformed: return malformed(what);
    case step_kind::refuse: {
      performance out;
      out.end = ending::reset;
      return out;
    }
    default: break;
  }
  performance out = answer_writer(what, request, around).write();
  if (what.kind == step_kind::idle_close && out.end == ending::keep) out.end = ending::idle_close;
  return out;
}

performance plain_answer(std::uint16_t status, std::string text, std::string_view type,
                         const request_head& request, const circumstances& around) {
  step answer;
  answer.status = status;
  answer.type = type;
  answer.ranges = false;
  answer.body = {body_spec::source::text, 0, std::move(text)};
  return answer_writer(answer, request, around).write();
}

std::string http_date(std::chrono::system_clock::time_point when) {
  constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(when).time_since_epoch().count();
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[64];
  const int size =
      std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[utc.tm_wday], utc.tm_mday,
                    months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace relent::testing::faults

namespace relent::testing {

std::string fault_body(std::uint64_t offset, std::size_t size) {
  constexpr std::uint64_t line = 16;
  std::string out;
  out.reserve(size + 2 * line);
  for (std::uint64_t begin = offset / line * line; begin < offset + size; begin += line) {
    char text[] = "000000000000000\n";
    std::uint64_t rest = begin;
    for (std::size_t i = line - 2; rest > 0; --i) {
      text[i] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    }
    out.append(text, line);
  }
  return out.substr(static_cast<std::size_t>(offset % line), size);
}

}  // namespace relent::testing
